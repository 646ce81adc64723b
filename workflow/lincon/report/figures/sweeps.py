"""Figures of a sweep: values at T against one swept quantity or two, and the frontier."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lincon.analysis.sweeps import Sweep
from lincon.report import view
from lincon.report.figures import parts
from lincon.report.figures.style import PAGE, cycle, narrow, plt, scale, size, width
from lincon.report.palette import FAINT, INK, WARNING, Look, looks
from lincon.report.text import number

AXES = {"eta": "\u03b7", "horizon": "horizon T", "snr": "mean SNR (dB)"}
# Inches that a number of five characters needs in a cell, across and up.
ROOM, HIGH = 0.27, 0.12
Grids = Mapping[str, pd.DataFrame]


def sweep(swept: Sweep) -> Figure:
    """Regret, violation and joint regret at T, one panel each."""
    (axis,), dressed = swept.axes, _looks(swept)
    bound = view.dearest(swept.problem)
    shown = {
        "regret": parts.in_unit("regret at T", swept.unit),
        f"violation_{bound.j}": f"violation at T{'' if bound.paper else f': {bound.name}'}",
        "joint": parts.in_unit("joint regret at T", swept.unit),
    }
    figure, panels = parts.side_by_side(len(shown), 2.3)
    for axes, (metric, label) in zip(panels, shown.items(), strict=True):
        name = metric.split("_")[0]
        rows = swept.rows(metric).sort_values(axis)
        if name != "violation":
            rows = rows.assign(**swept.scale * rows[["mean", "ci_low", "ci_high"]])
        log = scale(name) == "log"
        parts.curves(axes, parts.above_zero(rows) if log else rows, dressed, axis)
        axes.set(xlabel=_axis(swept, axis), ylabel=label)
        # From zero, even where the interval of a few runs goes below what can be.
        parts.from_zero(axes, parts.highest(rows, dressed))
        if log:
            parts.from_lowest(axes, rows)
        _mark_states(axes, swept.states, axis)
        parts.plain_numbers(axes, 4)
    return _finish(figure, swept, _leader(swept), panels[0])


def _mark_states(axes: Axes, states: pd.DataFrame, axis: str) -> None:
    """On the axis itself: crosses where the goal is infeasible, rings where nothing binds."""
    values = states[axis].to_numpy(dtype=float)
    if scale("swept") == "log" and values.min() > 0.0:
        parts.log_axes(axes, "x")
        axes.set_xlim(*np.exp(parts.padded(np.log(values))))
    else:
        axes.set_xlim(*parts.padded(values))
    feasible, binding = (states[name].to_numpy(dtype=bool) for name in ("feasible", "binding"))
    place: dict[str, Any] = {"transform": axes.get_xaxis_transform(), "clip_on": False}
    place |= {"ls": "none", "ms": 5, "zorder": 5}
    crosses: dict[str, Any] = {"marker": "x", "color": WARNING, "mew": 1.4}
    rings: dict[str, Any] = {"marker": "o", "mfc": "white", "color": FAINT[0]}
    for label, where, style in (
        ("infeasible", ~feasible, crosses),
        ("does not bind", feasible & ~binding, rings),
    ):
        if where.any():
            axes.plot(values[where], np.zeros(where.sum()), label=label, **style, **place)


def frontier(swept: Sweep) -> Figure:
    """The optimal reward (or cost) per round against the bound, and what each policy reached."""
    if len(swept.axes) == 2:
        return _frontier_map(swept)
    (axis,), bound = swept.axes, view.dearest(swept.problem)
    states = swept.states[swept.states["feasible"].astype(bool)].sort_values(axis)
    what, sign = view.counted_in(swept.problem)
    figure, axes = plt.subplots(figsize=(width(0.8 * PAGE), 3.0))
    best = sign * swept.scale * states["optimum"]
    axes.plot(states[axis], best, color=INK[0], lw=1.2, label=" optimum")
    points = swept.points.sort_values(axis)
    for policy, look in _looks(swept).items():
        own = points[points["policy"] == policy].dropna(subset=[f"rate_{bound.j}", "reward"])
        if look.reference or look.muted or own.empty:
            continue
        x, y = own[f"rate_{bound.j}"], sign * swept.scale * own["reward"] / swept.rounds
        axes.plot(x, y, **parts.line(look) | {"linewidth": 0.8}, label=parts.entry(look))
        kept = (own["group"] == "kept").to_numpy()
        for marked, face in ((kept, look.colour), (~kept, "white")):
            axes.plot(x[marked], y[marked], "o", ms=4, mfc=face, mec=look.colour, mew=1.0)
    axes.set_xlabel(f"{bound.amount}, as asked for (optimum) and as reached")
    axes.set_ylabel(parts.in_unit(f"{what} per round", swept.unit))
    axes.margins(0.06)
    parts.plain_numbers(axes)
    kept = int((points["group"] == "kept").sum())
    text = f"the bound was kept at {kept} of {len(points)} points (filled)"
    return _finish(figure, swept, text, axes)


def _frontier_map(swept: Sweep) -> Figure:
    """Over two bounds: what the optimum earns (or costs) per round, and what each policy did."""
    what, sign = view.counted_in(swept.problem)
    points = swept.points.assign(
        each=sign * swept.scale * swept.points["reward"] / swept.rounds,
        missed=(swept.points["group"] != "kept").astype(float),
    )
    best = sign * swept.scale * swept.states["optimum"]
    maps = {"Optimum": _grid(swept, swept.states.assign(best=best), "best")}
    missed = {"Optimum": 0.0 * maps["Optimum"]}
    for policy, look in _looks(swept).items():
        own, name = points[points["policy"] == policy], parts.wrapped(look.label, 22, 1)
        if len(own):
            maps[name], missed[name] = (_grid(swept, own, c) for c in ("each", "missed"))
    label = parts.in_unit(f"{what} per round", swept.unit)
    figure = _maps(swept, maps, "viridis", label, missed)
    return _finish(figure, swept, "what the bounds cost, in brackets where they were not kept")


def heat_map(swept: Sweep) -> Figure:
    """Joint regret over two swept values; of two policies one map, of how much they differ."""
    rows = swept.rows("joint")
    rows = rows.assign(joint=swept.scale * rows["mean"])
    maps = {
        parts.wrapped(look.label, 22, 1): _grid(swept, rows[rows["policy"] == policy], "joint")
        for policy, look in _looks(swept).items()
        if not look.reference
    }
    text, what, colours = _leader(swept), "joint regret at T", "viridis"
    if len(maps) == 2:
        first, second = maps
        grid = maps[first] - maps[second]
        better = int((grid < 0.0).to_numpy().sum())
        text = f"{first} has the lower joint regret at {better} of {grid.count().sum()} points"
        what, colours, maps = f"joint regret: {first} minus {second}", "RdBu_r", {"": grid}
    return _finish(_maps(swept, maps, colours, parts.in_unit(what, swept.unit)), swept, text)


def _maps(
    swept: Sweep, maps: Grids, colours: str, label: str, bracketed: Grids | None = None
) -> Figure:
    """One panel per grid, all on one colour scale; one of differences is the same on both sides."""
    every = pd.concat([grid.stack() for grid in maps.values()])
    differences = colours == "RdBu_r"
    high = colour_top(every.abs() if differences else every)
    ends = (-high if differences else min(0.0, every.min()), high)
    wide = len(next(iter(maps.values())).columns)
    columns = min(len(maps), 1 if narrow() else 2 if wide > 6 or len(maps) == 4 else 3)
    lines = -(-len(maps) // columns)
    inches = width(0.8 * PAGE if len(maps) == 1 else PAGE)
    figure, panels = plt.subplots(
        lines, columns, squeeze=False, sharex=True, sharey=True,
        figsize=(inches, 3.0 if len(maps) == 1 else 0.3 + 2.1 * lines),
    )  # fmt: skip
    for axes, (name, grid) in zip(panels.flat, maps.items(), strict=False):
        axes.set_title(name)
        marks = bracketed[name] if bracketed else 0.0 * grid
        image = _image(axes, grid, ends, colours, (inches - 1.4) / columns, marks)
    for axes in panels.flat[len(maps) :]:
        axes.set_visible(False)
    across, down = swept.axes
    for axes in panels[-1]:
        axes.set_xlabel(_axis(swept, across))
    for axes in panels[:, 0]:
        axes.set_ylabel(_axis(swept, down))
    most = every.abs().max() if differences else every.max()
    beyond = "neither" if most <= high else "both" if differences else "max"
    bar = figure.colorbar(image, ax=panels, label=label, format=parts.NUMBER, extend=beyond)
    bar.outline.set_visible(False)
    return figure


def colour_top(values: pd.Series) -> float:
    """Where the colours of a map end: at the largest value, unless a few stand far out.

    One cell with several times the regret of all others would leave these in the dark.
    """
    most, largest = values.dropna().quantile(0.98), values.max()
    return float(np.nan_to_num(most if 0.0 < 1.5 * most < largest else largest, nan=1.0))


def _grid(swept: Sweep, rows: pd.DataFrame, values: str) -> pd.DataFrame:
    across, down = swept.axes
    grid = rows.pivot_table(index=down, columns=across, values=values)
    return grid.reindex(
        index=sorted(swept.states[down].unique()), columns=sorted(swept.states[across].unique())
    )


def _image(
    axes: Axes, grid: pd.DataFrame, ends: tuple[float, float], colours: str, inches: float,
    bracketed: pd.DataFrame,
) -> Any:  # fmt: skip
    """The cells in colour, each with its number where it has room; crosses where there is none."""
    low, high = ends
    image = axes.imshow(grid, origin="lower", aspect="auto", cmap=colours, vmin=low, vmax=high)
    axes.grid(False)
    values = grid.to_numpy(dtype=float)
    room = inches / values.shape[1]
    for (y, x), value in np.ndenumerate(values):
        if np.isnan(value):
            axes.plot(x, y, "x", color=WARNING, ms=5)
        elif room >= ROOM and 2.1 / len(values) >= HIGH:
            red, green, blue, _ = image.cmap(image.norm(value))
            bright = 0.299 * red + 0.587 * green + 0.114 * blue > 0.55
            text = f"({number(value)})" if bracketed.iloc[y, x] else number(value)
            ink, points = "black" if bright else "white", size(6 if room < 1.6 * ROOM else 7)
            axes.text(x, y, text, ha="center", va="center", color=ink, fontsize=points)
    for values_of, set_ticks in ((grid.columns, axes.set_xticks), (grid.index, axes.set_yticks)):
        step = max(1, -(-len(values_of) // (4 if narrow() else 8)))
        set_ticks(range(0, len(values_of), step), [short(x) for x in values_of[::step]])
    return image


def short(x: float) -> str:
    """Three figures are enough for a tick; whole numbers stay whole."""
    return f"{x:,.0f}" if x == round(x) else f"{x:,.3g}"


def _axis(swept: Sweep, axis: str) -> str:
    """A swept value in words; on a map a bound with its sense: `correct \u2265`."""
    text = AXES.get(axis, axis.replace(".", ", parameter "))
    sense = {bound.name: bound.sign for bound in view.bounds(swept.problem) if not bound.paper}
    return f"{text} {sense[axis]}" if axis in sense and len(swept.axes) == 2 else text


def _looks(swept: Sweep) -> dict[str, Look]:
    return looks(swept.policies, None, cycle())


def _leader(swept: Sweep) -> str:
    """Who is best at the most points, kept constraints first."""
    best = swept.points[swept.points["best"]]["policy"].value_counts()
    if best.empty:
        return "infeasible at every point"
    name = swept.policies[best.index[0]].get("label", best.index[0])
    return f"{name} leads at {best.iloc[0]} of {len(swept.states)} points"


def _finish(figure: Figure, swept: Sweep, finding: str, legend: Axes | None = None) -> Figure:
    horizons = swept.values["horizon"].unique()
    horizon = int(horizons[0]) if len(horizons) == 1 else None
    known = (swept.problem, swept.runs, horizon, swept.axes, swept.code)
    foot = parts.provenance(*known, parts.banded(figure))
    return parts.framed(figure, f"{swept.title}: {finding}", swept.problem, foot, legend)
