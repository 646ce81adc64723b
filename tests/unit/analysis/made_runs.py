"""Runs and arms made by hand, for the tests of what is computed from runs."""

import numpy as np
import pandas as pd

from lincon.analysis.measures import summarise
from lincon.analysis.results import Results, analyse
from lincon.data import arms
from lincon.data.arms import Arms
from lincon.problem.goal import Goal
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


def plays_of(policies: list[str], count: int) -> pd.DataFrame:
    """Every arm as often, in the columns of read_plays."""
    frames = [pd.DataFrame({"policy": p, "arm": range(count), "plays": 10.0}) for p in policies]
    return pd.concat(frames, ignore_index=True)


def results_of(
    policies: dict[str, tuple[np.ndarray, np.ndarray]],
    *,
    made: Arms | None = None,
    goal: Goal | float = 0.5,
    references: tuple[str, ...] = (),
    labels: dict[str, str] | None = None,
    title: str = "Small arms",
    rounds: tuple[int, ...] = (1, 100, 1_000),
    **settings: object,
) -> Results:
    """Results of runs with these rates of reward and events, one of each per run."""
    made = small() if made is None else made
    problem = solve_problem(made, goal)
    t = np.array(rounds)
    runs = max(np.size(rate) for pair in policies.values() for rate in pair)
    series = {
        name: runs_of(t, *(np.broadcast_to(rate, runs) for rate in pair))
        for name, pair in policies.items()
    }
    looks = {
        name: {"label": (labels or {}).get(name, name)}
        | ({"reference": True} if name in references else {})
        for name in policies
    }
    summary = summarise(series, made, problem)
    plays = plays_of(list(policies), len(made))
    told = (series, plays, made, problem, summary, {"seed": "1"})
    return analyse(looks, *told, name="made", title=title, **settings)  # type: ignore[arg-type]
