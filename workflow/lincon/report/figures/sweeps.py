"""Over the points of a sweep: curves over one value, maps over two."""

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

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
    if len(swept.axes) != 1 or swept.rows("joint").empty:
        return None
    (axis,), looks, bound = swept.axes, parts.looks_of(swept), dearest(swept.problem)
    shown = {
        "regret": parts.in_unit("regret at T", swept.unit),
        f"violation_{bound.j}": f"violation at T, {'events' if bound.floor else bound.name}",
        "joint": parts.in_unit("joint regret at T", swept.unit),
    }
    figure, grid = parts.grid(len(shown), len(shown), 2.1)
    marks: list[Any] = []
    for axes, (metric, text) in zip(grid.flat, shown.items(), strict=True):
        rows = swept.rows(metric).sort_values(axis)
        factor = 1.0 if metric.startswith("violation") else swept.scale
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
    """Joint regret over two swept values: one panel per policy, minus that of the first policy."""
    rows = swept.rows("joint")
    if len(swept.axes) != 2 or rows.empty:
        return None
    looks = [policy for policy, look in parts.looks_of(swept).items() if not look.reference]
    means, halves = {}, {}
    for policy in looks:
        own = rows[rows["policy"] == policy]
        own = own.assign(half=(own["ci_high"] - own["ci_low"]) / 2.0)
        means[policy] = swept.scale * _grid(swept, own, "mean")
        halves[policy] = swept.scale * _grid(swept, own, "half")
    first, *others = looks
    name = parts.wrapped(label(swept, first), 22)
    what = parts.in_unit("joint regret at T", swept.unit)
    if not others:
        return parts.framed(_draw(swept, means, {}, what), f"{swept.title}: {name}", [swept])
    gaps = {policy: means[policy] - means[first] for policy in others}
    # The 95% interval of the difference, from both policies' own, holds zero.
    unsure = {p: gap.abs() <= np.hypot(halves[p], halves[first]) for p, gap in gaps.items()}
    worse = [int(((gap > 0.0) & ~unsure[p]).to_numpy().sum()) for p, gap in gaps.items()]
    figure = _draw(swept, gaps, unsure, f"{what}, minus that of {name}")
    points = counted(len(swept.states), "point")
    beaten = f"{parts.wrapped(label(swept, others[0]), 22)} at {worse[0]} of {points}"
    if len(others) > 1:
        beaten = f"the other policies at {min(worse)} to {max(worse)} of {points}"
    text = f"{swept.title}: {name} has significantly less joint regret than {beaten}"
    return parts.framed(figure, text, [swept])


def _draw(swept: Sweep, shown: Mapping[str, Grid], marked: Mapping[str, Grid], what: str) -> Figure:
    """One panel per grid, all on one colour scale; that of differences is symmetric."""
    every = np.concatenate([grid.to_numpy(float).ravel() for grid in shown.values()])
    every = np.abs(every[np.isfinite(every)])
    most, largest = np.quantile(every, 0.98), every.max()
    # One cell with several times the regret of all others would leave these in the dark.
    high = most if 0.0 < 1.5 * most < largest else largest
    lines, wide = next(iter(shown.values())).shape
    columns = min(len(shown), 2 if wide > 6 or len(shown) == 4 else 3)
    inches, tall = (0.8 * PAGE, 3.0) if len(shown) == 1 else (PAGE, 2.25)
    figure, panels = parts.grid(len(shown), columns, tall, inches, sharex=True, sharey=True)
    plt.setp(panels[-1], xlabel=_axis(swept, swept.axes[0]))
    plt.setp(panels[:, 0], ylabel=_axis(swept, swept.axes[1]))
    colours: dict[str, Any] = {"cmap": "RdBu_r" if marked else "viridis", "shading": "nearest"}
    colours |= {"vmin": -high if marked else 0.0, "vmax": high}
    room = (width(inches) - 1.4) / panels.shape[1] / wide
    numbered = room >= ROOM and (tall - 0.3) / lines >= HIGH
    for axes, (policy, grid) in zip(panels.flat, shown.items(), strict=False):
        axes.set_title(parts.wrapped(label(swept, policy), 22))
        mesh = axes.pcolormesh(_places(grid.columns), _places(grid.index), grid, **colours)
        _cells(axes, mesh, grid, marked.get(policy), "small" if room > 1.6 * ROOM else "xx-small",
               numbered)  # fmt: skip
    beyond = "neither" if high == largest else "both" if marked else "max"
    bar = figure.colorbar(mesh, ax=panels, label=what, format=parts.NUMBER, extend=beyond)
    bar.outline.set_visible(False)
    return figure


def _cells(
    axes: Axes, mesh: Any, grid: Grid, unsure: Grid | None, font: str, numbered: bool
) -> None:
    """The number in each cell where there is room, a cross where there is none; the ticks."""
    axes.grid(False)
    across, up = _places(grid.columns), _places(grid.index)
    for (y, x), value in np.ndenumerate(grid.to_numpy(dtype=float)):
        if np.isnan(value):
            axes.plot(across[x], up[y], "x", color=WARNING, ms=5)
        elif numbered:
            red, green, blue, _ = mesh.to_rgba(value)
            # Not quite black and white, which the page replaces in the dark.
            ink = "#010101" if 0.299 * red + 0.587 * green + 0.114 * blue > 0.55 else "#fefefe"
            text = two_digits(value)
            text = f"({text})" if unsure is not None and unsure.iloc[y, x] else text
            style: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": font}
            axes.text(float(across[x]), float(up[y]), text, color=ink, **style)
    parts.plain_numbers(axes)
    for values, ticks in ((grid.columns, axes.set_xticks), (grid.index, axes.set_yticks)):
        if not _even(values):
            step = -(-len(values) // 8)
            ticks(range(0, len(values), step), [f"{x:,.4g}" for x in values[::step]])


def _even(values: pd.Index) -> bool:
    """Whether swept values stand at equal distances: an axis of them has round ticks."""
    return bool(np.allclose(np.diff(values, 2), 0.0, atol=1e-6 * np.ptp(values)))


def _places(values: pd.Index) -> np.ndarray:
    """Where cells are: at their values, or side by side where these are not evenly spaced."""
    return values.to_numpy(float) if _even(values) else np.arange(len(values), dtype=float)


def _grid(swept: Sweep, rows: pd.DataFrame, values: str) -> Grid:
    """Every point of the sweep, also those without a row."""
    across, down = swept.axes
    every = swept.states[[across, down]]
    every = every.merge(rows[[across, down, values]], how="left", on=[across, down])
    return every.pivot(index=down, columns=across, values=values)


def two_digits(x: float) -> str:
    """Two significant digits, whole from 10 on: what a cell of a map has room for."""
    near = float(f"{x:.2g}")
    return (f"{near:,.0f}" if abs(near) >= 10.0 else f"{near:g}").replace("-", "\u2212")


def _axis(swept: Sweep, axis: str) -> str:
    """A swept value in words; a constraint with its sense: `correct \u2265`."""
    sense = {bound.name: f" {bound.sign}" for bound in bounds(swept.problem) if not bound.floor}
    return AXES.get(axis, axis.replace(".", ", parameter ")) + sense.get(axis, "")


def _leader(swept: Sweep) -> str:
    """Who is best at the most points, kept constraints first."""
    best = swept.points.loc[swept.points["best"], "policy"].value_counts()
    if best.empty:
        return f"{swept.title}: infeasible at every point"
    name = parts.wrapped(label(swept, str(best.index[0])), 32)
    return f"{swept.title}: {name} leads at {best.iloc[0]} of {counted(len(swept.states), 'point')}"
