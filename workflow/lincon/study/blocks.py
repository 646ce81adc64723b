"""How many runs a job plays: so many that its rounds outlast its start."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from lincon.data import kinds

# A job takes about 0.7 s to start; with rounds of some seconds that is lost in them.
SECONDS = 4.0
# Microseconds per round, measured (docs/engine.md): by engine, and for each arm.
ROUND = {"lazy": (1.0, 0.0002), "dense": (1.0, 0.08), "python": (30.0, 0.1)}
# How many arms a dataset has where only its file knows.
ARMS = 1000


def arms_of(entry: Mapping[str, Any]) -> int:
    """How many arms a dataset has, or a guess that few exceed where only its file knows."""
    return kinds.arms_of(entry) or ARMS


def run_seconds(engine: str, arms: int, horizon: int) -> float:
    """About how long the rounds of one run take."""
    base, per_arm = ROUND[engine]
    return 1e-6 * (base + per_arm * arms) * horizon


def runs_per_job(config: Mapping[str, Any], engine: str, arms: int, horizon: int) -> int:
    asked = config["runs_per_job"]
    if asked != "auto":
        return int(asked)
    return max(1, min(math.ceil(SECONDS / run_seconds(engine, arms, horizon)), config["runs"]))


def minutes(jobs: Iterable[tuple[str, int, int, int]]) -> int:
    """Three times what a laptop needs for (engine, arms, horizon, runs), in whole minutes."""
    seconds = sum(run_seconds(engine, arms, T) * runs for engine, arms, T, runs in jobs)
    return math.ceil((10 + 3 * seconds) / 60)
