"""A whole study: its page, the figure of all experiments, and study.json, which finds it again.

study.json says how the study was made and which files hold its experiments, so that `lincon league`
prints the answer of a study that has run without its config.
"""

import json
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from lincon.analysis.results import Results
from lincon.analysis.sweeps import Files, Sweep, read
from lincon.errors import UserError
from lincon.files import damaged, write_text
from lincon.report.figures import draw
from lincon.report.page.build import build
from lincon.study.provenance import provenance
from lincon.study.style import Style

KINDS_OF_FILE = ("outcomes", "curves", "problems", "arms")


def write_study(
    config: Mapping[str, Any],
    experiments: Sequence[Mapping[str, Any]],
    files: Sequence[Files],
    figures: Files,
    page: str,
    panels: str,
    record: str,
) -> None:
    """Write page, panels and record.

    Parameters
    ----------
    config, experiments
        The config, and `Plan.experiment` of each of its experiments.
    files
        The outcomes, curves, problems and arms: a file for every cell of every experiment.
    figures
        The folder of the figures of each experiment.
    page, panels, record
        Where to write: an HTML file, a folder, a JSON file.
    """
    rest = {kind: iter(paths) for kind, paths in zip(KINDS_OF_FILE, files, strict=True)}
    listed = []
    for spec in experiments:
        cells = len(spec["cells"])
        own = {kind: list(islice(paths, cells)) for kind, paths in rest.items()}
        listed.append({**spec, "files": own})
    known = provenance(config, dict.fromkeys(files[-1])) | {"experiments": listed}
    results, sweeps = opened(known)
    draw(results, panels, Style(**config.get("style", {})))
    names = [spec["name"] for spec in experiments]
    build(known, results, sweeps, {"": panels, **dict(zip(names, figures, strict=True))}, page)
    write_text(record, json.dumps(known, indent=2) + "\n")


def opened(record: Mapping[str, Any]) -> tuple[list[Results], list[Sweep]]:
    """The experiments and the sweeps of a study, from its record."""
    everything = [read(spec, **spec["files"]) for spec in record["experiments"]]
    plain = [one for one in everything if isinstance(one, Results)]
    return plain, [one for one in everything if isinstance(one, Sweep)]


def read_record(path: Path) -> dict[str, Any]:
    """The record of a study that has run."""
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        return {**record, "experiments": list(record["experiments"])}
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise UserError(damaged(path, "the record of a study", error)) from None
