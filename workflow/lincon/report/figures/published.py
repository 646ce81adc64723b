"""Runs that somebody published, under ours: one column per policy, one row per metric."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lincon.analysis.comparison import Comparison
from lincon.analysis.results import Results
from lincon.report.figures import parts
from lincon.report.figures.style import PAGE, plt, width
from lincon.report.palette import HUES, Look
from lincon.report.view import PANELS

THEIRS = "#444444"
METRICS = ("regret", "violation_0", "reward", "ratio")


def published(results: Results, comparison: Comparison) -> Figure:
    """Their runs, mean and standard deviation in grey; our mean and its interval on top."""
    looks, policies = parts.looks_of(results), list(comparison.theirs)
    metrics = [m for m in METRICS if m in comparison.theirs[policies[0]]]
    figure, grid = plt.subplots(
        len(metrics), len(policies), figsize=(width(PAGE), 0.3 + 1.6 * len(metrics)),
        sharey="row", squeeze=False,
    )  # fmt: skip
    for line, metric in zip(grid, metrics, strict=True):
        name, label = PANELS[metric.split("_")[0]]
        for axes, policy in zip(line, policies, strict=True):
            _theirs(axes, comparison, policy, metric)
            _ours(axes, results, policy, metric, looks[policy])
            axes.set_title(f"{name}, {parts.wrapped(results.labels[policy], 30, 1)}")
            parts.over_rounds(axes, comparison.t[-1])
        line[0].set_ylabel(label)
        _frame(line[0], comparison, metric, policies)
        for axes in line:
            parts.plain_numbers(axes)
    for axes in grid[-1]:
        axes.set_xlabel("round t")
    ours, theirs = comparison.runs
    text = f"our {ours} runs beside the authors' {theirs}, realised rewards and events"
    return parts.finish(figure, results, text, grid[0, 0])


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
    colour = HUES[0][0] if look.muted else look.colour
    label = f" our {results.runs} runs: mean, 95% interval"
    axes.plot(rows["t"], rows["mean"], color=colour, label=label, zorder=2.4)
    ends = (rows["ci_low"], rows["ci_high"])
    axes.fill_between(rows["t"], *ends, color=colour, alpha=0.25, linewidth=0)


def _frame(axes: Axes, comparison: Comparison, metric: str, policies: list[str]) -> None:
    """From zero up; the ratio without its first rounds, where it divides by almost nothing."""
    late = comparison.t > (0.05 * comparison.t[-1] if metric == "ratio" else 0)
    tops = [comparison.rows(p, metric)[late][["ours", "theirs"]].max().max() for p in policies]
    if metric != "ratio":
        tops += [float(comparison.theirs[policy][metric].max()) for policy in policies]
    parts.from_zero(axes, float(np.nanmax([0.0, *tops])))
