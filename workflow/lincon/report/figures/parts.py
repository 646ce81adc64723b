"""What figures share: head and foot, curves with their bands, panels in a row, scales and ticks."""

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.ticker import LogLocator, MaxNLocator, NullLocator

from lincon import __version__
from lincon.analysis.results import Results
from lincon.analysis.sweeps import Sweep
from lincon.problem.record import Problem
from lincon.report import palette, view
from lincon.report.figures.style import PAGE, chosen, cycle, narrow, plt, scale, size, width
from lincon.report.palette import FAINT, GREY_LINE, WARNING, Look
from lincon.report.text import SOURCES, counted

TITLE, FOOTER = 9.0, 6.0  # points
NUMBER = "{x:,.10g}"  # 10,000, never 1e4
NICE = [1, 2, 2.5, 5, 10]
SIGNED = ("composite", "shortfall")
Shown = Results | Sweep


def looks_of(of: Shown) -> dict[str, Look]:
    prominent = view.prominent(of) if isinstance(of, Results) else None
    return palette.looks(of.policies, prominent, cycle())


def wrapped(text: str, letters: int, lines: int = 2) -> str:
    """A label in lines of so many letters; what is left over is cut at the end."""
    rows = textwrap.wrap(text, max(letters, 4))
    if len(rows) > lines:
        left = " ".join(rows[lines - 1 :])
        rows = [*rows[: lines - 1], f"{left[: letters - 1].rstrip()}\u2026"]
    return "\n".join(rows)


def name_of(results: Results, policy: str) -> str:
    """A policy's label, short enough for a title."""
    return wrapped(results.labels[policy], 32, 1)


def in_unit(text: str, unit: str) -> str:
    return f"{text}, {unit}" if unit else text


def finish(
    figure: Figure, of: Shown, finding: str, legend: Axes | None = None, marks: str = ""
) -> Figure:
    """Title (the finding), legend of what is labelled in `legend`, and footer.

    A column has no room for names beside curves: there the legend is that of the first axes.
    """
    shaded = any(isinstance(c, PolyCollection) for axes in figure.axes for c in axes.collections)
    foot = provenance(of, marks, "bands: pointwise 95% intervals of the mean" if shaded else "")
    legend = legend or (figure.axes[0] if narrow() else None)
    return framed(figure, f"{of.title}: {finding}", of.problem, foot, legend)


def framed(
    figure: Figure, text: str, problem: Problem | None, foot: str, legend: Axes | None = None
) -> Figure:
    """Put the head above the axes and the foot below them, and make the figure that much higher.

    Their heights are known before anything is laid out, so panels keep theirs. Text and foot are
    kept as the figure's id and label too, for the metadata of its files.
    """
    inches = figure.get_figwidth()
    letters = int(inches * 12.9 * TITLE / size(TITLE))
    said = [(text, "black")] if chosen().title else []
    if problem is not None and problem.source == "standin":
        said.append((problem.note, WARNING))
    head = [(line, ink) for t, ink in said for line in wrapped(t, letters, 3).split("\n")]
    feet = textwrap.wrap(foot, int(inches * 23 * FOOTER / size(FOOTER))) if chosen().footer else []
    figure.set_label(foot)
    figure.set_gid(text)
    handles, labels = legend.get_legend_handles_labels() if legend is not None else ([], [])
    points = FontProperties(size=plt.rcParams["legend.fontsize"]).get_size_in_points()
    # A letter takes 0.0085 inches per point, a handle and gaps 0.5 inches: one line, or columns.
    wide = [0.5 + 0.0085 * points * len(label) for label in labels]
    columns = len(labels) if sum(wide) <= inches else max(1, int(inches / max(wide)))
    title_line, foot_line = size(TITLE) * 1.3, size(FOOTER) * 1.35
    above = 4 + len(head) * title_line + -(-len(labels) // max(columns, 1)) * points * 1.55
    below = 3 + len(feet) * foot_line
    high = 72.0 * figure.get_figheight() + above + below
    figure.set_figheight(high / 72.0)
    engine: Any = figure.get_layout_engine()
    engine.set(rect=(0, below / high, 1, 1 - (above + below) / high))
    style: dict[str, Any] = {"va": "top", "ha": "left", "in_layout": False}
    for i, (line, colour) in enumerate(head):
        place = 1 - (4 + i * title_line) / high
        figure.text(0.008, place, line, color=colour, size=size(TITLE), weight="bold", **style)
    for i, line in enumerate(feet):
        place = (below - i * foot_line) / high
        figure.text(0.008, place, line, color=FAINT[0], size=size(FOOTER), **style)
    if labels:
        names, where = [label.strip() for label in labels], 1 - (2 + len(head) * title_line) / high
        style = {"loc": "upper left", "bbox_to_anchor": (0.0, where), "borderaxespad": 0.3}
        figure.legend(handles, names, ncols=columns, **style).set_in_layout(False)
    return figure


def provenance(of: Shown, *marks: str) -> str:
    """Where a picture came from, in the picture itself: it outlives the folder that it was in.

    With the fingerprint of the code that played the runs; `marks` say what crosses or bands are.
    """
    problem, bounds = of.problem, view.bounds(of.problem)
    swept, horizon = (of.axes, of.rounds) if isinstance(of, Sweep) else ((), of.horizon)
    dataset = problem.dataset.split("@")[0] if swept else problem.dataset
    parts = [dataset, SOURCES.get(problem.source, problem.source), f"N = {problem.arms:,}"]
    if not set(swept) & {"eta", *(bound.name for bound in bounds)}:
        parts += [bound.text for bound in bounds]
    parts += [f"T = {horizon:,}"] if "horizon" not in swept else []
    # Every run has its own problem, and a picture shows one.
    own = "posterior means" if "posterior means" in problem.note else ""
    version = f"lincon {__version__}" + (f", code {of.code[:7]}" if of.code else "")
    return " \u00b7 ".join(filter(None, [*parts, counted(of.runs, "run"), own, *marks, version]))


def curves(
    axes: Axes,
    rows: pd.DataFrame,
    looks: Mapping[str, Look],
    metric: str = "",
    x: str = "t",
    late: pd.DataFrame | None = None,
) -> None:
    """Means with their 95% intervals; grey curves first, so that they lie below, without bands.

    The axis is framed by the `late` rows if these are given, and log if the style says so: with
    gaps where the mean is zero, over at most six decades.
    """
    framing = scaling(rows if late is None else late, looks)
    top, means = framing[["mean", "ci_high"]].max().max(), framing["mean"]
    if scale(metric) == "log":
        log_axes(axes, "y")
        above = {"mean": rows["mean"].where(rows["mean"] > 0.0)}
        rows = rows.assign(ci_low=rows["ci_low"].clip(lower=1e-9), **above)
        if top > 0.0:
            axes.set_ylim(0.5 * max(means[means > 0.0].min(), 1e-6 * top), 2.0 * top)
    else:
        from_zero(axes, top, means.min() if metric in SIGNED else 0.0)
    for policy, look in sorted(looks.items(), key=lambda item: not item[1].muted):
        of, over = rows[rows["policy"] == policy], 1.8 if look.muted else 2.2
        axes.plot(of[x], of["mean"], label=entry(look), zorder=over, **line(look))
        if of["ci_low"].notna().any() and not look.muted and not look.reference:
            ends = (of["ci_low"], of["ci_high"])
            axes.fill_between(of[x], *ends, color=look.colour, alpha=0.18, linewidth=0)
    muted = sum(look.muted for look in looks.values())
    if muted:
        axes.plot([], [], color=GREY_LINE[0], linewidth=0.8, label=counted(muted, "other"))


def scaling(rows: pd.DataFrame, looks: Mapping[str, Look]) -> pd.DataFrame:
    """The rows of the policies that stand out, which scale the axes; grey ones may leave them.

    References are drawn without their bands, which need no room then.
    """
    kept = rows[rows["policy"].isin([policy for policy in looks if not looks[policy].muted])]
    bare = kept["policy"].isin([policy for policy in looks if looks[policy].reference])
    return kept.assign(ci_high=kept["ci_high"].mask(bare))


def line(look: Look) -> dict[str, Any]:
    """A policy's line, as Matplotlib's keywords."""
    thin = {"linewidth": 0.8 if look.muted else 1.2} if look.muted or look.reference else {}
    return {"color": look.colour, "linestyle": (0, look.dashes) if look.dashes else "-"} | thin


def entry(look: Look) -> str:
    """The label in a legend; a blank first, as Matplotlib leaves out what begins with _."""
    return "_nolegend_" if look.muted else f" {wrapped(look.label, 40, 1)}"


def grid(
    count: int,
    columns: int,
    high: float,
    wide: float = PAGE,
    xlabel: str = "",
    ylabel: str = "",
    **shared: Any,
) -> tuple[Figure, np.ndarray]:
    """So many panels in lines `high` inches each, labelled below and at the left."""
    lines = -(-count // columns)
    inches = (width(wide), high * lines)
    figure, panels = plt.subplots(lines, columns, figsize=inches, squeeze=False, **shared)
    plt.setp(panels[-1], xlabel=xlabel)
    plt.setp(panels[:, 0], ylabel=ylabel)
    plt.setp(panels.flat[count:], visible=False)
    return figure, panels


def side_by_side(count: int, height: float) -> tuple[Figure, np.ndarray]:
    """Panels in a row of this height, or one under the other in a column's width."""
    figure, panels = grid(count, *((1, 0.75 * height) if narrow() else (count, height)))
    return figure, panels.ravel()


def no_data(axes: Axes, text: str) -> None:
    axes.text(0.5, 0.5, text, transform=axes.transAxes, ha="center", va="center", color=FAINT[0])


def plain_numbers(axes: Axes, bins: int = 5) -> None:
    """Numbers in full on both axes, and no more ticks than they have room for."""
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(NUMBER)
        if axis.get_scale() == "linear":
            long = axis is axes.xaxis and abs(axes.get_xlim()[1]) >= 1e6
            axis.set_major_locator(MaxNLocator(3 if long else bins, steps=NICE))


class OneThree(LogLocator):
    """Ticks at 1, 3, 10, 30, ...; over more than three decades at powers of ten."""

    def tick_values(self, vmin: float, vmax: float) -> Sequence[float]:
        few = np.log10(max(vmax, 1e-300) / max(vmin, 1e-300)) <= 3.0
        self.set_params(subs=(1.0, 3.0) if few else (1.0,))
        return super().tick_values(vmin, vmax)


def log_axes(axes: Axes, which: str, ticks: int = 6) -> None:
    """Log axes with plain numbers: 10,000 is read faster than a power, and drawn faster too."""
    for name in which:
        axes.set(**{f"{name}scale": "log"})
        axis = getattr(axes, f"{name}axis")
        axis.set_major_locator(OneThree(numticks=ticks))
        axis.set_minor_locator(NullLocator())
        axis.set_major_formatter(NUMBER)


def over_rounds(axes: Axes, last: float, default: str = "linear", first: float = 1.0) -> None:
    """The axis of rounds up to the last: from zero, or on a log axis from `first`."""
    if scale("round", default) == "log":
        room = axes.get_position().width * axes.figure.bbox.width / axes.figure.dpi
        log_axes(axes, "x", 6 if room > size(1.9) else 4)
        axes.set_xlim(min(first, 0.5 * last), last)
    else:
        axes.set_xlim(0, last)


def from_zero(axes: Axes, top: float, lowest: float = 0.0) -> None:
    """From a little below zero up, so that a curve on zero does not hide behind the axis."""
    top = top if np.isfinite(top) and top > 0.0 else 1.0
    axes.set_ylim(np.fmin(-0.02 * top, 1.1 * lowest), 1.05 * top)


def padded(values: np.ndarray, share: float = 0.05) -> tuple[float, float]:
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    pad = share * (high - low) or 0.05
    return low - pad, high + pad
