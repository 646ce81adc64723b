"""What all figures share: policies' looks, the provenance under the picture, axes, saving."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, MaxNLocator, NullLocator

from lincon import __version__
from lincon.figures.style import MUTED, PALETTE, STYLE, WARNING
from lincon.files import replacing
from lincon.problem.record import Problem

COLUMN, PAGE = 3.4, 7.0  # widths in inches
DASHES = ("-", (0, (4, 1.5)), (0, (1, 1.2)), (0, (5, 1.5, 1, 1.5)))
# So many policies have a colour each; of more, so many stand out and the others are muted.
COLOURED, PROMINENT = 7, 5
SOURCES = {
    "real": "real data",
    "standin": "STAND-IN ARMS, NOT THE REAL DATA",
    "formula": "closed formula",
    "user": "user's arms",
    "generated": "generated arms",
}


@dataclass(frozen=True)
class Look:
    """How a policy is drawn: the same in every figure of an experiment."""

    label: str
    colour: str
    dashes: str | tuple = "-"
    width: float = 1.4
    muted: bool = False
    reference: bool = False

    @property
    def entry(self) -> str:
        """The label in a legend; a blank first, as Matplotlib leaves out what begins with _."""
        return f" {shortened(self.label)}"


def looks(
    policies: Mapping[str, Mapping[str, Any]], prominent: Sequence[str] | None = None
) -> dict[str, Look]:
    """Policy id -> look, from the config's labels and colours, else by order from the palette.

    With `prominent`, all policies but these and the references are muted.
    """
    result = {}
    place = 0
    for name, entry in policies.items():
        label = str(entry.get("label", name))
        if entry.get("reference"):
            result[name] = Look(label, entry.get("colour", "#000000"), ":", 1.2, reference=True)
        elif prominent is not None and name not in prominent:
            result[name] = Look(label, MUTED, "-", 0.8, muted=True)
        else:
            colour = entry.get("colour", PALETTE[place % len(PALETTE)])
            result[name] = Look(label, colour, DASHES[place % len(DASHES)])
            place += 1
    return result


@contextmanager
def styled() -> Iterator[None]:
    with plt.style.context(STYLE):
        yield
    plt.close("all")


def shortened(text: str, width: int = 40) -> str:
    """A long label, cut in its middle, where it says least."""
    text = " ".join(text.split())
    if len(text) <= width:
        return text
    return f"{text[: width // 2]}\u2026{text[-(width - width // 2 - 1) :]}"


def title(figure: Figure, text: str, problem: Problem) -> None:
    """The figure's title; one drawn from stand-in arms says so in red."""
    width = int(figure.get_figwidth() * 15)
    text = textwrap.fill(textwrap.shorten(text, 3 * width, placeholder=" \u2026"), width)
    if problem.source == "standin":
        figure.suptitle(f"{text}\n{textwrap.fill(problem.note, width)}", color=WARNING, fontsize=9)
    else:
        figure.suptitle(text, fontsize=9)


def footer(
    figure: Figure,
    problem: Problem,
    runs: int | None = None,
    horizon: int | None = None,
    swept: Sequence[str] = (),
    code: str = "",
    bands: str = "",
) -> None:
    """Provenance in the picture itself: it outlives the folder that the picture was in.

    `code` is the fingerprint in the runs' metadata, of the code that played them.
    """
    dataset = problem.dataset.split("@")[0] if swept else problem.dataset
    parts = [dataset, SOURCES.get(problem.source, problem.source), f"N = {problem.arms:,}"]
    if "eta" not in swept:
        parts.append(f"\u03b7 = {problem.eta:g}")
    if horizon is not None:
        parts.append(f"T = {horizon:,}")
    if runs is not None:
        parts.append(f"{runs:,} runs" if runs > 1 else "1 run")
    if bands:
        parts.append(f"95% bands {bands}")
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


def curves(axes: Axes, rows: pd.DataFrame, looks: Mapping[str, Look], x: str = "t") -> None:
    """One curve a policy; muted ones first, so that they lie below, and without their bands."""
    for policy, look in sorted(looks.items(), key=lambda item: not item[1].muted):
        curve(axes, rows[rows["policy"] == policy], look, x)
    muted = [look for look in looks.values() if look.muted]
    if muted:
        axes.plot([], [], color=MUTED, linewidth=0.8, label=f"{len(muted)} others")


def curve(axes: Axes, rows: pd.DataFrame, look: Look, x: str = "t") -> None:
    """Mean over runs with its 95% interval."""
    style: dict[str, Any] = {
        "color": look.colour,
        "linestyle": look.dashes,
        "linewidth": look.width,
    }
    label = "_nolegend_" if look.muted else look.entry
    axes.plot(rows[x], rows["mean"], label=label, zorder=1.8 if look.muted else 2.2, **style)
    if rows["ci_low"].notna().any() and not look.muted and not look.reference:
        axes.fill_between(
            rows[x], rows["ci_low"], rows["ci_high"], color=look.colour, alpha=0.18, linewidth=0
        )


def no_data(axes: Axes, text: str) -> None:
    axes.text(0.5, 0.5, text, transform=axes.transAxes, ha="center", va="center", color="#666666")


def plain_numbers(axes: Axes, bins: int | None = 5) -> None:
    """10,000 on both axes, never 1e4, and no more ticks than such numbers have room for."""
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter("{x:,.10g}")
        if bins and axis.get_scale() == "linear":
            axis.set_major_locator(MaxNLocator(bins, steps=[1, 2, 2.5, 5, 10]))
    if bins and axes.get_xscale() == "linear" and abs(axes.get_xlim()[1]) >= 1e6:
        axes.xaxis.set_major_locator(MaxNLocator(3, steps=[1, 2, 2.5, 5, 10]))


class OneThree(LogLocator):
    """Ticks at 1, 3, 10, 30, ...; over more than three decades at powers of ten, at most six."""

    def tick_values(self, vmin: float, vmax: float) -> Sequence[float]:
        decades = np.log10(max(vmax, 1e-300) / max(vmin, 1e-300))
        self.set_params(subs=(1.0, 3.0) if decades <= 3.0 else (1.0,), numticks=6)
        return super().tick_values(vmin, vmax)


def log_axes(axes: Axes, which: str) -> None:
    """Log axes with plain numbers: 10,000 is read faster than a power, and drawn faster too."""
    for name in which:
        axes.set(**{f"{name}scale": "log"})
        axis = getattr(axes, f"{name}axis")
        axis.set_major_locator(OneThree())
        axis.set_minor_locator(NullLocator())
        axis.set_major_formatter("{x:,.10g}")


def prominent(rows: pd.DataFrame, looks: Mapping[str, Look]) -> pd.DataFrame:
    """The rows of the policies that stand out, which scale the axes; muted ones may leave them."""
    return rows[rows["policy"].isin([policy for policy in looks if not looks[policy].muted])]


def from_zero(axes: Axes, top: float) -> None:
    """From a little below zero up, so that a curve on zero does not hide behind the axis."""
    top = top if np.isfinite(top) and top > 0.0 else 1.0
    axes.set_ylim(-0.02 * top, 1.05 * top)


def legend_columns(labels: Sequence[str], width: float) -> int:
    """As many columns as fit into `width` inches: a letter takes 0.064, a handle and gaps 0.5."""
    for columns in range(min(len(labels), 6), 1, -1):
        # Matplotlib fills column by column.
        rows = -(-len(labels) // columns)
        parts = [labels[i : i + rows] for i in range(0, len(labels), rows)]
        if sum(0.5 + 0.064 * max(map(len, part)) for part in parts) <= width:
            return columns
    return 1


def shared_legend(figure: Figure, axes: Axes) -> None:
    """One legend above the panels, where it covers no curve, under the figure's title."""
    heading = figure.get_suptitle()
    colour = figure._suptitle.get_color() if heading else "black"  # type: ignore[attr-defined]
    figure.suptitle("")
    handles, labels = axes.get_legend_handles_labels()
    legend = figure.legend(
        handles,
        labels,
        loc="outside upper center",
        ncols=legend_columns(labels, figure.get_figwidth()),
        title=heading,
    )
    for text in legend.get_texts():
        text.set_text(text.get_text().strip())
    legend.get_title().set(color=colour, fontsize=9, multialignment="center")


def padded(values: np.ndarray, share: float = 0.05) -> tuple[float, float]:
    low, high = float(np.min(values)), float(np.max(values))
    pad = share * (high - low) or 0.05
    return low - pad, high + pad
