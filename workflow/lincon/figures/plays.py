"""Lemma 2: each suboptimal arm's mean plays at T against log T / d(mu_i, xi_i)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lincon.analysis.results import Results
from lincon.figures import drawing, scales
from lincon.figures.arms import RASTER
from lincon.figures.drawing import PAGE, Look
from lincon.figures.of_results import finish, looks_of
from lincon.figures.theory import NO_OPTIMUM

MOST = 12  # panels; more policies are in the league and in the table of plays


def plays(results: Results) -> Figure:
    looks = looks_of(results)
    shown = _shown(results)
    columns = min(len(shown), 4 if len(shown) > 3 else 3)
    if drawing.narrow():
        columns = min(len(shown), 2)
    lines = -(-len(shown) // columns)
    height = 3.2 if lines == 1 else 0.9 + 1.55 * lines
    figure, panels = drawing.plt.subplots(
        lines,
        columns,
        figsize=(drawing.width(PAGE), height),
        sharex=True,
        sharey=True,
        squeeze=False,
    )
    for policy, axes in zip(shown, panels.flat, strict=False):
        look = looks[policy]
        axes.set_title(
            drawing.shortened(look.label, int(70 * drawing.width(PAGE) / PAGE) // columns),
            color=_colour(look),
            fontsize=drawing.size(8),
        )
        mean = results.plays.loc[results.plays["policy"] == policy, "plays"].to_numpy()
        _panel(axes, mean, results.theory, _colour(look), results.horizon, columns)
    for axes in panels.flat[len(shown) :]:
        axes.set_visible(False)
    figure.supylabel("mean plays at T", fontsize=drawing.size(8))
    for axes in panels[-1]:
        axes.set_xlabel("log T / d(μᵢ, ξᵢ)")
    text = results.title
    if len(shown) < len(results.policies):
        text += f" (the first {len(shown)} of {len(results.policies)} policies of the league)"
    return finish(figure, results, text)


def _shown(results: Results) -> list[str]:
    """In the order of the legend; of too many, the best of the league."""
    present = set(results.plays["policy"])
    policies = [policy for policy in results.policies if policy in present]
    if len(policies) <= MOST:
        return policies
    best = [p for p in results.league["policy"] if p in present][:MOST]
    return [policy for policy in policies if policy in best]


def _colour(look: Look) -> str:
    return "#666666" if look.muted else look.colour


def _panel(
    axes: Axes, mean: np.ndarray, table: pd.DataFrame, colour: str, horizon: int, columns: int
) -> None:
    scales.log_axes(axes, "xy")
    suboptimal = ~table["optimal"].to_numpy() & table["gap"].notna().to_numpy()
    reached = suboptimal & np.isfinite(table["kl"].to_numpy())
    if not reached.any():
        defined = table["gap"].notna().any()
        drawing.no_data(axes, "no suboptimal arm has ξ < 1" if defined else NO_OPTIMUM)
        return
    predicted = np.log(horizon) / table["kl"].to_numpy()[reached]
    many = int(reached.sum()) > RASTER
    axes.plot(
        predicted, mean[reached], "," if many else "o", color=colour, markersize=2.6, alpha=0.6,
        mew=0, rasterized=many,
    )  # fmt: skip
    ends = np.array([predicted.min(), predicted.max()])
    axes.plot(ends, ends, color="black", linewidth=0.8)
    below = np.mean(mean[reached] <= predicted)
    lines = [f"{below:.0%} of {reached.sum():,} arms at or below y = x"]
    idle = suboptimal & ~reached
    if idle.any():
        lines.append(f"{idle.sum():,} arms with ξ ≥ 1: {mean[idle].mean():.1f} plays each")
    if columns > 3 or drawing.narrow():
        lines = [f"{below:.0%} at or below y = x"]
    style: dict[str, Any] = {
        "fontsize": drawing.size(7 if columns < 4 else 6),
        "ha": "left",
        "va": "top",
    }
    axes.text(0.03, 0.98, "\n".join(lines), transform=axes.transAxes, **style)
    axes.margins(y=0.18)
