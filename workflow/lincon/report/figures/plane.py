"""The plane of regret against shortfall: one cross per policy, the kept half shaded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lincon import __version__
from lincon.analysis.results import Results
from lincon.report import view
from lincon.report.figures import labels, scales
from lincon.report.figures.parts import finish, framed, looks_of, no_data, side_by_side, wrapped
from lincon.report.figures.style import PAGE, cycle, plt, size, width
from lincon.report.palette import COLOURED, FAINT, INK, KEPT, KEPT_SIDE, Look
from lincon.report.palette import looks as dress
from lincon.report.sentences import finding
from lincon.report.words import promise

CROSSES = "crosses: 95% intervals of the means"


def plane(results: Results) -> Figure:
    """Signed regret against signed shortfall at T (realised), with 95% intervals of the means."""
    figure, axes = plt.subplots(figsize=(width(0.8 * PAGE), 3.0))
    if not results.problem.feasible:
        no_data(axes, "not defined: the bound is infeasible")
        return finish(figure, results, finding(results))
    looks = looks_of(results)
    named = _view(axes, results, looks)
    finish(figure, results, _finding(results), marks=CROSSES)
    figure.draw_without_rendering()  # names need the layout
    _names(axes, named, looks)
    return figure


def planes(many: Sequence[Results]) -> Figure:
    """The planes of several experiments side by side, near the policies that stand out in any."""
    figure, panels = side_by_side(len(many), 2.9)
    outstanding = [p for one in many for p in view.prominent(one) or one.policies]
    policies = {policy: look for one in many for policy, look in one.policies.items()}
    looks = dress(policies, list(dict.fromkeys(outstanding))[:COLOURED], cycle())
    shown = []
    for axes, results in zip(panels, many, strict=True):
        shown.append((axes, _view(axes, results, looks)))
        bound = view.dearest(results.problem)
        axes.set_title(f"{results.title}, {bound.text}, T = {results.horizon:,}")
    runs = sorted({results.runs for results in many})
    foot = f"{', '.join(map(str, runs))} runs \u00b7 {CROSSES} \u00b7 lincon {__version__}"
    text = "Left of zero the promise is kept; the optimum is at the origin"
    framed(figure, text, many[0].problem, foot)
    figure.draw_without_rendering()
    for axes, named in shown:
        _names(axes, named, looks)
    return figure


def _finding(results: Results) -> str:
    ranked = view.ranked(results)
    kept = int((ranked["group"] == "kept").sum())
    return f"{kept or 'none'} of {len(ranked)} policies keep {promise(results)} (80% of runs)"


def _view(axes: Axes, results: Results, looks: Mapping[str, Look]) -> pd.DataFrame:
    """Around the policies that stand out; grey ones may lie beyond. Returns those inside."""
    bound, unit = view.dearest(results.problem), results.unit_of("regret")
    points = view.plane(results, bound)
    named = points[[not looks[policy].muted for policy in points.index]]
    what = "events short of the floor" if bound.paper else f"{bound.name}: shortfall"
    axes.set(xlabel=f"{what} at T", ylabel=f"regret at T{f', {unit}' if unit else ''}")
    for axis, limits in (("x", axes.set_xlim), ("y", axes.set_ylim)):
        ends = named[[axis, f"{axis}_low", f"{axis}_high"]].to_numpy(dtype=float)
        limits(*scales.padded(np.append(ends, 0.0), 0.14))
    axes.grid(False)
    axes.axvspan(axes.get_xlim()[0], 0.0, color=KEPT_SIDE, zorder=0, linewidth=0)
    axes.text(0.012, 0.985, "kept", transform=axes.transAxes, color=KEPT, size=size(7), va="top")
    axes.axhline(0.0, color=INK[0], linewidth=0.6)
    axes.axvline(0.0, color=INK[0], linewidth=0.6)
    axes.plot(0.0, 0.0, "+", color=INK[0], ms=9, mew=1.0)
    for policy, row in points.iterrows():
        look = looks[str(policy)]
        over = 4 if look.muted else 5
        axes.hlines(row["y"], row["x_low"], row["x_high"], color=look.ink, lw=1.0, zorder=over)
        axes.vlines(row["x"], row["y_low"], row["y_high"], color=look.ink, lw=1.0, zorder=over)
        mark = "D" if look.reference else "o"
        axes.plot(row["x"], row["y"], mark, ms=4.5, color=look.ink, mec="white", mew=0.6,
                  zorder=over)  # fmt: skip
    inside = points["x"].between(*axes.get_xlim()) & points["y"].between(*axes.get_ylim())
    if not inside.all():
        text = f"{(~inside).sum()} more beyond this view"
        axes.set_title(text, loc="right", fontsize=size(7), color=FAINT[0])
    scales.plain_numbers(axes)
    return points[inside]


def _names(axes: Axes, points: pd.DataFrame, looks: Mapping[str, Look]) -> None:
    """Those that stand out first: the others get what room is left."""
    points = points.loc[sorted(points.index, key=lambda policy: looks[policy].muted)]
    kept = axes.transAxes.transform(np.linspace([0.01, 0.96], [0.07, 0.96], 8))
    lines = [
        axes.transData.inverted().transform(kept),
        labels.along(np.zeros(2), np.array(axes.get_ylim())),
        labels.along(np.array(axes.get_xlim()), np.zeros(2)),
    ]
    for _, row in points.dropna().iterrows():
        across, up = (row[[f"{a}_low", f"{a}_high"]].to_numpy(dtype=float) for a in "xy")
        lines += [labels.along(across, np.full(2, row["y"]), 20)]
        lines += [labels.along(np.full(2, row["x"]), up, 20)]
    labels.around(
        axes,
        points[["x", "y"]].to_numpy(dtype=float),
        [wrapped(looks[policy].label, 22) for policy in points.index],
        [looks[policy].ink for policy in points.index],
        np.concatenate(lines),
        [looks[policy].muted for policy in points.index],
    )
