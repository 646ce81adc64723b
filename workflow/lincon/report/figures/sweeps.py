"""Over the points of a sweep: curves over one value, maps over two."""

from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lincon.analysis.inference import paired_t
from lincon.analysis.league import scores
from lincon.analysis.sweeps import Sweep
from lincon.report.figures import parts
from lincon.report.figures.style import PAGE, plt, width
from lincon.report.palette import FAINT, WARNING
from lincon.report.text import counted
from lincon.report.words import bounds, dearest, label

AXES = {"eta": "\u03b7", "horizon": "horizon T", "snr": "mean SNR (dB)"}
# Inches that a number of a map needs in its cell, across and up.
ROOM, HIGH = 0.24, 0.12
# A swept value that grows this many times is drawn on a log axis.
DECADES = 50.0
Grid: TypeAlias = pd.DataFrame  # second axis x first axis


def sweep(swept: Sweep) -> Figure | None:
    """Regret, violation and joint regret at T over one swept value, one panel each."""
    if len(swept.axes) != 1 or swept.best.empty:
        return None
    (axis,), looks, bound = swept.axes, parts.looks_of(swept), dearest(swept.problem)
    shown = {
        "regret": parts.in_unit("regret at T", swept.last.unit),
        f"violation_{bound.j}": f"violation at T, {'events' if bound.floor else bound.name}",
        "joint": parts.in_unit("joint regret at T", swept.last.unit),
    }
    figure, grid = parts.grid(len(shown), len(shown), 2.1)
    marks: list[Any] = []
    for axes, (metric, text) in zip(grid.flat, shown.items(), strict=True):
        rows = swept.rows(metric).sort_values(axis)
        factor = 1.0 if metric.startswith("violation") else swept.last.scale
        rows = rows.assign(**factor * rows[["mean", "ci_low", "ci_high"]])
        parts.curves(axes, rows, looks, metric, axis)
        axes.set(xlabel=_axis(swept, axis), ylabel=text)
        marks = _mark_states(axes, swept.states, axis)
        parts.plain_numbers(axes, 4)
    return parts.framed(figure, _leader(swept), [swept], [*parts.names(looks), *marks])


def _mark_states(axes: Axes, states: pd.DataFrame, axis: str) -> list[Any]:
    """On the axis itself: crosses where the goal is infeasible, rings where nothing binds."""
    values = states[axis].to_numpy(dtype=float)
    axes.set_xlim(*parts.padded(values))
    if 0.0 < DECADES * values.min() < values.max():
        axes.set_xscale("log")
        axes.set_xlim(*np.exp(parts.padded(np.log(values))))
    feasible, binding = (states[name].astype(bool) for name in ("feasible", "binding"))
    style: dict[str, Any] = {"transform": axes.get_xaxis_transform(), "clip_on": False}
    style |= {"ms": 5, "mfc": "white", "zorder": 5, "linestyle": "none"}
    kinds = (("infeasible", ~feasible, "x", WARNING),
             ("does not bind", feasible & ~binding, "o", FAINT))  # fmt: skip
    return [
        line
        for text, at, mark, colour in kinds
        if at.any()
        for line in axes.plot(values[at], 0 * values[at], mark, label=text, color=colour, **style)
    ]


def maps(swept: Sweep) -> Figure | None:
    """Joint regret over two swept values: that of the second policy minus that of the first."""
    looks = [policy for policy, look in parts.looks_of(swept).items() if not look.reference]
    if len(swept.axes) != 2 or len(looks) < 2 or swept.best.empty:
        return None
    gap, low, high = _differences(swept, looks[0], looks[1])
    unsure = (low <= 0.0) & (high >= 0.0)
    first, second = (parts.wrapped(label(swept, policy), 22) for policy in looks[:2])
    figure, axes = plt.subplots(figsize=(width(0.8 * PAGE), 3.0))
    axes.set(xlabel=_axis(swept, swept.axes[0]), ylabel=_axis(swept, swept.axes[1]))
    every = gap.abs().stack()
    most, largest = every.quantile(0.98), every.max()
    # One cell with several times the difference of all others would leave these in the dark.
    top = most if 0.0 < 1.5 * most < largest else largest
    scale: dict[str, Any] = {"vmin": -top, "vmax": top, "cmap": "RdBu_r", "shading": "nearest"}
    mesh = axes.pcolormesh(_places(gap.columns), _places(gap.index), gap, **scale)
    _cells(axes, mesh, gap, unsure)
    what = parts.in_unit(f"joint regret at T: {second} minus {first}", swept.last.unit)
    beyond = "neither" if top == largest else "both"
    bar = figure.colorbar(mesh, ax=axes, label=what, format=parts.NUMBER, extend=beyond)
    bar.outline.set_visible(False)
    counts = [int((low > 0.0).to_numpy().sum()), int((high < 0.0).to_numpy().sum())]
    one, other = (first, second) if counts[0] >= counts[1] else (second, first)
    text = f"{swept.title}: {one} has significantly less joint regret than {other} at {max(counts)}"
    points = counted(int(gap.count().sum()), "feasible point")
    return parts.framed(figure, f"{text} of {points}", [swept])


def _cells(axes: Axes, mesh: Any, gap: Grid, unsure: Grid) -> None:
    """The number in each cell where there is room, a cross where there is none; the ticks."""
    axes.grid(False)
    across, up = _places(gap.columns), _places(gap.index)
    room = (axes.figure.get_figwidth() - 1.4) / len(across)  # type: ignore[union-attr]
    numbered = room >= ROOM and 2.7 / len(up) >= HIGH
    style: dict[str, Any] = {"fontsize": "small" if room > 1.6 * ROOM else "xx-small"}
    style |= {"ha": "center", "va": "center"}
    for (y, x), value in np.ndenumerate(gap.to_numpy(dtype=float)):
        if np.isnan(value):
            axes.plot(across[x], up[y], "x", color=WARNING, ms=5)
        elif numbered:
            red, green, blue, _ = mesh.to_rgba(value)
            # Not quite black and white, which the page replaces in the dark.
            ink = "#010101" if 0.299 * red + 0.587 * green + 0.114 * blue > 0.55 else "#fefefe"
            text = f"({two_digits(value)})" if unsure.iloc[y, x] else two_digits(value)
            axes.text(float(across[x]), float(up[y]), text, color=ink, **style)
    parts.plain_numbers(axes)
    for values, ticks in ((gap.columns, axes.set_xticks), (gap.index, axes.set_yticks)):
        if not _even(values):
            step = -(-len(values) // 8)
            ticks(range(0, len(values), step), [f"{x:,.4g}" for x in values[::step]])


def _even(values: pd.Index) -> bool:
    """Whether swept values stand at equal distances: an axis of them has round ticks."""
    return bool(np.allclose(np.diff(values, 2), 0.0, atol=1e-6 * np.ptp(values)))


def _places(values: pd.Index) -> np.ndarray:
    """Where cells are: at their values, or side by side where these are not evenly spaced."""
    return values.to_numpy(float) if _even(values) else np.arange(len(values), dtype=float)


def _differences(swept: Sweep, first: str, second: str) -> list[Grid]:
    """Second minus first, over paired runs, with the ends of its 95% interval: three grids."""
    rows = []
    for place, cell in zip(swept.places, swept.cells, strict=True):
        ids = {name: policy for policy, name in place["policies"].items()}
        by_run = scores(cell.outcomes, cell.problem)
        gap = swept.last.scale * (by_run[ids[second]] - by_run[ids[first]])
        gap = gap if cell.problem.feasible else gap * np.nan
        rows.append((*place["coordinates"].values(), *paired_t(gap.to_numpy())[:3]))
    across, down = swept.axes
    frame = pd.DataFrame(rows, columns=[across, down, *range(3)])
    return [frame.pivot(index=down, columns=across, values=x) for x in range(3)]


def two_digits(x: float) -> str:
    """Two significant digits, whole from 10 on: what a cell of a map has room for."""
    near = float(f"{x:.2g}")
    return (f"{near:,.0f}" if abs(near) >= 10.0 else f"{near:g}").replace("-", "\u2212")


def _axis(swept: Sweep, axis: str) -> str:
    """A swept value in words; a constraint with its sense: `correct \u2265`."""
    sense = {bound.name: f" {bound.sign}" for bound in bounds(swept.problem) if not bound.floor}
    return AXES.get(axis, axis.replace(".", ", parameter ")) + sense.get(axis, "")


def _leader(swept: Sweep) -> str:
    """The policy that is best at the most points, kept constraints first."""
    best = swept.best["policy"].value_counts()
    name = parts.wrapped(label(swept, str(best.index[0])), 32)
    points = counted(len(swept.best), "feasible point")
    return f"{swept.title}: {name} leads at {best.iloc[0]} of {points}"
