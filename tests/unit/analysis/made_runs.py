"""Runs and arms made by hand, for the tests of what is computed from runs."""

import numpy as np
import pandas as pd

from lincon.data import arms
from lincon.data.arms import Arms
from lincon.problem.record import Problem
from lincon.problem.solve import solve_problem


def small() -> Arms:
    """At eta = 0.5 the first two, half and half: r* = 0.175, lambda* = 0.25, nu* = 0.3."""
    return arms.make([0.4, 0.6, 0.5], [0.5, 0.25, 0.3], dataset="small")


def small_problem() -> Problem:
    return solve_problem(small(), 0.5)


def runs_of(
    t: np.ndarray,
    reward_rate: np.ndarray,
    event_rate: np.ndarray,
    suboptimal: np.ndarray | None = None,
    eta: float = 0.5,
) -> pd.DataFrame:
    """One run per rate: reward and events grow linearly, on either basis alike."""
    frames = []
    for run, (reward, events) in enumerate(zip(reward_rate, event_rate, strict=True)):
        plays = np.zeros(t.size) if suboptimal is None else suboptimal[run]
        short = np.maximum(eta * t - events * t, 0.0)
        columns = {"run": run, "t": t, "infeasible": 0, "suboptimal": plays}
        for prefix in ("", "expected_"):
            columns |= {f"{prefix}reward": reward * t, f"{prefix}events": events * t}
            columns |= {f"{prefix}amount_0": events * t}
        columns["worst_shortfall_0"] = np.maximum.accumulate(short)
        columns["last_shortfall_0"] = np.maximum.accumulate(np.where(short > 1e-9, t, 0))
        frames.append(pd.DataFrame(columns))
    return pd.concat(frames)
