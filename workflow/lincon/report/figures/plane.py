"""The plane of regret against shortfall: one cross per policy, the kept half shaded."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lincon.analysis.results import Results
from lincon.report import view
from lincon.report.figures import labels, parts
from lincon.report.figures.style import PAGE, plt, size, width
from lincon.report.palette import FAINT, INK, KEPT, KEPT_SIDE, Look
from lincon.report.sentences import finding

CROSSES = "crosses: 95% intervals of the means"


def plane(results: Results) -> Figure:
    """Signed regret against signed shortfall at T (realised), with 95% intervals of the means."""
    figure, axes = plt.subplots(figsize=(width(0.8 * PAGE), 3.0))
    if not results.problem.feasible:
        parts.no_data(axes, "not defined: the bound is infeasible")
        return parts.finish(figure, results, finding(results))
    looks = parts.looks_of(results)
    named = draw_plane(axes, results, looks)
    kept = int((results.ranked["group"] == "kept").sum())
    text = f"{view.keepers(results, kept)} in 80% of the runs"
    parts.finish(figure, results, text, marks=CROSSES)
    name_points(axes, named, looks)
    return figure


def draw_plane(axes: Axes, results: Results, looks: Mapping[str, Look]) -> pd.DataFrame:
    """Around the policies that stand out; grey ones may lie beyond. Returns those inside."""
    bound = view.dearest(results.problem)
    points = view.plane(results, bound)
    named = points[[not looks[policy].muted for policy in points.index]]
    regret = parts.in_unit("regret at T", results.unit)
    axes.set(xlabel=f"{bound.shortfall} at T", ylabel=regret)
    for axis, limits in (("x", axes.set_xlim), ("y", axes.set_ylim)):
        ends = named[[axis, f"{axis}_low", f"{axis}_high"]].to_numpy(dtype=float)
        limits(*parts.padded(np.append(ends, 0.0), 0.14))
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
    parts.plain_numbers(axes)
    return points[inside]


def name_points(axes: Axes, points: pd.DataFrame, looks: Mapping[str, Look]) -> None:
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
    shown = [looks[policy] for policy in points.index]
    names = [(parts.wrapped(look.label, 22), look.ink, look.muted) for look in shown]
    labels.around(axes, points[["x", "y"]].to_numpy(dtype=float), names, np.concatenate(lines))
