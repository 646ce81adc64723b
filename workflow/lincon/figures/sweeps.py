"""Figures of a sweep: final values against what was swept, and the frontier."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lincon.analysis import tables
from lincon.figures import drawing, scales
from lincon.figures.drawing import PAGE, Look
from lincon.problem.record import Problem, read_problem

METRICS = {
    "regret": "regret at T",
    "violation": "violation at T",
    "composite": "composite regret at T",
}
AXES = {"eta": "\u03b7", "horizon": "horizon T", "snr": "mean SNR (dB)"}
UNREACHABLE, UNBOUND = "#B00020", "#777777"


@dataclass(frozen=True)
class Sweep:
    """Final values (one row a point, policy and metric) and the problem at every point."""

    axes: tuple[str, ...]
    values: pd.DataFrame
    states: pd.DataFrame
    problem: Problem
    runs: int
    code: str = ""


def read(points: Sequence[tuple[str, str, Mapping[str, Any]]], axes: Sequence[str]) -> Sweep:
    """The points of a sweep: the summary and the problem of each, its coordinates and policies."""
    parts, states, codes = [], [], set()
    for path, problem_path, point in points:
        problem = read_problem(problem_path)
        final = tables.final_values(tables.collect([path], [problem], [point["horizon"]]))
        final = final[(final["basis"] == "expected") & final["policy"].isin(point["policies"])]
        final = final.assign(policy=final["policy"].map(point["policies"]), **point["coordinates"])
        parts.append(final)
        codes.add((pq.read_schema(path).metadata or {}).get(b"code", b"").decode())
        flags = {"feasible": problem.feasible, "binding": problem.binds}
        states.append(point["coordinates"] | flags)
    values = pd.concat(parts, ignore_index=True)
    runs = int(values["n_runs"].iloc[0])
    return Sweep(
        tuple(axes),
        values,
        pd.DataFrame(states),
        problem,
        runs,
        "".join(codes) if len(codes) == 1 else "",
    )


def curves(sweep: Sweep, looks: Mapping[str, Look], text: str) -> Figure:
    (axis,) = sweep.axes
    figure, panels = drawing.side_by_side(len(METRICS), 2.7)
    for axes, (metric, label) in zip(panels, METRICS.items(), strict=True):
        rows = sweep.values[sweep.values["metric"] == metric].sort_values(axis)
        log = drawing.scale(metric) == "log"
        drawing.curves(axes, scales.above_zero(rows) if log else rows, looks, axis)
        axes.set(xlabel=axis_label(axis), ylabel=label)
        # From zero, even where the interval of a few runs goes below what can be.
        top = rows[["mean", "ci_high"]].max().max() if len(rows) else 1.0
        scales.from_zero(axes, float(top))
        if len(rows) and rows["mean"].min() < 0.0:
            axes.set_ylim(bottom=1.1 * rows["mean"].min())
        if log:
            scales.from_lowest(axes, rows)
        mark_states(axes, sweep.states, axis)
        scales.plain_numbers(axes, 4)
    return finish(figure, panels[0], sweep, text)


def mark_states(axes: Axes, states: pd.DataFrame, axis: str) -> None:
    """On the axis itself: crosses where eta is out of reach, rings where it does not bind."""
    place: dict[str, Any] = {
        "transform": axes.get_xaxis_transform(),
        "clip_on": False,
        "linestyle": "none",
    }
    unreachable = states.loc[~states["feasible"], axis]
    unbound = states.loc[states["feasible"] & ~states["binding"], axis]
    values = states[axis].to_numpy(dtype=float)
    if drawing.scale("swept") == "log" and values.min() > 0.0:
        scales.log_axes(axes, "x")
        axes.set_xlim(*np.exp(scales.padded(np.log(values))))
    else:
        axes.set_xlim(*scales.padded(values))
    if len(unreachable):
        axes.plot(
            unreachable, np.zeros(len(unreachable)), "x", ms=5, mew=1.4, color=UNREACHABLE,
            label="out of reach", zorder=5, **place,
        )  # fmt: skip
    if len(unbound):
        axes.plot(
            unbound, np.zeros(len(unbound)), "o", ms=4, mfc="white", mec=UNBOUND,
            label="does not bind", zorder=5, **place,
        )  # fmt: skip


def frontier(sweep: Sweep, looks: Mapping[str, Look], text: str) -> Figure:
    """Regret against violation as eta moves, one curve a policy; the ends are labelled by eta."""
    figure, axes = drawing.plt.subplots(figsize=(drawing.width(0.62 * PAGE), 3.2))
    table = sweep.values.pivot_table(index=["policy", "eta"], columns="metric", values="mean")
    for policy, look in looks.items():
        if policy not in table.index or "regret" not in table:
            continue
        rows = table.loc[policy].dropna(subset=["regret", "violation"]).sort_index()
        if rows.empty:
            continue
        axes.plot(
            rows["violation"], rows["regret"], "o", ms=3, ls=look.dashes, color=look.colour,
            label=look.entry,
        )  # fmt: skip
        for eta, offset in zip(rows.index[[0, -1]], ((4, 4), (5, -9)), strict=True):
            axes.annotate(
                f"\u03b7 = {eta:g}", (rows.loc[eta, "violation"], rows.loc[eta, "regret"]),
                textcoords="offset points", xytext=offset, color=look.colour,
                fontsize=drawing.size(6.5),
            )  # fmt: skip
    axes.set(xlabel="violation at T", ylabel="regret at T")
    axes.margins(0.12)
    for way, what in (("x", "violation"), ("y", "regret")):
        if drawing.scale(what) == "log":
            scales.log_axes(axes, way)
    scales.plain_numbers(axes)
    return finish(figure, axes, sweep, text)


def axis_label(axis: str) -> str:
    return AXES.get(axis, axis.replace(".", ", parameter "))


def finish(figure: Figure, axes: Axes | None, sweep: Sweep, text: str) -> Figure:
    """Title, legend of what is labelled in `axes`, and footer."""
    drawing.title(figure, text, sweep.problem)
    if axes is not None and axes.get_legend_handles_labels()[0]:
        drawing.shared_legend(figure, axes)
    horizons = sweep.values["horizon"].unique()
    horizon = int(horizons[0]) if len(horizons) == 1 else None
    drawing.footer(figure, sweep.problem, sweep.runs, horizon, sweep.axes, sweep.code)
    return figure
