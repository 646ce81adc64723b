"""What figures share: the frame of title and legend, curves with bands, grids, ticks."""

import textwrap
from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, MaxNLocator

from lincon.analysis.results import Results
from lincon.analysis.sweeps import Sweep
from lincon.report import palette
from lincon.report.figures.style import PAGE, chosen, narrow, plt, points, width
from lincon.report.palette import WARNING, Look
from lincon.report.text import banner, one_line

NUMBER = "{x:,.10g}"  # 10,000, never 1e4
SIGNED = ("composite", "shortfall")
Shown = Results | Sweep
_NUMBERS = count()


def looks_of(*shown: Shown) -> dict[str, Look]:
    return palette.looks({p: look for of in shown for p, look in of.policies.items()})


def tag(policy: str, *artists: Artist) -> None:
    """Name artists after a policy: the page highlights it by these ids."""
    for artist in artists:
        artist.set_gid(f"policy-{policy}:{next(_NUMBERS)}")


def wrapped(text: str, letters: int, lines: int = 1) -> str:
    """A label in lines of so many letters; the last is cut where there is more."""
    rows = textwrap.wrap(one_line(text), max(letters, 4))
    if len(rows) > lines:
        rest = " ".join(rows[lines - 1 :])
        rows = [*rows[: lines - 1], f"{rest[: letters - 1].rstrip()}\u2026"]
    return "\n".join(rows)


def in_unit(text: str, unit: str) -> str:
    return f"{text}, {unit}" if unit else text


def per_play(text: str, results: Results) -> str:
    """An average with its unit: `cost per play, EUR`, `cost per 1,000 requests, USD`."""
    per, play = results.arms.per, "request" if results.arms.kinds else "play"
    return in_unit(f"{text} per {play if per == 1 else f'{per:,} {play}s'}", results.unit)


def framed(
    figure: Figure, finding: str, shown: Sequence[Shown], legend: Sequence[Any] = ()
) -> Figure:
    """Put title and legend above the axes; the figure grows by their height.

    The figure's label holds the finding for the metadata of its files. The id of a title says how
    high it is: the page, which states it as text, cuts it off.
    """
    figure.set_label(one_line(finding))
    inches, big = figure.get_figwidth(), 1.125 * points()
    heads = [(finding, plt.rcParams["text.color"])] if chosen().title else []
    heads += [(text, WARNING)] if (text := banner(of.problem for of in shown)) else []
    # A letter takes 0.0085 inches per point, a handle and gaps 0.5 inches: one line, or columns.
    wide = [0.5 + 0.0085 * points() * len(handle.get_label()) for handle in legend]
    columns = len(legend) if sum(wide) <= inches else max(1, int(inches / max(wide)))
    titles = [(wrapped(text, int(inches * 116 / big), 3), ink) for text, ink in heads]
    tall = [1.3 * big * (text.count("\n") + 1) for text, _ in titles]
    above = 7 + sum(tall) + -(-len(legend) // max(columns, 1)) * points() * 1.5
    high = 72.0 * figure.get_figheight() + above
    figure.set_figheight(high / 72.0)
    engine: Any = figure.get_layout_engine()
    engine.set(rect=(0, 0, 1, 1 - above / high))
    top = high - 4
    for (text, ink), height in zip(titles, tall, strict=True):
        style: dict[str, Any] = {"size": big, "weight": "bold", "color": ink, "va": "top"}
        style |= {"gid": f"head-{height:.3f}", "in_layout": False}
        figure.text(0.008, top / high, text, **style)
        top -= height
    if legend:
        where: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (0.0, (top + 2) / high)}
        drawn = figure.legend(handles=legend, ncols=columns, borderaxespad=0.3, **where)
        drawn.set_in_layout(False)
        entries = zip(legend, drawn.legend_handles, drawn.get_texts(), strict=True)
        for handle, drawing, written in entries:
            if policy := str(handle.get_gid() or "").removeprefix("policy-").rpartition(":")[0]:
                tag(policy, drawing, written)  # type: ignore[arg-type]
    return figure


def curves(
    axes: Axes,
    rows: pd.DataFrame,
    looks: Mapping[str, Look],
    metric: str = "",
    x: str = "t",
    late: pd.DataFrame | None = None,
) -> None:
    """Means with their 95% intervals; the `late` rows, if there are any, scale the axis.

    References are thin lines without bands.
    """
    references = [policy for policy in looks if looks[policy].reference]
    framing = rows if late is None else late
    ends = framing["ci_high"].mask(framing["policy"].isin(references))
    top = np.fmax(framing["mean"].max(), ends.max())
    top = top if np.isfinite(top) and top > 0.0 else 1.0
    # A little below zero, so that a curve on zero does not hide behind the axis.
    lowest = 1.1 * framing["mean"].min() if metric in SIGNED else 0.0
    axes.set_ylim(np.fmin(-0.02 * top, lowest), 1.05 * top)
    for policy, look in looks.items():
        own = rows[rows["policy"] == policy]
        if own["mean"].isna().all():
            continue
        tag(policy, *axes.plot(own[x], own["mean"], zorder=2.2, **line(look)))
        if own["ci_low"].notna().any() and not look.reference:
            tints: dict[str, Any] = {"color": look.colour, "alpha": 0.16, "linewidth": 0}
            tag(policy, axes.fill_between(own[x], own["ci_low"], own["ci_high"], **tints))


def line(look: Look) -> dict[str, Any]:
    """A policy's line, as Matplotlib's keywords."""
    thin = {"linewidth": 0.8} if look.reference else {}
    return {"color": look.colour, "linestyle": (0, look.dashes) if look.dashes else "-"} | thin


def names(looks: Mapping[str, Look]) -> list[Line2D]:
    """A legend of policies; a blank first, as Matplotlib leaves out what begins with _."""
    handles = []
    for policy, look in looks.items():
        handles.append(Line2D([], [], label=f" {wrapped(look.label, 40)}", **line(look)))
        tag(policy, handles[-1])
    return handles


def mark(shape: str, colour: str, label: str) -> Line2D:
    """A legend's entry for a mark."""
    style: dict[str, Any] = {"linestyle": "none", "ms": 5, "mew": 0, "color": colour}
    return Line2D([], [], marker=shape, label=label, **style)


def grid(
    count: int, columns: int, high: float, wide: float = PAGE, **shared: Any
) -> tuple[Figure, np.ndarray]:
    """So many panels in lines of `high` inches; under each other in a column's width."""
    columns = 1 if narrow() else columns
    lines, high = -(-count // columns), 0.75 * high if narrow() else high
    shared |= {"figsize": (width(wide), high * lines), "squeeze": False}
    figure, panels = plt.subplots(lines, columns, **shared)
    plt.setp(panels.flat[count:], visible=False)
    return figure, panels


def plain_numbers(axes: Axes, across: int = 5, up: int = 5) -> None:
    """Round numbers, written in full, and no more than there is room for."""
    long = abs(axes.get_xlim()[1]) >= 1e6
    for axis, bins in ((axes.xaxis, 3 if long else across), (axes.yaxis, up)):
        axis.set_major_formatter(NUMBER)
        if axis.get_scale() == "linear":
            axis.set_major_locator(MaxNLocator(bins, steps=[1, 2, 2.5, 5, 10]))


def root_axis(axes: Axes, which: str, top: float) -> None:
    """A square-root axis from zero, with ticks at 0 and at 1, 2 and 5 times powers of ten."""
    axis = getattr(axes, f"{which}axis")
    functions = (lambda x: np.sqrt(np.maximum(x, 0.0)), np.square)
    getattr(axes, f"set_{which}scale")("function", functions=functions)
    decades = 10.0 ** np.arange(np.floor(np.log10(top)) - 2.0, np.ceil(np.log10(top)) + 1.0)
    ticks = np.outer(decades, [1.0, 2.0, 5.0]).ravel()
    axis.set_major_locator(FixedLocator([0.0, *ticks[(ticks >= top / 60.0) & (ticks <= top)]]))
    axis.set_major_formatter(NUMBER)


def padded(values: Any, share: float = 0.05) -> tuple[float, float]:
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    pad = share * (high - low) or 0.05
    return low - pad, high + pad
