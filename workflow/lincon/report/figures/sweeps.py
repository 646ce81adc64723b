"""Over many problems: curves, frontier and maps of a sweep, and who wins where in an atlas."""

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.image import AxesImage

from lincon import __version__
from lincon.analysis.atlas import Atlas
from lincon.analysis.league import KEPT
from lincon.analysis.sweeps import Sweep
from lincon.report import view
from lincon.report.figures import parts
from lincon.report.figures.style import PAGE, narrow, plt, scale, size, width
from lincon.report.palette import FAINT, INK, WARNING, families
from lincon.report.text import number

AXES = {"eta": "\u03b7", "horizon": "horizon T", "snr": "mean SNR (dB)"}
# Inches that a number of five characters needs in a cell, across and up.
ROOM, HIGH = 0.27, 0.12
NOBODY = "#EFEFEF"
Grids = Mapping[str, pd.DataFrame]


def sweep(swept: Sweep) -> Figure:
    """Regret, violation and joint regret at T, one panel each."""
    (axis,), dressed = swept.axes, parts.looks_of(swept)
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
        parts.curves(axes, rows, dressed, name, axis)
        axes.set(xlabel=_axis(swept, axis), ylabel=label)
        _mark_states(axes, swept.states, axis)
        parts.plain_numbers(axes, 4)
    return parts.finish(figure, swept, _leader(swept), panels[0])


def _mark_states(axes: Axes, states: pd.DataFrame, axis: str) -> None:
    """On the axis itself: crosses where the goal is infeasible, rings where nothing binds."""
    values = states[axis].to_numpy(dtype=float)
    if scale("swept") == "log" and values.min() > 0.0:
        parts.log_axes(axes, "x")
        axes.set_xlim(*np.exp(parts.padded(np.log(values))))
    else:
        axes.set_xlim(*parts.padded(values))
    feasible, binding = (states[name].to_numpy(dtype=bool) for name in ("feasible", "binding"))
    style: dict[str, Any] = {"transform": axes.get_xaxis_transform(), "clip_on": False}
    style |= {"ms": 5, "mfc": "white", "zorder": 5}
    for label, where, mark, colour, edge in (
        ("infeasible", ~feasible, "x", WARNING, 1.4),
        ("does not bind", feasible & ~binding, "o", FAINT[0], 1.0),
    ):
        if where.any():
            zero = np.zeros(where.sum())
            axes.plot(values[where], zero, mark, label=label, color=colour, mew=edge, **style)


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
    for policy, look in parts.looks_of(swept).items():
        own = points[points["policy"] == policy].dropna(subset=[f"rate_{bound.j}", "reward"])
        if look.reference or look.muted or own.empty:
            continue
        x, y = own[f"rate_{bound.j}"], sign * swept.scale * own["reward"] / swept.rounds
        axes.plot(x, y, **parts.line(look) | {"linewidth": 0.8}, label=parts.entry(look))
        kept = (own["group"] == KEPT).to_numpy()
        for marked, face in ((kept, look.colour), (~kept, "white")):
            axes.plot(x[marked], y[marked], "o", ms=4, mfc=face, mec=look.colour, mew=1.0)
    axes.set_xlabel(f"{bound.amount}, as asked for (optimum) and as reached")
    axes.set_ylabel(parts.in_unit(f"{what} per round", swept.unit))
    axes.margins(0.06)
    parts.plain_numbers(axes)
    kept = int((points["group"] == KEPT).sum())
    text = f"the bound was kept at {kept} of {len(points)} points (filled)"
    return parts.finish(figure, swept, text, axes)


def _frontier_map(swept: Sweep) -> Figure:
    """Over two bounds: what the optimum earns (or costs) per round, and what each policy did."""
    what, sign = view.counted_in(swept.problem)
    points = swept.points.assign(
        each=sign * swept.scale * swept.points["reward"] / swept.rounds,
        missed=(swept.points["group"] != KEPT).astype(float),
    )
    best = sign * swept.scale * swept.states["optimum"]
    maps = {"Optimum": _grid(swept, swept.states.assign(best=best), "best")}
    missed = {"Optimum": 0.0 * maps["Optimum"]}
    for policy, look in parts.looks_of(swept).items():
        own, name = points[points["policy"] == policy], parts.wrapped(look.label, 22, 1)
        if len(own):
            maps[name], missed[name] = (_grid(swept, own, c) for c in ("each", "missed"))
    label = parts.in_unit(f"{what} per round", swept.unit)
    text = "what the bounds cost, in brackets where they were not kept"
    return parts.finish(_maps(swept, maps, "viridis", label, missed), swept, text)


def heat_map(swept: Sweep) -> Figure:
    """Joint regret over two swept values; of two policies one map, of how much they differ."""
    rows = swept.rows("joint")
    rows = rows.assign(joint=swept.scale * rows["mean"])
    maps = {
        parts.wrapped(look.label, 22, 1): _grid(swept, rows[rows["policy"] == policy], "joint")
        for policy, look in parts.looks_of(swept).items()
        if not look.reference
    }
    text, what, colours = _leader(swept), "joint regret at T", "viridis"
    if len(maps) == 2:
        first, second = maps
        grid = maps[first] - maps[second]
        better = int((grid < 0.0).to_numpy().sum())
        text = f"{first} has the lower joint regret at {better} of {grid.count().sum()} points"
        what, colours, maps = f"joint regret: {first} minus {second}", "RdBu_r", {"": grid}
    figure = _maps(swept, maps, colours, parts.in_unit(what, swept.unit), {})
    return parts.finish(figure, swept, text)


def _maps(swept: Sweep, maps: Grids, colours: str, label: str, bracketed: Grids) -> Figure:
    """One panel per grid, all on one colour scale; one of differences is the same on both sides."""
    every = pd.concat([grid.stack() for grid in maps.values()])
    differences = colours == "RdBu_r"
    reach = every.abs() if differences else every
    most, largest = reach.quantile(0.98), np.nan_to_num(reach.max(), nan=1.0)
    # One cell with several times the regret of all others would leave these in the dark.
    high = most if 0.0 < 1.5 * most < largest else largest
    low = -high if differences else min(0.0, every.min())
    wide = len(next(iter(maps.values())).columns)
    columns = min(len(maps), 1 if narrow() else 2 if wide > 6 or len(maps) == 4 else 3)
    inches, tall = (0.8 * PAGE, 3.0) if len(maps) == 1 else (PAGE, 2.25)
    across, down = (_axis(swept, axis) for axis in swept.axes)
    figure, panels = parts.grid(
        len(maps), columns, tall, inches, across, down, sharex=True, sharey=True
    )
    for axes, (name, grid) in zip(panels.flat, maps.items(), strict=False):
        axes.set_title(name)
        image = axes.imshow(grid, origin="lower", aspect="auto", cmap=colours, vmin=low, vmax=high)
        _cells(axes, image, grid, (width(inches) - 1.4) / columns, bracketed.get(name, 0.0 * grid))
    beyond = "neither" if high == largest else "both" if differences else "max"
    bar = figure.colorbar(image, ax=panels, label=label, format=parts.NUMBER, extend=beyond)
    bar.outline.set_visible(False)
    return figure


def _grid(swept: Sweep, rows: pd.DataFrame, values: str) -> pd.DataFrame:
    """Every point of the sweep, also those without a row."""
    across, down = swept.axes
    every = swept.states[[across, down]].merge(rows, how="left")
    return every.pivot(index=down, columns=across, values=values)


def _cells(
    axes: Axes, image: AxesImage, grid: pd.DataFrame, inches: float, bracketed: pd.DataFrame
) -> None:
    """The number in each cell where it has room, a cross where there is none; the values swept."""
    axes.grid(False)
    values = grid.to_numpy(dtype=float)
    room = inches / values.shape[1]
    for (y, x), value in np.ndenumerate(values):
        if np.isnan(value):
            axes.plot(x, y, "x", color=WARNING, ms=5)
        elif room >= ROOM and 2.1 / len(values) >= HIGH:
            red, green, blue, _ = image.to_rgba(value)
            bright = 0.299 * red + 0.587 * green + 0.114 * blue > 0.55
            text = f"({number(value)})" if bracketed.iloc[y, x] else number(value)
            ink, points = "black" if bright else "white", size(6 if room < 1.6 * ROOM else 7)
            axes.text(x, y, text, ha="center", va="center", color=ink, fontsize=points)
    for values_of, set_ticks in ((grid.columns, axes.set_xticks), (grid.index, axes.set_yticks)):
        step = -(-len(values_of) // (4 if narrow() else 8))
        set_ticks(range(0, len(values_of), step), [short(x) for x in values_of[::step]])


def short(x: float) -> str:
    """Three figures are enough for a tick; whole numbers stay whole."""
    return f"{x:,.0f}" if x == round(x) else f"{x:,.3g}"


def _axis(swept: Sweep, axis: str) -> str:
    """A swept value in words; on a map a bound with its sense: `correct \u2265`."""
    text = AXES.get(axis, axis.replace(".", ", parameter "))
    sense = {bound.name: bound.sign for bound in view.bounds(swept.problem) if not bound.paper}
    return f"{text} {sense[axis]}" if axis in sense and len(swept.axes) == 2 else text


def _leader(swept: Sweep) -> str:
    """Who is best at the most points, kept constraints first."""
    best = swept.points[swept.points["best"]]["policy"].value_counts()
    if best.empty:
        return "infeasible at every point"
    name = swept.policies[best.index[0]].get("label", best.index[0])
    return f"{name} leads at {best.iloc[0]} of {len(swept.states)} points"


def winners(
    atlas: Atlas, policies: Mapping[str, Mapping[str, Any]], about: Mapping[str, Any]
) -> Figure:
    """Slack against number of arms, one panel per correlation; grey where no policy keeps it.

    `about` has the atlas' title, bound, horizon and runs.
    """
    panels = sorted(atlas.winners["correlation"].unique())
    figure, (grid,) = parts.grid(
        *(len(panels), len(panels), 2.4), sharey=True,
        xlabel="slack above the floor", ylabel="number of arms",
    )  # fmt: skip
    labels = {policy: str(look.get("label", policy)) for policy, look in policies.items()}
    colours, names = families(policies), initials(labels)
    across, up = (sorted(atlas.winners[axis].unique()) for axis in ("slack", "arms"))
    for axes, correlation in zip(grid, panels, strict=True):
        for _, row in atlas.winners[atlas.winners["correlation"] == correlation].iterrows():
            _cell(axes, row, colours, names, across.index(row["slack"]), up.index(row["arms"]))
        axes.set(xlim=(-0.5, len(across) - 0.5), ylim=(-0.5, len(up) - 0.5))
        axes.set_xticks(range(len(across)), [short(x) for x in across])
        axes.set_yticks(range(len(up)), [short(x) for x in up])
        axes.grid(visible=False)
        axes.tick_params(length=0)
        axes.set_title(f"rank correlation {number(correlation)}")
    for policy in atlas.winners.query("group == @KEPT")["policy"].value_counts().index:
        entry = f"{names[policy]}  {labels[policy]}"
        grid[0].plot([], [], "s", ms=7, color=colours[policy], label=entry)
    foot = (
        f"{atlas.problems['problem'].nunique():,} generated problems \u00b7 {about['bound']} "
        f"\u00b7 T = {about['horizon']:,} \u00b7 runs of each policy: {about['runs']:,} "
        f"\u00b7 lincon {__version__}"
    )
    first = atlas.ranks.iloc[0]
    kept = f"keeps the constraint on {first['keeps_on']:.0%} of problems"
    found = f"{labels[first['policy']]} has the lowest mean rank, and {kept}"
    return parts.framed(figure, f"{about['title']}: {found}", None, foot, grid[0])


def initials(labels: Mapping[str, str]) -> dict[str, str]:
    """Policy -> a few letters that stand for its label; the same twice get a number."""
    found: dict[str, str] = {}
    for policy, label in labels.items():
        words = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+|\d+", label)
        short_form = "".join(word[0] for word in words)[:4] or "?"
        same = sum(re.sub(r"\d+$", "", other) == short_form for other in found.values())
        found[policy] = f"{short_form}{same + 1}" if same else short_form
    return found


def _cell(
    axes: Axes, row: pd.Series, colours: Mapping[str, str], names: Mapping[str, str], x: int, y: int
) -> None:
    """A square in the colour of its winner's family, with initials and margin."""
    kept, margin = row["group"] == KEPT, row["margin"]
    colour = colours[row["policy"]] if kept else NOBODY
    axes.add_patch(
        plt.Rectangle((x - 0.5, y - 0.5), 1, 1, facecolor=colour, edgecolor="white", lw=1.0)
    )
    times = "" if np.isnan(margin) else "only" if np.isinf(margin) else f"\u00d7{margin:.2f}"
    times = f"\u00d7{margin:.0f}" if 9.995 <= margin < np.inf else times
    text = f"{names[row['policy']]}\n{times}".strip() if kept else "nobody"
    ink = "white" if kept else FAINT[0]
    axes.text(x, y, text, ha="center", va="center", fontsize=size(6), color=ink)
