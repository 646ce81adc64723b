"""Lemma 2: each suboptimal arm's mean plays at T against log T / d(mu_i, xi_i)."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lincon.analysis.results import Results
from lincon.report import view
from lincon.report.figures import parts
from lincon.report.figures.arms import RASTER
from lincon.report.figures.style import PAGE, narrow, plt, size, width
from lincon.report.palette import INK

MOST = 8  # panels; more policies are in the league and in the table of plays


def plays(results: Results) -> Figure:
    looks, shown = parts.looks_of(results), _shown(results)
    columns = min(len(shown), 2 if narrow() else 4 if len(shown) > 3 else 3)
    lines = -(-len(shown) // columns)
    inches = (width(PAGE), 2.5 if lines == 1 else 1.6 * lines)
    figure, panels = plt.subplots(
        lines, columns, figsize=inches, sharex=True, sharey=True, squeeze=False
    )
    below = {}
    for policy, axes in zip(shown, panels.flat, strict=False):
        look = looks[policy]
        letters = int(64 * width(PAGE) / PAGE) // columns
        axes.set_title(parts.wrapped(look.label, letters), color=look.ink, fontsize=size(7.5))
        mean = results.plays.loc[results.plays["policy"] == policy, "plays"].to_numpy()
        below[policy] = _panel(axes, mean, results.theory, look.ink, results.horizon)
    for axes in panels.flat[len(shown) :]:
        axes.set_visible(False)
    for axes in panels[-1]:
        axes.set_xlabel("log T / d(\u03bc\u1d62, \u03be\u1d62)")
    for axes in panels[:, 0]:
        axes.set_ylabel("mean plays at T")
    return parts.finish(figure, results, _finding(results, below))


def _finding(results: Results, below: dict[str, float]) -> str:
    first = next(iter(below))
    if not np.isfinite(below[first]):
        return "no suboptimal arm has a number of plays to hold against"
    name, share = parts.name_of(results, first), f"{below[first]:.0%}"
    return f"{name} plays {share} of suboptimal arms at most log T / d times"


def _shown(results: Results) -> list[str]:
    """In the order of the legend; of too many, the best of the league."""
    present = set(results.plays["policy"])
    learners = [p for p in results.policies if p in present and p not in results.references]
    policies = learners or [p for p in results.policies if p in present]
    first = [*(view.prominent(results) or ()), *results.league["policy"]]
    best = [policy for policy in dict.fromkeys(first) if policy in policies][:MOST]
    return [policy for policy in policies if policy in best]


def _panel(axes: Axes, mean: np.ndarray, table: pd.DataFrame, colour: str, horizon: int) -> float:
    """Draw the suboptimal arms; returns the share of them at or below the line."""
    parts.log_axes(axes, "x", 3)
    parts.log_axes(axes, "y")
    suboptimal = ~table["optimal"].to_numpy() & table["gap"].notna().to_numpy()
    kl = table["kl"].to_numpy(dtype=float)
    reached = suboptimal & np.isfinite(kl) & (kl > 0.0)
    if not reached.any():
        defined = table["gap"].notna().any()
        parts.no_data(axes, "no arm needs exploring" if defined else "not defined")
        return float("nan")
    predicted = np.log(horizon) / kl[reached]
    many = int(reached.sum()) > RASTER
    axes.plot(
        predicted, mean[reached], "," if many else "o", color=colour, markersize=2.6, alpha=0.6,
        mew=0, rasterized=many,
    )  # fmt: skip
    ends = np.array([predicted.min(), predicted.max()])
    axes.plot(ends, ends, color=INK[0], linewidth=0.8)
    below = float(np.mean(mean[reached] <= predicted))
    style: dict[str, Any] = {"fontsize": size(6.5), "ha": "left", "va": "top"}
    axes.text(0.03, 0.98, f"{below:.0%} at or below", transform=axes.transAxes, **style)
    axes.margins(y=0.18)
    return below
