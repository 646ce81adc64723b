"""An experiment from its files: a sweep is the tables of its cells, an experiment has one cell."""

from collections.abc import Mapping, Sequence
from typing import Any

from lincon.analysis.results import Results
from lincon.analysis.sweeps import Sweep

Files = Sequence[str]


def read(
    spec: Mapping[str, Any],
    outcomes: Files,
    curves: Files,
    problems: Files,
    arms: Files,
) -> Results | Sweep:
    """An experiment as `lincon.study.plan.Plan.experiment` declares it.

    Parameters
    ----------
    spec
        Its name, title, axes, cells, looks and the two policies that claims compare.
    outcomes, curves, problems, arms
        A file for each cell, in the order of the cells.
    """
    cells, looks = spec["cells"], spec["looks"]
    common = {"name": spec["name"], "title": spec["title"]}
    if spec["axes"]:
        files = zip(outcomes, curves, problems, strict=True)
        points = [
            {"coordinates": cell["coordinates"], "policies": cell["policies"]}
            | dict(zip(("outcomes", "curves", "problem"), paths, strict=True))
            for cell, paths in zip(cells, files, strict=True)
        ]
        return Sweep.read(points, axes=spec["axes"], looks=looks, **common)
    (cell,) = cells
    ids = {name: policy for policy, name in cell["policies"].items()}
    return Results.read(
        outcomes[0],
        curves[0],
        problems[0],
        arms[0],
        looks={policy: looks[name] for policy, name in cell["policies"].items()},
        compare=[ids[name] for name in spec["compare"]],
        tolerances=cell["tolerances"],
        **common,
    )
