"""What all figures share: style, policy looks, the footer with the provenance, saving."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lincon import __version__
from lincon.figures.style import PALETTE, STYLE
from lincon.files import replacing
from lincon.problem.record import Problem

COLUMN, PAGE = 3.4, 7.0  # widths in inches
WARNING = "#B00020"
DASHES = ("-", (0, (4, 1.5)), (0, (1, 1.2)), (0, (5, 1.5, 1, 1.5)))
SOURCES = {
    "real": "real data",
    "standin": "STAND-IN ARMS, NOT THE REAL DATA",
    "formula": "closed formula",
    "user": "user's arms",
}


@dataclass(frozen=True)
class Look:
    """How a policy is drawn: the same in every figure."""

    label: str
    colour: str
    dashes: str | tuple = "-"

    @property
    def entry(self) -> str:
        """The label in a legend; a blank first, as Matplotlib leaves out what begins with _."""
        return f" {self.label}"


def looks(policies: Mapping[str, Mapping[str, str]]) -> dict[str, Look]:
    """Policy id -> look, from the config's labels and colours, else by order from the palette."""
    result = {}
    for i, (name, entry) in enumerate(policies.items()):
        colour = entry.get("colour", PALETTE[i % len(PALETTE)])
        result[name] = Look(entry.get("label", name), colour, DASHES[i % len(DASHES)])
    return result


@contextmanager
def styled() -> Iterator[None]:
    with plt.style.context(STYLE):
        yield
    plt.close("all")


def title(figure: Figure, text: str, problem: Problem) -> None:
    """The figure's title; one drawn from stand-in arms says so in red."""
    if problem.source == "standin":
        figure.suptitle(f"{text}\n{problem.note}", color=WARNING, fontsize=9)
    else:
        figure.suptitle(text, fontsize=9)


def footer(
    figure: Figure,
    problem: Problem,
    runs: int | None = None,
    horizon: int | None = None,
    swept: Sequence[str] = (),
    code: str = "",
) -> None:
    """Provenance in the picture itself: it outlives the folder that the picture was in.

    `code` is the fingerprint in the runs' metadata, of the code that played them.
    """
    dataset = problem.dataset.split("@")[0] if swept else problem.dataset
    parts = [dataset, SOURCES.get(problem.source, problem.source), f"N = {problem.arms}"]
    if "eta" not in swept:
        parts.append(f"\u03b7 = {problem.eta:g}")
    if horizon is not None:
        parts.append(f"T = {horizon:,}")
    if runs is not None:
        parts.append(f"{runs} runs" if runs > 1 else "1 run")
    parts.append(f"lincon {__version__}" + (f", code {code[:7]}" if code else ""))
    text = " \u00b7 ".join(parts)
    if figure.get_figwidth() < 5:
        half = (len(parts) + 1) // 2
        text = " \u00b7 ".join(parts[:half]) + "\n" + " \u00b7 ".join(parts[half:])
    figure.supxlabel(text, fontsize=6, color="#666666", x=0.01, ha="left")


def save(figure: Figure, paths: Sequence[str | Path]) -> None:
    """Write the figure in each format that `paths` name, without time stamps in the files."""
    metadata = {".pdf": {"CreationDate": None}, ".png": {"Software": None}}
    # Lay out once, not once a format: it is most of the time that a figure takes.
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    for path in map(Path, paths):
        with replacing(path) as temporary:
            figure.savefig(temporary, metadata=metadata.get(path.suffix))


def curve(axes: Axes, rows: pd.DataFrame, look: Look, x: str = "t") -> None:
    """Mean over runs with its 95% interval."""
    style = {"color": look.colour, "linestyle": look.dashes}
    axes.plot(rows[x], rows["mean"], label=look.entry, **style)
    if rows["ci_low"].notna().any():
        axes.fill_between(
            rows[x], rows["ci_low"], rows["ci_high"], color=look.colour, alpha=0.18, linewidth=0
        )


def plain_numbers(axes: Axes) -> None:
    """10,000 on both axes, never 1e4."""
    axes.xaxis.set_major_formatter("{x:,.10g}")
    axes.yaxis.set_major_formatter("{x:,.10g}")


def shown(summary: pd.DataFrame, looks: Mapping[str, Look]) -> pd.DataFrame:
    """The rows of the policies that a figure shows: others must not scale its axes."""
    return summary[summary["policy"].isin(list(looks))]


def no_data(axes: Axes, text: str) -> None:
    axes.text(0.5, 0.5, text, transform=axes.transAxes, ha="center", va="center", color="#666666")


def shared_legend(figure: Figure, axes: Axes, columns: int = 4) -> None:
    """One legend above the panels, where it covers no curve, under the figure's title."""
    heading = figure.get_suptitle()
    colour = figure._suptitle.get_color() if heading else "black"
    figure.suptitle("")
    handles, labels = axes.get_legend_handles_labels()
    legend = figure.legend(
        handles, labels, loc="outside upper center", ncols=min(len(labels), columns), title=heading
    )
    for text in legend.get_texts():
        text.set_text(text.get_text().strip())
    legend.get_title().set(color=colour, fontsize=9, multialignment="center")


def padded(values: np.ndarray, share: float = 0.05) -> tuple[float, float]:
    low, high = float(np.min(values)), float(np.max(values))
    pad = share * (high - low) or 0.05
    return low - pad, high + pad
