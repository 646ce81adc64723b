"""One run of one policy: the engine, the recorder, the two tables that come out.

This module is on the path of every simulation job: it imports NumPy, Arrow and Numba, nothing
slower.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from lincon.data.arms import COUNTS, POSTERIOR, WARM, Arms
from lincon.data.arms import make as make_arms
from lincon.data.supported import SMALLEST
from lincon.engine.dense import DenseEngine
from lincon.engine.drift import cumulative_optimum
from lincon.engine.inputs import RunInputs
from lincon.engine.kernels import KERNELS
from lincon.engine.lazy.engine import LazyEngine
from lincon.engine.python_policy import PythonEngine
from lincon.engine.randomness import choice_stream, luck_key, means_stream
from lincon.engine.tally import (
    AMOUNTS,
    EXPECTED_AMOUNT,
    EXPECTED_EVENTS,
    EXPECTED_REWARD,
    SERIES,
    Tally,
)
from lincon.errors import UserError
from lincon.policies.registry import Policy, engines_of, make_policy
from lincon.problem.goal import Goal, as_goal
from lincon.problem.program import Program, program
from lincon.problem.record import Problem, gaps
from lincon.problem.solve import solve_problem

ENGINES: dict[str, Any] = {"lazy": LazyEngine, "dense": DenseEngine, "python": PythonEngine}


@dataclass(frozen=True)
class Setting:
    """Everything that a run's numbers depend on, except the arms and the code."""

    dataset: str
    goal: Goal | float
    horizon: int
    policy: Policy
    run: int
    seed: int
    points: int = 200
    engine: str = "lazy"
    record: str = "series"  # or "plays", to keep the arm of every round


@dataclass(frozen=True)
class Run:
    """The cumulative series at the recorded rounds, and the final counts per arm.

    `chosen` is the arm of every round where that was to be recorded.
    """

    series: pa.Table
    plays: pa.Table
    chosen: np.ndarray | None = None

    def rounds(self) -> pa.Table:
        """run, t and the arm of every round, where these were recorded."""
        if self.chosen is None:
            raise UserError("record: the arms of the rounds were not kept; it is to be plays")
        run = np.full(self.chosen.size, self.series["run"][0].as_py(), np.int64)
        return _table({"run": run, "t": np.arange(1, run.size + 1), "arm": self.chosen})


def recorded_rounds(horizon: int, points: int) -> np.ndarray:
    """About `points` rounds in 1..horizon, both ends in: half evenly, half log-spaced.

    Even spacing is for curves over t, log spacing for those over log t. With as many points as
    rounds, all rounds are recorded.
    """
    if points >= horizon:
        return np.arange(1, horizon + 1)
    even = np.linspace(1, horizon, max(points - points // 2, 2))
    log = np.geomspace(1, horizon, max(points // 2, 2))
    return np.unique(np.rint(np.concatenate([even, log])).astype(np.int64))


def check(setting: Setting, arms: Arms, problem: Problem) -> None:
    policy, goal = setting.policy, as_goal(setting.goal)
    able = engines_of(policy, goal, arms.special)
    if setting.engine not in able:
        what = " with kinds of request (are `kinds` in the config?)" if arms.kinds else ""
        raise UserError(
            f"policies.{policy.name}: engine {setting.engine} does not play it{what}; "
            f"allowed: {', '.join(able)}"
        )
    if (problem.goal, problem.arms) != (goal, len(arms)):
        raise UserError(
            f"the problem of {setting.dataset} has the goal {problem.goal.text} and "
            f"{problem.arms} arms, the setting {goal.text} and {len(arms)} arms; they must be "
            "the same"
        )
    if policy.forces_plays and arms.start != WARM and setting.horizon < len(arms):
        raise UserError(
            f"horizon {setting.horizon} is too short for {setting.dataset}: each of its "
            f"{len(arms)} arms is played once first, so at least {len(arms)} rounds are needed"
        )


def simulate(
    setting: Setting,
    arms: Arms,
    problem: Problem,
    progress: Callable[[int], None] = lambda t: None,
) -> Run:
    """Play one run; `problem` knows the optimal arms, `progress` is told each recorded round."""
    check(setting, arms, problem)
    arms, problem = problem_of_run(setting, arms, problem)
    inputs = run_inputs(setting, arms)
    engine, optima = ENGINES[setting.engine](inputs), cumulative_optimum(inputs)
    rounds = recorded_rounds(setting.horizon, setting.points)
    totals = np.empty((len(SERIES), rounds.size))
    amounts = np.empty((len(AMOUNTS), len(problem.goal.constraints), rounds.size))
    optimal_arms, luck = gaps(arms, problem) == 0.0, luck_of_kinds(inputs, problem)
    suboptimal = np.empty(rounds.size, np.int64)
    plays = np.empty((len(arms) if arms.kinds else 0, rounds.size), np.int64)
    before = 0
    for row, t in enumerate(rounds.tolist()):
        engine.advance(before + 1, t)
        totals[:, row] = engine.tally.totals
        amounts[:, :, row] = engine.tally.amounts
        for k, rows in enumerate(inputs.program.rows if luck.any() else ()):
            rounds_of_kind = engine.tally.plays[rows].sum()
            totals[[EXPECTED_REWARD, EXPECTED_EVENTS], row] -= rounds_of_kind * luck[k, :2]
            amounts[EXPECTED_AMOUNT, :, row] -= rounds_of_kind * luck[k, 2:]
        suboptimal[row] = t - engine.tally.plays[optimal_arms].sum()
        plays[:, row] = engine.tally.plays[: len(plays)]
        before = t
        progress(t)
    columns = {"run": np.full(rounds.size, setting.run, np.int64), "t": rounds}
    columns |= dict(zip(SERIES, totals, strict=True)) | {"suboptimal": suboptimal}
    columns |= _own_optimum(arms, problem, rounds)
    if optima is not None:
        columns["optimum"] = optima[rounds - 1]
    columns |= _constraints(problem.goal, amounts)
    columns |= {f"plays_{i}": of_arm for i, of_arm in enumerate(plays)}
    for name in ("events", "infeasible"):
        columns[name] = columns[name].astype(np.int64)
    chosen = engine.tally.chosen if setting.record == "plays" else None
    return Run(_table(columns), _plays(setting.run, engine.tally, inputs.program), chosen)


def luck_of_kinds(inputs: RunInputs, problem: Problem) -> np.ndarray:
    """What the optimal mixture has in a round of each kind beyond its average: float[K, 2 + m].

    Its reward, events and amounts. Expected sums are given the kinds that came; less this luck,
    whose mean is zero, they are those of requests that come exactly in their shares where the
    optimal mixture is played, and nearly so where another one is.
    """
    program, mean, support = inputs.program, inputs.mean, list(problem.support)
    gives = np.vstack([mean * program.value - program.cost, mean, mean * program.a + program.b])
    luck = np.zeros((program.share.size, len(gives)))
    if program.share.size > 1:
        for i, x in zip(support, problem.shares, strict=True):
            luck[program.kind[i]] += x * gives[:, i]
        luck -= (program.share[:, None] * luck).sum(axis=0)
    return luck


def problem_of_run(setting: Setting, arms: Arms, problem: Problem) -> tuple[Arms, Problem]:
    """The arms and the optimum of a run: its own where its means are drawn from the counts."""
    if arms.means != POSTERIOR:
        return arms, problem
    successes, trials = (arms.columns[name] for name in COUNTS)
    stream = means_stream(setting.seed, setting.dataset, setting.run)
    mean = stream.beta(1.0 + successes, 1.0 + trials - successes)
    arms = replace(arms, mean=np.where(mean < SMALLEST, 0.0, mean))
    return arms, solve_problem(arms, problem.goal)


def _own_optimum(arms: Arms, problem: Problem, rounds: np.ndarray) -> dict[str, np.ndarray]:
    """The best mixture's reward up to each round, and the prices, of a run with its own problem."""
    if arms.means != POSTERIOR:
        return {}
    prices = problem.prices or (np.nan,) * len(problem.goal.constraints)
    best = np.nan if problem.optimum is None else problem.optimum  # NaN: no mixture is feasible
    columns = {"optimum": rounds * best}
    return columns | {f"price_{j}": np.full(rounds.size, p) for j, p in enumerate(prices)}


def run_inputs(setting: Setting, arms: Arms) -> RunInputs:
    """What the engine of a run is built from."""
    seed, dataset, goal = setting.seed, setting.dataset, as_goal(setting.goal)
    # The paper's goal is keyed by its number, so that its runs stay what they were.
    key = goal.text if goal.eta is None else goal.eta
    return RunInputs(
        policy=setting.policy,
        mean=arms.mean,
        goal=goal,
        program=program(arms, goal),
        horizon=setting.horizon,
        key=luck_key(seed, dataset),
        run=setting.run,
        rng=choice_stream(seed, dataset, key, setting.policy.name, setting.run),
        recorded=setting.horizon if setting.record == "plays" else 0,
        surroundings=arms.world,
        seed=seed,
        dataset=dataset,
        history=np.array([arms.columns[c] for c in COUNTS]) if arms.start == WARM else None,
    )


def _constraints(goal: Goal, amounts: np.ndarray) -> dict[str, np.ndarray]:
    """The columns of every constraint, amounts in the user's sign."""
    columns = {}
    for j, constraint in enumerate(goal.constraints):
        amount, expected, worst, last = amounts[:, j]
        columns[f"amount_{j}"] = constraint.sign * amount
        columns[f"expected_amount_{j}"] = constraint.sign * expected
        columns[f"worst_shortfall_{j}"] = worst.copy()
        columns[f"last_shortfall_{j}"] = last.astype(np.int64)
    return columns


def _table(columns: dict[str, np.ndarray]) -> pa.Table:
    """An Arrow table on the arrays' own memory; pa.table would import pandas to look at them."""
    return pa.Table.from_arrays(
        [
            pa.Array.from_buffers(pa.from_numpy_dtype(x.dtype), x.size, [None, pa.py_buffer(x)])
            for x in columns.values()
        ],
        names=list(columns),
    )


def _plays(run: int, tally: Tally, program: Program) -> pa.Table:
    arms = np.arange(tally.plays.size)
    counts = {"plays": tally.plays, "events": tally.events}
    expected = {"expected_plays": tally.expected_plays(program)}
    return _table({"run": np.full(arms.size, run, np.int64), "arm": arms} | counts | expected)


def compile_kernels(*names: str) -> None:
    """Compile the named kernels, or all of them, into the cache that jobs share."""
    arms = make_arms([0.4, 0.6, 0.5], [1.0, 0.5, 0.6])
    problem = solve_problem(arms, 0.5)
    for (engine, part), name in KERNELS.items():
        if name in names or not names:
            # Which target and steering is a value to a kernel, not a type: one is enough.
            policy = make_policy("warm_up", {"estimator": part})
            simulate(Setting("warm_up", 0.5, 30, policy, 0, 0, 2, engine), arms, problem)
