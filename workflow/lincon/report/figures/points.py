"""Points in a plane: policies by regret and shortfall, arms by what they give, plays by theory."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lincon.analysis.results import Results
from lincon.report import view
from lincon.report.figures import labels, parts
from lincon.report.figures.style import PAGE, narrow, plt, size, width
from lincon.report.palette import FAINT, HUES, INK, KEPT, KEPT_SIDE, MISSED, Look
from lincon.report.sentences import finding
from lincon.report.text import listed

CROSSES = "crosses: 95% intervals of the means"
OPTIMAL = HUES[0][0]
# More points than this are stored as pixels: a PDF of a million marks has 15 MB.
RASTER = 3_000
MOST = 8  # panels of plays; more policies are in the league and in the table of plays


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
        style: dict[str, Any] = {"color": look.ink, "zorder": 4 if look.muted else 5}
        axes.hlines(row["y"], row["x_low"], row["x_high"], lw=1.0, **style)
        axes.vlines(row["x"], row["y_low"], row["y_high"], lw=1.0, **style)
        mark = "D" if look.reference else "o"
        axes.plot(row["x"], row["y"], mark, ms=4.5, mec="white", mew=0.6, **style)
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


def arms(results: Results) -> Figure:
    """Every arm by what it adds to the dearest constraint, and what it earns or costs.

    With one constraint, also the envelope, which meets the bound at the optimum.
    """
    problem, bound = results.problem, view.dearest(results.problem)
    what, sign = view.counted_in(problem)
    amount = results.theory[f"amount_{bound.j}"].to_numpy(dtype=float)
    reward = results.scale * results.theory["reward"].to_numpy(dtype=float)
    points = np.column_stack([amount, sign * reward])
    figure, axes = plt.subplots(figsize=(width(0.8 * PAGE), 3.0))
    style: dict[str, Any] = {"ms": 2.6, "mew": 0, "color": FAINT[0]}
    _scatter(axes, *points.T, alpha=0.55, **style)
    axes.plot([], [], "o", label="arms", **style)
    axes.set_xlabel("event probability \u03bc" if bound.paper else f"{bound.name} per play")
    axes.set_ylabel(parts.in_unit(f"expected {what} per play", results.unit))
    axes.set_xlim(*parts.padded(np.append(amount, bound.bound), 0.08))
    axes.set_ylim(*parts.padded(points[:, 1], 0.12))
    lines = [labels.along(np.full(2, bound.bound), np.array(axes.get_ylim()), 40)]
    if len(view.bounds(problem)) == 1 and bound.at_least:
        hull = points[envelope(amount, reward)]
        axes.plot(*hull.T, color=KEPT, lw=1, label="envelope", zorder=3)
        lines.append(labels.along(*hull.T))
    axes.axvline(bound.bound, color=MISSED, lw=1, ls="--", label=bound.text, zorder=1)
    edge = axes.get_xlim()[1 if bound.at_least else 0]
    axes.axvspan(bound.bound, edge, color=KEPT_SIDE, zorder=0, linewidth=0)
    support, shares = list(problem.support), np.array(problem.shares)
    if support:
        style = {"zorder": 4, "linestyle": "none", "ms": 5, "mec": OPTIMAL}
        axes.plot(*points[support].T, "o", mfc=OPTIMAL, label="optimal arms", **style)
        mixed = shares @ points[support]
        axes.plot(*mixed, "D", mfc="white", mew=1.3, label="their mixture", **style)
    parts.plain_numbers(axes)
    parts.finish(figure, results, _optimum(results), axes)
    names = [
        (parts.wrapped(f"{results.arms.label[arm]} ({share:.0%})", 28), OPTIMAL, False)
        for arm, share in zip(support, shares, strict=True)
    ]
    labels.around(axes, points[support], names, np.concatenate(lines))
    return figure


def _scatter(axes: Axes, x: np.ndarray, y: np.ndarray, **style: Any) -> None:
    many = len(x) > RASTER
    axes.plot(x, y, "," if many else "o", rasterized=many, **style)


def _optimum(results: Results) -> str:
    problem = results.problem
    if not problem.feasible:
        return finding(results)
    shares = [f"{share:.0%}" for share in problem.shares]
    if len(shares) == 1:
        return "one arm is optimal" + ("" if problem.binds else ", and no constraint binds")
    return f"the optimum mixes {len(shares)} arms, {listed(shares)}"


def envelope(mean: np.ndarray, reward: np.ndarray) -> np.ndarray:
    """The arms on the upper concave envelope, from the largest mean to the best reward."""
    order = np.lexsort((-reward, -mean))
    before = np.maximum.accumulate(np.append(-np.inf, reward[order][:-1]))
    hull: list[int] = []
    # Only arms that earn more than all of larger means: among a million these are few.
    for arm in order[reward[order] > before]:
        while len(hull) > 1:
            run, rise = (x[[hull[-1], arm]] - x[hull[-2]] for x in (mean, reward))
            if rise[0] * run[1] < rise[1] * run[0]:
                break
            hull.pop()  # below the line from the one before it to this arm
        hull.append(int(arm))
    return np.array(hull)


def plays(results: Results) -> Figure:
    """Lemma 2: each suboptimal arm's mean plays at T against log T / d(mu_i, xi_i)."""
    looks, shown = parts.looks_of(results), _most(results)
    columns = min(len(shown), 2 if narrow() else 4 if len(shown) > 3 else 3)
    figure, panels = parts.grid(
        len(shown), columns, 2.5 if len(shown) <= columns else 1.6, sharex=True, sharey=True,
        xlabel="log T / d(\u03bc\u1d62, \u03be\u1d62)", ylabel="mean plays at T",
    )  # fmt: skip
    below = []
    for policy, axes in zip(shown, panels.flat, strict=False):
        look = looks[policy]
        letters = int(64 * width() / PAGE) // columns
        axes.set_title(parts.wrapped(look.label, letters), color=look.ink, fontsize=size(7.5))
        mean = results.plays.loc[results.plays["policy"] == policy, "plays"].to_numpy()
        below.append(_panel(axes, mean, results.theory, look.ink, results.horizon))
    name = parts.name_of(results, shown[0])
    text = f"{name} plays {below[0]:.0%} of suboptimal arms at most log T / d times"
    if not np.isfinite(below[0]):
        text = "no suboptimal arm has a number of plays to hold against"
    return parts.finish(figure, results, text)


def _most(results: Results) -> list[str]:
    """In the order of the legend; of too many, the best of the league."""
    present = [p for p in results.policies if p in set(results.plays["policy"])]
    policies = [p for p in present if p not in results.references] or present
    first = [*(view.prominent(results) or ()), *results.league["policy"]]
    best = [policy for policy in dict.fromkeys(first) if policy in policies][:MOST]
    return [policy for policy in policies if policy in best]


def _panel(axes: Axes, mean: np.ndarray, table: pd.DataFrame, colour: str, horizon: int) -> float:
    """Draw the suboptimal arms; returns the share of them at or below the line."""
    parts.log_axes(axes, "x", 3)
    parts.log_axes(axes, "y")
    kl = table["kl"].where(~table["optimal"] & table["gap"].notna()).to_numpy(dtype=float)
    reached = np.isfinite(kl) & (kl > 0.0)
    if not reached.any():
        defined = table["gap"].notna().any()
        parts.no_data(axes, "no arm needs exploring" if defined else "not defined")
        return float("nan")
    predicted = np.log(horizon) / kl[reached]
    _scatter(axes, predicted, mean[reached], color=colour, ms=2.6, alpha=0.6, mew=0)
    ends = np.array([predicted.min(), predicted.max()])
    axes.plot(ends, ends, color=INK[0], linewidth=0.8)
    below = float(np.mean(mean[reached] <= predicted))
    text, where = f"{below:.0%} at or below", axes.transAxes
    axes.text(0.03, 0.98, text, transform=where, size=size(6.5), va="top")
    axes.margins(y=0.18)
    return below
