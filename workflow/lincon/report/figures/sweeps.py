"""Over the points of a sweep: curves, what was reached against what was asked, and maps."""

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lincon.analysis.league import KEPT
from lincon.analysis.sweeps import Sweep
from lincon.report import view
from lincon.report.figures import parts
from lincon.report.figures.style import PAGE, narrow, plt, scale, size, width
from lincon.report.palette import FAINT, INK, WARNING
from lincon.report.text import counted

AXES = {"eta": "\u03b7", "horizon": "horizon T", "snr": "mean SNR (dB)"}
# Inches that a number of a map needs in its cell, across and up.
ROOM, HIGH = 0.24, 0.12
Grid: TypeAlias = pd.DataFrame  # second axis x first axis


def sweep(swept: Sweep) -> Figure | None:
    """Regret, violation and joint regret at T over one swept value, one panel each."""
    if len(swept.axes) != 1 or swept.rows("joint").empty:
        return None
    (axis,), looks = swept.axes, parts.looks_of(swept)
    bound = view.dearest(swept.problem)
    shown = {
        "regret": parts.in_unit("regret at T", swept.unit),
        f"violation_{bound.j}": f"violation at T, {'events' if bound.paper else bound.name}",
        "joint": parts.in_unit("joint regret at T", swept.unit),
    }
    figure, panels = parts.side_by_side(len(shown), 2.1)
    for axes, (metric, label) in zip(panels, shown.items(), strict=True):
        name = metric.split("_")[0]
        rows = swept.rows(metric).sort_values(axis)
        if name != "violation":
            rows = rows.assign(**swept.scale * rows[["mean", "ci_low", "ci_high"]])
        parts.curves(axes, rows, looks, name, axis)
        axes.set(xlabel=_axis(swept, axis), ylabel=label)
        marks = _mark_states(axes, swept.states, axis)
        parts.plain_numbers(axes, 4)
    return parts.framed(figure, _leader(swept), [swept], [*parts.names(looks), *marks])


def _mark_states(axes: Axes, states: pd.DataFrame, axis: str) -> list[Any]:
    """On the axis itself: crosses where the goal is infeasible, rings where nothing binds."""
    values = states[axis].to_numpy(dtype=float)
    if scale("swept") == "log" and values.min() > 0.0:
        parts.log_axes(axes, "x")
        axes.set_xlim(*np.exp(parts.padded(np.log(values))))
    else:
        axes.set_xlim(*parts.padded(values))
    feasible, binding = (states[name].to_numpy(dtype=bool) for name in ("feasible", "binding"))
    style: dict[str, Any] = {"transform": axes.get_xaxis_transform(), "clip_on": False}
    style |= {"ms": 5, "mfc": "white", "zorder": 5, "linestyle": "none"}
    handles = []
    for label, where, mark, colour in (
        ("infeasible", ~feasible, "x", WARNING),
        ("does not bind", feasible & ~binding, "o", FAINT),
    ):
        if where.any():
            zero = np.zeros(where.sum())
            handles += axes.plot(
                values[where], zero, marker=mark, label=label, color=colour, **style
            )
    return handles


def frontier(swept: Sweep) -> Figure | None:
    """The optimal reward (or cost) per round against the threshold, and what policies reached."""
    thresholds = {"eta", *(one.name for one in swept.problem.goal.constraints)}
    if len(swept.axes) != 1 or swept.axes[0] not in thresholds or swept.points.empty:
        return None
    (axis,), bound, looks = swept.axes, view.dearest(swept.problem), parts.looks_of(swept)
    states = swept.states[swept.states["feasible"].astype(bool)].sort_values(axis)
    what, sign = view.counted_in(swept.problem)
    figure, axes = plt.subplots(figsize=(width(0.8 * PAGE), 3.0))
    (best,) = axes.plot(
        states[axis], sign * swept.scale * states["optimum"], color=INK, lw=1.2, label="optimum"
    )
    points = swept.points.merge(states[[axis]]).sort_values(axis)
    for policy, look in looks.items():
        own = points[points["policy"] == policy].dropna(subset=[f"rate_{bound.j}", "reward"])
        if look.reference or own.empty:
            continue
        x, y = own[f"rate_{bound.j}"], sign * swept.scale * own["reward"] / swept.rounds
        parts.tag(axes.plot(x, y, **parts.line(look) | {"linewidth": 0.8})[0], policy)
        kept = (own["group"] == KEPT).to_numpy()
        for among, mark in ((kept, "o"), (~kept, "X")):
            style: dict[str, Any] = {"ms": 5, "mec": "white", "mew": 0.5, "color": look.colour}
            parts.tag(axes.plot(x[among], y[among], mark, **style)[0], policy)
    axes.set_xlabel(f"{bound.amount}: threshold (optimum) and reached (policies)")
    axes.set_ylabel(parts.in_unit(f"{what} per round", swept.unit))
    axes.margins(0.06)
    parts.plain_numbers(axes)
    kept = int((points["group"] == KEPT).sum())
    text = f"{swept.title}: the constraint is kept at {kept} of {len(points)} points"
    learners = {policy: look for policy, look in looks.items() if not look.reference}
    shapes = [
        plt.Line2D([], [], linestyle="none", marker=mark, color=FAINT, ms=5, mew=0, label=label)
        for mark, label in (("o", "kept"), ("X", "missed"))
    ]
    return parts.framed(figure, text, [swept], [best, *parts.names(learners), *shapes])


def maps(swept: Sweep) -> Figure | None:
    """Joint regret over two swept values: of two policies the difference, otherwise a map each."""
    rows = swept.rows("joint")
    if len(swept.axes) != 2 or rows.empty:
        return None
    looks = {p: look for p, look in parts.looks_of(swept).items() if not look.reference}
    means = {policy: _grid(swept, rows[rows["policy"] == policy], "mean") for policy in looks}
    if len(looks) == 2:
        first, second = means
        names = [parts.wrapped(look.label, 22, 1) for look in looks.values()]
        shown, marked = {"": means[first] - means[second]}, {"": _undecided(swept, first, second)}
        better = int(((shown[""] < 0.0) & ~marked[""]).to_numpy().sum())
        text = f"{names[0]} has significantly less joint regret at {better} of {len(swept.states)}"
        text, what, colours = (
            f"{text} points",
            f"joint regret: {names[0]} minus {names[1]}",
            "RdBu_r",
        )
        note = "in brackets: not significantly different"
    else:
        best = swept.points[swept.points["best"]]
        shown = {parts.wrapped(look.label, 22, 1): means[policy] for policy, look in looks.items()}
        marked = {
            parts.wrapped(look.label, 22, 1): _grid(
                swept, best[best["policy"] == policy].assign(best=1.0), "best"
            ).notna()
            for policy, look in looks.items()
        }
        text, what, colours = _leader(swept).split(": ", 1)[1], "joint regret at T", "viridis"
        note = "bold: the best policy at that point"
    shown = {name: swept.scale * grid for name, grid in shown.items()}
    figure = _draw(swept, shown, marked, colours, parts.in_unit(what, swept.unit))
    return parts.framed(figure, f"{swept.title}: {text}", [swept], marks=note)


def _undecided(swept: Sweep, first: str, second: str) -> Grid:
    """Where the 95% interval of the difference, from both policies' own intervals, holds zero."""
    rows, half, mean = swept.rows("joint"), [], []
    for policy in (first, second):
        own = rows[rows["policy"] == policy]
        half.append(_grid(swept, own.assign(half=(own["ci_high"] - own["ci_low"]) / 2.0), "half"))
        mean.append(_grid(swept, own, "mean"))
    return (mean[0] - mean[1]).abs() <= np.hypot(half[0], half[1])


def _draw(
    swept: Sweep, shown: Mapping[str, Grid], marked: Mapping[str, Grid], colours: str, label: str
) -> Figure:
    """One panel per grid, all on one colour scale; that of differences is symmetric."""
    every = pd.concat([grid.stack() for grid in shown.values()])
    differences = colours == "RdBu_r"
    reach = every.abs() if differences else every
    most, largest = reach.quantile(0.98), np.nan_to_num(reach.max(), nan=1.0)
    # One cell with several times the regret of all others would leave these in the dark.
    high = most if 0.0 < 1.5 * most < largest else largest
    low = -high if differences else min(0.0, every.min())
    wide = len(next(iter(shown.values())).columns)
    columns = min(len(shown), 1 if narrow() else 2 if wide > 6 or len(shown) == 4 else 3)
    inches, tall = (0.8 * PAGE, 3.0) if len(shown) == 1 else (PAGE, 2.25)
    figure, panels = parts.grid(len(shown), columns, tall, inches, sharex=True, sharey=True)
    plt.setp(panels[-1], xlabel=_axis(swept, swept.axes[0]))
    plt.setp(panels[:, 0], ylabel=_axis(swept, swept.axes[1]))
    for axes, (name, grid) in zip(panels.flat, shown.items(), strict=False):
        axes.set_title(name)
        edges = (np.arange(size + 1) - 0.5 for size in grid.shape[::-1])
        mesh = axes.pcolormesh(*edges, grid.to_numpy(float), cmap=colours, vmin=low, vmax=high)
        room = (width(inches) - 1.4) / columns / wide
        numbered = room >= ROOM and (tall - 0.3) / len(grid) >= HIGH
        _cells(axes, mesh, grid, marked[name] if numbered else None, room, bracketed=differences)
    beyond = "neither" if high == largest else "both" if differences else "max"
    bar = figure.colorbar(mesh, ax=panels, label=label, format=parts.NUMBER, extend=beyond)
    bar.outline.set_visible(False)
    return figure


def _cells(
    axes: Axes, mesh: Any, grid: Grid, marked: Grid | None, room: float, bracketed: bool
) -> None:
    """The number in each cell where there is room, a cross where there is none; the ticks."""
    axes.grid(False)
    for (y, x), value in np.ndenumerate(grid.to_numpy(dtype=float)):
        if np.isnan(value):
            axes.plot(x, y, "x", color=WARNING, ms=5)
        elif marked is not None:
            red, green, blue, _ = mesh.to_rgba(value)
            # Not quite black and white, which the page replaces in the dark.
            light = 0.299 * red + 0.587 * green + 0.114 * blue > 0.55
            ink = "#010101" if light else "#fefefe"
            style: dict[str, Any] = {"ha": "center", "va": "center", "color": ink}
            style |= {"fontsize": size(5.5 if room < 1.6 * ROOM else 7)}
            text, mark = two_digits(value), marked.iloc[y, x]
            axes.text(
                x,
                y,
                f"({text})" if mark and bracketed else text,
                **style,
                weight=("bold" if mark and not bracketed else "normal"),
            )
    for values, set_ticks in ((grid.columns, axes.set_xticks), (grid.index, axes.set_yticks)):
        step = -(-len(values) // (4 if narrow() else 8))
        set_ticks(range(0, len(values), step), [short(x) for x in values[::step]])


def _grid(swept: Sweep, rows: pd.DataFrame, values: str) -> Grid:
    """Every point of the sweep, also those without a row."""
    across, down = swept.axes
    rows = rows[[across, down, values]]
    every = swept.states[[across, down]].merge(rows, how="left", on=[across, down])
    return every.pivot(index=down, columns=across, values=values)


def two_digits(x: float) -> str:
    """Two significant digits, whole from 10 on: what a cell of a map has room for."""
    rounded = float(f"{x:.2g}")
    text = f"{rounded:,.0f}" if abs(rounded) >= 10.0 else f"{rounded:g}"
    return text.replace("-", "\u2212")


def short(x: float) -> str:
    """Three digits are enough for a tick; whole numbers stay whole."""
    return f"{x:,.0f}" if x == round(x) else f"{x:,.3g}"


def _axis(swept: Sweep, axis: str) -> str:
    """A swept value in words; a constraint with its sense: `correct \u2265`."""
    text = AXES.get(axis, axis.replace(".", ", parameter "))
    sense = {bound.name: bound.sign for bound in view.bounds(swept.problem) if not bound.paper}
    return f"{text} {sense[axis]}" if axis in sense else text


def _leader(swept: Sweep) -> str:
    """Who is best at the most points, kept constraints first."""
    best = swept.points[swept.points["best"]]["policy"].value_counts()
    if best.empty:
        return f"{swept.title}: infeasible at every point"
    name = parts.wrapped(str(swept.policies[best.index[0]].get("label", best.index[0])), 32, 1)
    return f"{swept.title}: {name} leads at {best.iloc[0]} of {counted(len(swept.states), 'point')}"
