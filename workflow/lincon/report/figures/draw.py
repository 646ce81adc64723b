"""Figures as files: PNG and SVG for the page, the style's formats, and captions beside them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib.figure import Figure

from lincon.analysis.results import Results
from lincon.analysis.sweeps import Sweep
from lincon.files import write_text
from lincon.report.figures import arms, claims, panels, plane, sweeps
from lincon.report.figures.style import chosen, styled
from lincon.report.text import latex_text, markdown_text
from lincon.study.style import Style

_BANDS = "Curves are means over runs, bands their 95% intervals."
CAPTIONS = {
    "plane": "Regret against shortfall at T, both signed and realised. In the green zone a run "
    "counts as kept, tolerance included. The plus at the origin is the optimum. With several "
    "constraints, the one with the highest price.",
    "panels": "Cumulative sums over the rounds. A ratio is shown where a policy's violation is at "
    f"least 5% of the largest. {_BANDS}",
    "arms": "Every arm by what it adds to the constraint and what it earns. The optimum is where "
    "the upper envelope crosses the threshold; optimal arms are named, with their shares.",
    "claims": "Differences at T with 95% intervals over paired runs, in per cent of the baseline; "
    "the tinted side is the claimed one. A claim holds or fails only where its whole interval, "
    "corrected for the number of claims, lies on one side of zero.",
    "sweep": "Regret, violation and joint regret at T against the swept value, means with 95% "
    "intervals. Crosses on the axis: infeasible; rings: no constraint binds.",
    "frontier": "The optimal reward (or cost) per round against the threshold, and what each "
    "policy reached.",
    "map": "Joint regret at T over two swept values: the difference of two policies, or one panel "
    "per policy with one colour scale for all. Crosses: infeasible.",
}
Drawings = Mapping[str, Callable[[], Figure | None]]


def draw_experiment(results: Results, folder: str | Path, style: Style | None = None) -> None:
    """Draw plane, panels, arms and claims into the folder; what has nothing to show is left out."""
    drawings: Drawings = {
        "plane": lambda: plane.plane(results),
        "panels": lambda: panels.panels(results),
        "arms": lambda: arms.arms(results),
        "claims": lambda: claims.claims(results),
    }
    _draw(drawings, Path(folder), style)


def draw_sweep(sweep: Sweep, folder: str | Path, style: Style | None = None) -> None:
    """Draw curves and the frontier of one swept value, or the map of two."""
    drawings: Drawings = {
        "sweep": lambda: sweeps.sweep(sweep),
        "frontier": lambda: sweeps.frontier(sweep),
        "map": lambda: sweeps.maps(sweep),
    }
    _draw(drawings, Path(folder), style)


def draw_study(results: Sequence[Results], folder: str | Path, style: Style | None = None) -> None:
    """Draw the panels of all experiments in one figure, a row for each."""
    _draw({"panels": lambda: panels.study(results)}, Path(folder), style)


def _draw(drawings: Drawings, folder: Path, style: Style | None) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    titles = {}
    for name, drawing in drawings.items():
        with styled(style):
            figure = drawing()
            if figure is None:
                continue
            titles[name] = str(figure.get_label()).split("\n")[0]
            with _laid_out(figure):
                for suffix in chosen().suffixes:
                    _write(figure, folder / f"{name}.{suffix}", CAPTIONS[name])
    for suffix in ("md", "tex"):
        write_text(folder / f"captions.{suffix}", _captions(suffix, titles))


def _write(figure: Figure, path: Path, caption: str) -> None:
    """With title, caption and provenance inside the file."""
    title, marks, source = str(figure.get_label()).split("\n")
    caption += f" {marks[0].upper()}{marks[1:]}." if marks else ""
    facts: dict[str, Any] = {"Title": title, "Description": caption, "Source": source}
    if path.suffix == ".svg":
        facts |= {"Date": None}
    if path.suffix == ".pdf":
        facts = {"Title": title, "Subject": caption, "Keywords": source, "CreationDate": None}
    figure.savefig(path, metadata=facts)


@contextmanager
def _laid_out(figure: Figure) -> Iterator[None]:
    """Laid out once, not once per format."""
    engine: Any = figure.get_layout_engine()
    # In the pixels of the file: in others, hinting makes letters wider or narrower.
    if matplotlib.rcParams["savefig.dpi"] != "figure":
        figure.set_dpi(matplotlib.rcParams["savefig.dpi"])
    engine.execute(figure)
    for axes in figure.axes:
        axes.set_position(np.round(axes.get_position(original=True).bounds, 6))
    # As long as the parameters ask for an engine, savefig puts one back.
    with matplotlib.rc_context({"figure.constrained_layout.use": False}):
        figure.set_layout_engine(None)
        yield


def _captions(suffix: str, titles: Mapping[str, str]) -> str:
    """The finding and the caption of each figure, to be put under it as they are."""
    tex = suffix == "tex"
    form = "% {}\n\\caption{{{}. {}}}\n" if tex else "## {}\n\n**{}.** {}\n"
    escaped = latex_text if tex else markdown_text
    return "\n".join(
        form.format(name, escaped(finding), escaped(CAPTIONS[name]))
        for name, finding in titles.items()
    )
