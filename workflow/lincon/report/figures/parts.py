"""What figures share: the frame of title and footer, curves with bands, grids, ticks."""

import textwrap
from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, LogLocator, MaxNLocator, NullLocator

from lincon import __version__
from lincon.analysis.results import Results
from lincon.analysis.sweeps import Sweep
from lincon.report import palette, view
from lincon.report.figures.style import PAGE, chosen, cycle, narrow, plt, scale, size, width
from lincon.report.palette import FAINT, WARNING, Look
from lincon.report.text import SOURCES, banner, counted, one_line

TITLE, FOOTER = 9.0, 6.0  # points
NUMBER = "{x:,.10g}"  # 10,000, never 1e4
NICE = [1, 2, 2.5, 5, 10]
SIGNED = ("composite", "shortfall")
BANDS = "bands: pointwise 95% intervals of the mean"
PREFIX, HEAD, FOOT = "policy-", "head-", "foot-"
Shown = Results | Sweep
_NUMBERS = count()


def looks_of(*shown: Shown) -> dict[str, Look]:
    return palette.looks({p: look for of in shown for p, look in of.policies.items()}, cycle())


def tag(artist: Artist, policy: str) -> Artist:
    """Name the artist after its policy: the page highlights a policy by these ids."""
    artist.set_gid(f"{PREFIX}{policy}:{next(_NUMBERS)}")
    return artist


def wrapped(text: str, letters: int, lines: int = 2) -> str:
    """A label in lines of so many letters; the last is cut where there is more."""
    rows = textwrap.wrap(one_line(text), max(letters, 4))
    if len(rows) > lines:
        rest = " ".join(rows[lines - 1 :])
        rows = [*rows[: lines - 1], f"{rest[: letters - 1].rstrip()}\u2026"]
    return "\n".join(rows)


def short(look: Look, letters: int = 30) -> str:
    """A policy's label on one line."""
    return wrapped(look.label, letters, 1)


def in_unit(text: str, unit: str) -> str:
    return f"{text}, {unit}" if unit else text


def framed(
    figure: Figure,
    finding: str,
    shown: Sequence[Shown],
    legend: Sequence[Any] = (),
    marks: str = "",
) -> Figure:
    """Put title and legend above the axes and the footer below, and make the figure that much
    higher.

    Panels keep their height, as all heights are known before anything is laid out. The figure's
    label holds finding, marks and footer for the metadata of its files. The ids of title and footer
    say how high their lines are: the page, which states both as text, cuts them off.
    """
    inches = figure.get_figwidth()
    letters = int(inches * 12.9 * TITLE / size(TITLE))
    texts = [(finding, plt.rcParams["text.color"])] if chosen().title else []
    texts += [(warning, WARNING)] if (warning := banner(of.problem for of in shown)) else []
    head = [(line, ink) for t, ink in texts for line in wrapped(t, letters, 3).split("\n")]
    shaded = any(isinstance(c, PolyCollection) for axes in figure.axes for c in axes.collections)
    foot = provenance(shown, marks, BANDS if shaded else "")
    feet = textwrap.wrap(foot, int(inches * 23 * FOOTER / size(FOOTER))) if chosen().footer else []
    figure.set_label("\n".join(map(one_line, (finding, marks, foot))))
    points = FontProperties(size=plt.rcParams["legend.fontsize"]).get_size_in_points()
    # A letter takes 0.0085 inches per point, a handle and gaps 0.5 inches: one line, or columns.
    wide = [0.5 + 0.0085 * points * len(handle.get_label()) for handle in legend]
    columns = len(legend) if sum(wide) <= inches else max(1, int(inches / max(wide)))
    title_line, foot_line = size(TITLE) * 1.3, size(FOOTER) * 1.35
    above = 4 + len(head) * title_line + -(-len(legend) // max(columns, 1)) * points * 1.55
    below = 3 + len(feet) * foot_line
    high = 72.0 * figure.get_figheight() + above + below
    figure.set_figheight(high / 72.0)
    engine: Any = figure.get_layout_engine()
    engine.set(rect=(0, below / high, 1, 1 - (above + below) / high))
    style: dict[str, Any] = {"va": "top", "ha": "left", "in_layout": False}
    for i, (line, ink) in enumerate(head):
        place = 1 - (4 + i * title_line) / high
        bold: dict[str, Any] = style | {"size": size(TITLE), "weight": "bold"}
        figure.text(0.008, place, line, color=ink, gid=f"{HEAD}{title_line:.3f}", **bold)
    for i, line in enumerate(feet):
        place = (below - i * foot_line) / high
        small: dict[str, Any] = style | {"size": size(FOOTER), "color": FAINT}
        figure.text(0.008, place, line, gid=f"{FOOT}{foot_line:.3f}", **small)
    if legend:
        where = 1 - (2 + len(head) * title_line) / high
        style = {"loc": "upper left", "bbox_to_anchor": (0.0, where), "borderaxespad": 0.3}
        drawn = figure.legend(handles=legend, ncols=columns, **style)
        drawn.set_in_layout(False)
        for handle, of, text in zip(legend, drawn.legend_handles, drawn.get_texts(), strict=True):
            if str(handle.get_gid()).startswith(PREFIX):
                policy = handle.get_gid().removeprefix(PREFIX).split(":")[0]
                tag(of, policy)  # type: ignore[arg-type]
                tag(text, policy)
    return figure


def provenance(shown: Sequence[Shown], *marks: str) -> str:
    """Where a picture came from, in the picture itself: it outlives its folder."""
    known, codes = [], {of.code[:7] for of in shown}
    for of in shown:
        problem, bounds = of.problem, view.bounds(of.problem)
        swept, horizon = (of.axes, of.rounds) if isinstance(of, Sweep) else ((), of.horizon)
        parts = [problem.dataset.split("@")[0], SOURCES.get(problem.source, problem.source)]
        parts += [f"N = {problem.arms:,}"]
        if not set(swept) & {"eta", *(bound.name for bound in bounds)}:
            parts += [bound.text for bound in bounds]
        parts += [f"T = {horizon:,}"] if "horizon" not in swept else []
        # Every run has its own problem, and a picture shows one.
        parts += ["posterior means"] if "posterior means" in problem.note else []
        known.append(", ".join(parts))
    runs = ", ".join(dict.fromkeys(counted(of.runs, "run") for of in shown))
    version = f"lincon {__version__}" + (f", code {codes.pop()}" if len(codes) == 1 else "")
    return " \u00b7 ".join(filter(None, [*known, runs, *marks, version]))


def curves(
    axes: Axes,
    rows: pd.DataFrame,
    looks: Mapping[str, Look],
    metric: str = "",
    x: str = "t",
    late: pd.DataFrame | None = None,
) -> None:
    """Means with their 95% intervals; the `late` rows, if there are any, scale the axis.

    References are thin lines without bands. A log axis has gaps where a mean is zero, and at most
    six decades.
    """
    references = [policy for policy in looks if looks[policy].reference]
    framing = rows if late is None else late
    framing = framing.assign(ci_high=framing["ci_high"].mask(framing["policy"].isin(references)))
    top, means = framing[["mean", "ci_high"]].max().max(), framing["mean"]
    if scale(metric) == "log":
        log_axes(axes, "y")
        above = rows["mean"].where(rows["mean"] > 0.0)
        rows = rows.assign(ci_low=rows["ci_low"].clip(lower=1e-9), mean=above)
        if top > 0.0:
            axes.set_ylim(0.5 * max(means[means > 0.0].min(), 1e-6 * top), 2.0 * top)
    else:
        from_zero(axes, top, means.min() if metric in SIGNED else 0.0)
    for policy, look in looks.items():
        own = rows[rows["policy"] == policy]
        if own["mean"].isna().all():
            continue
        tag(axes.plot(own[x], own["mean"], zorder=2.2, **line(look))[0], policy)
        if own["ci_low"].notna().any() and not look.reference:
            ends = (own["ci_low"], own["ci_high"])
            band = axes.fill_between(own[x], *ends, color=look.colour, alpha=0.16, linewidth=0)
            tag(band, policy)


def line(look: Look) -> dict[str, Any]:
    """A policy's line, as Matplotlib's keywords."""
    thin = {"linewidth": 0.8} if look.reference else {}
    return {"color": look.colour, "linestyle": (0, look.dashes) if look.dashes else "-"} | thin


def names(looks: Mapping[str, Look]) -> list[Line2D]:
    """A legend of policies; a blank first, as Matplotlib leaves out what begins with _."""
    handles = [Line2D([], [], label=f" {short(o, 40)}", **line(o)) for o in looks.values()]
    for policy, handle in zip(looks, handles, strict=True):
        tag(handle, policy)
    return handles


def grid(
    count: int, columns: int, high: float, wide: float = PAGE, **shared: Any
) -> tuple[Figure, np.ndarray]:
    """So many panels in lines of `high` inches."""
    lines = -(-count // columns)
    figure, panels = plt.subplots(
        lines, columns, figsize=(width(wide), high * lines), squeeze=False, **shared
    )
    plt.setp(panels.flat[count:], visible=False)
    return figure, panels


def side_by_side(count: int, high: float) -> tuple[Figure, np.ndarray]:
    """Panels in a row of this height, or under each other in a column's width."""
    figure, panels = grid(count, *((1, 0.75 * high) if narrow() else (count, high)))
    return figure, panels.ravel()


def plain_numbers(axes: Axes, bins: int = 5) -> None:
    """Round numbers, written in full, and no more than there is room for."""
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
    """Log axes with plain numbers: 10,000 is read faster than a power."""
    for name in which:
        axes.set(**{f"{name}scale": "log"})
        axis = getattr(axes, f"{name}axis")
        axis.set_major_locator(OneThree(numticks=ticks))
        axis.set_minor_locator(NullLocator())
        axis.set_major_formatter(NUMBER)


def root_axis(axes: Axes, which: str, top: float) -> None:
    """A square-root axis from zero, with ticks at 0 and at 1, 2 and 5 times powers of ten."""
    axis = getattr(axes, f"{which}axis")
    getattr(axes, f"set_{which}scale")("function", functions=(_root, np.square))
    decades = 10.0 ** np.arange(np.floor(np.log10(top)) - 2.0, np.ceil(np.log10(top)) + 1.0)
    ticks = np.outer(decades, [1.0, 2.0, 5.0]).ravel()
    ticks = ticks[(ticks >= top / 60.0) & (ticks <= top)]
    axis.set_major_locator(FixedLocator([0.0, *ticks]))
    axis.set_major_formatter(NUMBER)


def _root(x: np.ndarray) -> np.ndarray:
    return np.sqrt(np.maximum(x, 0.0))


def over_rounds(axes: Axes, last: float) -> None:
    """The axis of rounds up to the last."""
    if scale("round") == "log":
        log_axes(axes, "x", 4)
        axes.set_xlim(1, last)
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
