"""Figures as files: PNG and SVG for the page, and the style's formats."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from matplotlib.figure import Figure

from lincon.analysis.results import Results
from lincon.analysis.sweeps import Sweep
from lincon.report.figures import arms, claims, kinds, panels, plane, sweeps
from lincon.report.figures.style import chosen, styled
from lincon.study.style import Style


class Drawing(NamedTuple):
    """A figure: what draws it (nothing, where there is nothing to show), and its caption."""

    draw: Callable[[Any], Figure | None]
    caption: str


EXPERIMENT = {
    "plane": Drawing(
        plane.plane,
        "Regret against shortfall at T, both signed and realised. In the green zone a run counts "
        "as kept, tolerance included. The plus at the origin is the optimum. With several "
        "constraints, the one with the highest price. Crosses: 95% intervals of the means.",
    ),
    "panels": Drawing(
        lambda results: panels.panels([results]),
        "Cumulative sums over the rounds: means over runs with their 95% intervals. A ratio is "
        "shown where a policy's violation is at least 5% of the largest.",
    ),
    "kinds": Drawing(
        kinds.kinds,
        "Above, the share of each arm in the requests of a kind: of the optimum, and of the first "
        "policy of the league. Below, the optimum of three ways to keep the constraints, against "
        "the threshold of the dearest one.",
    ),
    "arms": Drawing(
        arms.arms,
        "Every arm by what it adds to the constraint and what it earns. Optimal arms are named, "
        "with their shares.",
    ),
    "claims": Drawing(
        claims.claims,
        "Differences at T with 95% intervals over paired runs, in per cent of the baseline; the "
        "tinted side is the claimed one. A claim holds or fails only where its whole interval, "
        "corrected for the number of claims, lies on one side of zero.",
    ),
}
SWEEP = {
    "sweep": Drawing(
        sweeps.sweep,
        "Regret, violation and joint regret at T against the swept value, means with 95% "
        "intervals. Crosses on the axis: infeasible; rings: no constraint binds.",
    ),
    "map": Drawing(
        sweeps.maps,
        "Joint regret at T over two swept values, of two policies. In brackets: not significantly "
        "different. Crosses: infeasible.",
    ),
}
STUDY = {"panels": Drawing(panels.panels, EXPERIMENT["panels"].caption)}
FIGURES = (*EXPERIMENT, *SWEEP)


def draw(
    shown: Results | Sweep | Sequence[Results], folder: str | Path, style: Style | None = None
) -> None:
    """Draw the figures of an experiment, of a sweep, or of all experiments of a study together.

    One that has nothing to show is left out.
    """
    drawings = SWEEP if isinstance(shown, Sweep) else STUDY
    drawings = EXPERIMENT if isinstance(shown, Results) else drawings
    Path(folder).mkdir(parents=True, exist_ok=True)
    for name, drawing in drawings.items():
        with styled(style):
            if (figure := drawing.draw(shown)) is None:
                continue
            # Laid out once, not once per format.
            figure.draw_without_rendering()
            figure.set_layout_engine("none")
            for suffix in chosen().suffixes:
                path = Path(folder, f"{name}.{suffix}")
                figure.savefig(path, metadata=_facts(figure, suffix, drawing))


def _facts(figure: Figure, suffix: str, drawing: Drawing) -> dict[str, Any]:
    """Title and caption, inside the file."""
    title, caption = str(figure.get_label()), drawing.caption
    if suffix == "pdf":
        return {"Title": title, "Subject": caption, "CreationDate": None}
    return {"Title": title, "Description": caption} | ({"Date": None} if suffix == "svg" else {})
