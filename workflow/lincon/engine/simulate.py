"""One run of one policy: the engine, the recorder, the two tables that come out.

This module is on the path of every simulation job: it imports NumPy, Arrow and Numba, nothing
slower.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from lincon.data.arms import Arms
from lincon.data.arms import make as make_arms
from lincon.engine.dense import DenseEngine
from lincon.engine.kernels import KERNELS
from lincon.engine.lazy.engine import LazyEngine
from lincon.engine.randomness import choice_stream, luck_key
from lincon.engine.tally import SERIES
from lincon.errors import UserError
from lincon.policies import estimators, selectors
from lincon.policies.registry import Policy, engine_of, make_policy, plays
from lincon.problem.record import Problem
from lincon.problem.solve import solve_problem

ENGINES = {"lazy": LazyEngine, "dense": DenseEngine}


@dataclass(frozen=True)
class Setting:
    """Everything that a run's numbers depend on, besides the arms and the code."""

    dataset: str
    eta: float
    horizon: int
    policy: Policy
    run: int
    seed: int
    points: int = 200
    engine: str = "lazy"


@dataclass(frozen=True)
class Run:
    """The cumulative series at the recorded rounds, and the final counts per arm."""

    series: pa.Table
    plays: pa.Table


def recorded_rounds(horizon: int, points: int) -> np.ndarray:
    """About `points` rounds in 1..horizon, both ends in: half evenly, half log-spaced.

    Even spacing serves the curves over time, log spacing those over log t.
    """
    even = np.linspace(1, horizon, max(points - points // 2, 2))
    log = np.geomspace(1, horizon, max(points // 2, 2))
    return np.unique(np.rint(np.concatenate([even, log])).astype(np.int64))


def check(setting: Setting, arms: Arms) -> None:
    if setting.engine not in ENGINES:
        raise UserError(f"engine: {setting.engine!r} is not one of {', '.join(ENGINES)}")
    if engine_of(setting.policy, setting.engine) != setting.engine:
        raise UserError(f"policies.{setting.policy.name}: engine {setting.engine} does not play it")
    if setting.horizon < len(arms):
        raise UserError(
            f"horizon {setting.horizon} is too short for {setting.dataset}: each of its "
            f"{len(arms)} arms is played once first, so at least {len(arms)} rounds are needed"
        )


def simulate(setting: Setting, arms: Arms, progress: Callable[[int], None] = lambda t: None) -> Run:
    """Play one run; `progress` is told the round at every recorded one."""
    check(setting, arms)
    policy = setting.policy
    rng = choice_stream(setting.seed, setting.dataset, setting.eta, policy.name, setting.run)
    engine = ENGINES[setting.engine](
        estimators.CODES[policy.estimator],
        selectors.CODES[policy.selector],
        policy.parameter,
        arms.mean,
        arms.value,
        float(setting.eta),  # an int would compile every kernel once more
        luck_key(setting.seed, setting.dataset),
        setting.run,
        rng,
        policy.queue,
    )
    problem = solve_problem(arms, setting.eta)
    rounds = recorded_rounds(setting.horizon, setting.points)
    totals = np.empty((rounds.size, len(SERIES)))
    optimal = np.empty((rounds.size, 2), np.int64)
    before = 0
    for row, t in enumerate(rounds):
        engine.advance(before + 1, int(t))
        totals[row] = engine.tally.totals
        optimal[row] = _optimal_plays(engine.tally.plays, problem)
        before = int(t)
        progress(before)
    series = _series(setting.run, rounds, totals, optimal)
    return Run(series, _plays(setting.run, engine.tally))


def _optimal_plays(plays: np.ndarray, problem: Problem) -> tuple[int, int]:
    """Plays of all arms in the optimal mixture, and of the first of them."""
    counts = plays[list(problem.support)]
    return int(counts.sum()), int(counts[:1].sum())


def _series(run: int, rounds: np.ndarray, totals: np.ndarray, optimal: np.ndarray) -> pa.Table:
    columns = {"run": np.full(rounds.size, run, np.int64), "t": rounds}
    for column, name in enumerate(SERIES):
        series = totals[:, column]
        counted = name in ("events", "infeasible")
        columns[name] = series.astype(np.int64) if counted else np.ascontiguousarray(series)
    columns["suboptimal"] = rounds - optimal[:, 0]
    columns["leading"] = np.ascontiguousarray(optimal[:, 1])
    return _table(columns)


def _table(columns: dict[str, np.ndarray]) -> pa.Table:
    """An Arrow table on the arrays' own memory; pa.table would import pandas to look at them."""
    return pa.Table.from_arrays(
        [
            pa.Array.from_buffers(pa.from_numpy_dtype(x.dtype), x.size, [None, pa.py_buffer(x)])
            for x in columns.values()
        ],
        names=list(columns),
    )


def _plays(run, tally) -> pa.Table:
    arms = tally.plays.size
    return _table(
        {
            "run": np.full(arms, run, np.int64),
            "arm": np.arange(arms),
            "plays": tally.plays,
            "events": tally.events,
            "expected_plays": tally.expected_plays(),
        }
    )


def compile_kernels(*names: str) -> None:
    """Compile the named kernels, or all of them, into the cache that jobs share."""
    arms = make_arms([0.4, 0.6, 0.5], [1.0, 0.5, 0.6])
    for (engine, estimator), name in KERNELS.items():
        if name in names or not names:
            for selector in selectors.CODES:
                policy = make_policy("warm_up", {"estimator": estimator, "selector": selector})
                if plays(engine, policy):
                    simulate(Setting("warm_up", 0.5, 30, policy, 0, 0, 2, engine), arms)
