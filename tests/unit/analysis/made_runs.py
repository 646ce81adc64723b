"""Runs made by hand, and the real arms, for the tests of what is computed from runs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import yaml

from lincon.data import arms
from lincon.data.arms import Arms
from lincon.data.sources import extract
from lincon.problem.record import Problem
from lincon.problem.solve import solve_problem

CONFIG = Path(__file__).parents[3] / "config" / "config.yaml"


def small() -> Arms:
    """At eta = 0.5 the first two, half and half: r* = 0.175, lambda* = 0.25, nu* = 0.3."""
    return arms.make([0.4, 0.6, 0.5], [0.5, 0.25, 0.3], dataset="small")


def small_problem() -> Problem:
    return solve_problem(small(), 0.5)


def standin_arms(name: str) -> Arms:
    entry = yaml.safe_load(CONFIG.read_text(encoding="utf-8"))["datasets"][name]
    return extract(entry | {"data": "standin"}, [], name)


def real_arms(folder: Path) -> dict[str, tuple[Arms, float]]:
    """Data set -> its arms, read as the default config says, and the paper's eta."""
    datasets = yaml.safe_load(CONFIG.read_text(encoding="utf-8"))["datasets"]
    made = {}
    for name, eta in (("coupon", 0.25), ("edx", 0.5)):
        raw = [folder / file for file in datasets[name]["files"]]
        made[name] = extract(datasets[name], raw, name), eta
    return made


def runs_of(
    t: np.ndarray,
    reward_rate: np.ndarray,
    event_rate: np.ndarray,
    suboptimal: np.ndarray | None = None,
) -> pd.DataFrame:
    """One run a rate: reward and events grow linearly, on either basis alike."""
    frames = []
    for run, (reward, events) in enumerate(zip(reward_rate, event_rate, strict=True)):
        plays = np.zeros(t.size) if suboptimal is None else suboptimal[run]
        columns = {"run": run, "t": t, "infeasible": 0, "suboptimal": plays, "leading": t // 2}
        for prefix in ("", "expected_"):
            columns |= {f"{prefix}reward": reward * t, f"{prefix}events": events * t}
        frames.append(pd.DataFrame(columns))
    return pd.concat(frames)
