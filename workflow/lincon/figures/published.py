"""Runs that somebody published, under ours: one column a policy, one row a metric."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lincon.analysis.published import Comparison
from lincon.analysis.results import Results
from lincon.figures import drawing, scales
from lincon.figures.drawing import PAGE, Look
from lincon.figures.of_results import finish, looks_of
from lincon.figures.panels import PANELS

THEIRS = "#444444"
METRICS = ("regret", "violation", "reward", "ratio")


def published(results: Results, comparison: Comparison) -> Figure:
    """Their runs, mean and standard deviation in grey; our mean and its interval on top."""
    looks = looks_of(results)
    policies = list(comparison.theirs)
    metrics = [m for m in METRICS if m in comparison.theirs[policies[0]]]
    figure, axes = drawing.plt.subplots(
        len(metrics),
        len(policies),
        figsize=(drawing.width(PAGE), 1.2 + 1.65 * len(metrics)),
        sharey="row",
        squeeze=False,
    )
    for row, metric in zip(axes, metrics, strict=True):
        for ax, policy in zip(row, policies, strict=True):
            _theirs(ax, comparison, policy, metric)
            _ours(ax, results, policy, metric, looks[policy])
            ax.set_title(f"{PANELS[metric][0]}, {drawing.shortened(results.labels[policy])}")
            scales.over_rounds(ax, comparison.t[-1])
        row[0].set_ylabel(PANELS[metric][1])
        _frame(row[0], comparison, metric, policies)
        for ax in row:
            scales.plain_numbers(ax)
    for ax in axes[-1]:
        ax.set_xlabel("round t")
    title = f"{results.title}, our runs and the authors', realised rewards and events"
    return finish(figure, results, title, axes[0, 0])


def _theirs(axes: Axes, comparison: Comparison, policy: str, metric: str) -> None:
    runs, t = comparison.theirs[policy][metric], comparison.t
    rows = comparison.rows(policy, metric)
    if metric != "ratio":  # a ratio of means: one run has none
        axes.plot(t, runs.T, color=THEIRS, alpha=0.25, linewidth=0.4, zorder=1.6)
        low, high = (rows["theirs"] + sign * rows["theirs_std"] for sign in (-1.0, 1.0))
        axes.fill_between(t, np.maximum(low, 0.0), high, color=THEIRS, alpha=0.12, linewidth=0)
    label = f" the authors' {comparison.runs[1]} runs: each, mean, standard deviation"
    axes.plot(t, rows["theirs"], color=THEIRS, linestyle=(0, (4, 1.5)), label=label, zorder=2.0)


def _ours(axes: Axes, results: Results, policy: str, metric: str, look: Look) -> None:
    rows = results.rows(metric, "realised")
    rows = rows[rows["policy"] == policy]
    colour = drawing.palette()[0] if look.muted else look.colour
    label = f" our {results.runs} runs: mean, 95% interval"
    axes.plot(rows["t"], rows["mean"], color=colour, label=label, zorder=2.4)
    axes.fill_between(
        rows["t"], rows["ci_low"], rows["ci_high"], color=colour, alpha=0.25, linewidth=0
    )


def _frame(axes: Axes, comparison: Comparison, metric: str, policies: list[str]) -> None:
    """From zero up; the ratio without its first rounds, where it divides by almost nothing."""
    late = comparison.t > (0.05 * comparison.t[-1] if metric == "ratio" else 0)
    tops = [0.0]
    for policy in policies:
        rows = comparison.rows(policy, metric)[late]
        tops += [rows["ours"].max(), rows["theirs"].max()]
        if metric != "ratio":
            tops.append(float(comparison.theirs[policy][metric].max()))
    scales.from_zero(axes, float(np.nanmax(tops)))
