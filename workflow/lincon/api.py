"""What `import lincon` gives: arms, their optimum, and simulated policies as pandas DataFrames.

Arms and random events are those of the workflow: the same dataset name, seed and policy names give
the same rows.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import pandas as pd
import pyarrow as pa

from lincon.analysis.results import Results
from lincon.data.arms import Arms
from lincon.engine.simulate import Run, Setting
from lincon.engine.simulate import simulate as play_run
from lincon.errors import UserError, did_you_mean
from lincon.parallel import results_of, show
from lincon.policies.registry import engine_of, make_policy
from lincon.policies.standard import STANDARD, with_standard
from lincon.problem.goal import Goal
from lincon.problem.record import Problem, require_feasible
from lincon.problem.solve import solve_problem
from lincon.study.config import engine_keys
from lincon.study.plan import look

__all__ = ["Arms", "Optimum", "Simulation", "compare", "simulate", "solve"]

AnyGoal = Goal | Mapping[str, Any]
AnyPolicy = str | type | Mapping[str, Any]
Entries = dict[str, dict[str, Any]]


@dataclass(frozen=True)
class Optimum:
    """The optimal mixture of arms, played by an oracle that knows the means.

    Attributes
    ----------
    reward : float
        Expected reward per round, in the user's unit.
    shares : dict of str to float
        Share of the rounds per arm (with kinds of request: of the requests of its kind).
    prices : dict of str to float
        Price per constraint: reward lost per round if its bound is tightened by one unit.
    amounts : dict of str to float
        Average amount per round of each constraint.
    unique : bool
        Whether no other mixture earns as much.
    problem : Problem
        The same in the arms' units, with gaps and bounds.
    """

    reward: float
    shares: dict[str, float]
    prices: dict[str, float]
    amounts: dict[str, float]
    unique: bool
    problem: Problem

    def __str__(self) -> str:
        shares = ", ".join(f"{share:.4g} {arm}" for arm, share in self.shares.items())
        rows = [f"reward  {self.reward:.6g} per round", f"shares  {shares}"]
        for name, price in self.prices.items():
            rows.append(f"{name}  {self.amounts[name]:.6g} on average, at a price of {price:.4g}")
        return "\n".join(rows)


@dataclass(frozen=True)
class Simulation:
    """Runs of one policy.

    Attributes
    ----------
    series : DataFrame
        One row per run and recorded round: cumulative sums up to round `t`, such as `reward`,
        `expected_reward` and `amount_0`, in the arms' units.
    plays : DataFrame
        One row per run and arm: its final `plays`, `events` and `expected_plays`.
    """

    series: pd.DataFrame
    plays: pd.DataFrame


def solve(arms: Arms, floor: float | None = None, *, goal: AnyGoal | None = None) -> Optimum:
    """The optimal mixture of arms, if the means were known.

    Parameters
    ----------
    arms : Arms
        N arms with known means.
    floor : float
        The lowest average event rate allowed, in [0, 1].
    goal : mapping or Goal
        Instead of `floor`: any `constraints` and `objective`, as in a config.

    Returns
    -------
    Optimum
        Its reward, shares and prices.

    Raises
    ------
    UserError
        If no mixture meets the constraints.

    Examples
    --------
    >>> arms = lincon.Arms.from_arrays([0.4, 0.6, 0.5], [0.5, 0.25, 0.3], ["a", "b", "c"])
    >>> print(lincon.solve(arms, floor=0.5))
    reward  0.175 per round
    shares  0.5 a, 0.5 b
    floor  0.5 on average, at a price of 0.25
    """
    problem = _problem(arms, floor, goal)
    assert problem.optimum is not None
    names = [one.name for one in problem.goal.constraints]
    prices = [arms.scale * price for price in problem.prices]
    return Optimum(
        reward=arms.scale * problem.optimum,
        shares={arms.names[i]: x for i, x in zip(problem.support, problem.shares, strict=True)},
        prices=dict(zip(names, prices, strict=True)),
        amounts=dict(zip(names, problem.amounts, strict=True)),
        unique=problem.unique,
        problem=problem,
    )


def simulate(
    arms: Arms,
    policy: AnyPolicy,
    floor: float | None = None,
    *,
    goal: AnyGoal | None = None,
    horizon: int,
    runs: int = 16,
    seed: int = 0,
    name: str = "",
    points: int = 200,
    engine: str = "lazy",
    processes: int | None = None,
) -> Simulation:
    """Play one policy.

    Parameters
    ----------
    policy : str, class or mapping
        A name (docs/policies.md), a class with `choose` and `update` (docs/your_policy.md), or an
        entry as in a config: `{"estimator": "kl_ucb", "c": 3}`,
        `{"python": MyPolicy, "rate": 0.1}`.
    name : str
        Keys the policy's random stream; by default the policy's name.
    arms, floor, goal, horizon, runs, seed, points, engine, processes
        As for `compare`.

    Returns
    -------
    Simulation
        `series` has `runs` x (about `points`) rows, `plays` has `runs` x N.

    Examples
    --------
    >>> arms = lincon.Arms.from_arrays([0.4, 0.6], [1.0, 0.5])
    >>> result = lincon.simulate(arms, "lincon_ts", floor=0.5, horizon=1000, runs=4)
    >>> result.plays.groupby("run")["plays"].sum().tolist()
    [1000, 1000, 1000, 1000]
    """
    problem = _problem(arms, floor, goal)
    entries = _entries({name or _name(policy): policy})
    options: dict[str, Any] = {"horizon": horizon, "seed": seed, "points": points, "asked": engine}
    (played,) = _play(entries, arms, problem, runs, processes, **options).values()
    return Simulation(_frame(run.series for run in played), _frame(run.plays for run in played))


def compare(
    arms: Arms,
    policies: Sequence[AnyPolicy] | Mapping[str, AnyPolicy],
    floor: float | None = None,
    *,
    goal: AnyGoal | None = None,
    horizon: int,
    runs: int = 16,
    seed: int = 0,
    points: int = 200,
    engine: str = "lazy",
    processes: int | None = None,
    tolerances: Sequence[float | None] = (),
) -> Results:
    """Play policies on the same random events, and compare them.

    Parameters
    ----------
    arms : Arms
        N arms.
    policies : sequence or mapping
        Names (docs/policies.md) and classes, or a mapping from names of your choice to names,
        classes and entries (see `simulate`). An entry under the name of a standard policy replaces
        some of its keys: `{"lincon_kl_ucb": {"c": 3}}`.
    floor : float
        The lowest average event rate allowed, in [0, 1].
    goal : mapping or Goal
        Instead of `floor`: any `constraints` and `objective`, as in a config:
        `{"constraints": [{"name": "spend", "per_play": "cost", "at_most": 2}]}`.
    horizon : int
        Rounds per run.
    runs : int
        Independent runs, numbered from 0; raising the number leaves the first ones as they are.
    seed : int
        Base seed of all randomness.
    points : int
        Number of recorded rounds, half of them evenly and half logarithmically spaced.
    engine : str
        "lazy" (fast) or "dense"; the dense engine plays what the lazy one cannot.
    processes : int
        Number of processes, by default one per core. Results do not depend on it.
    tolerances : sequence of float or None
        Per constraint: by how much the average may miss the threshold and still count as kept.
        None is the default (docs/statistics.md).

    Returns
    -------
    Results
        DataFrames in the arms' units (a reward of 1 is `arms.scale` of the user's): `outcomes` with
        `runs` rows per policy, `curves` with about `points` rows per policy, metric and basis,
        `league` with one row per policy, the best first.

    Examples
    --------
    >>> arms = lincon.Arms.from_arrays([0.4, 0.6], [1.0, 0.5])
    >>> results = lincon.compare(arms, ["lincon_ts", "oracle"], floor=0.5, horizon=1000, runs=4)
    >>> results.league[["policy", "runs"]].to_dict("list")
    {'policy': ['lincon_ts', 'oracle'], 'runs': [4, 4]}
    >>> results.outcomes.shape[0]
    8
    """
    problem, entries = _problem(arms, floor, goal), _entries(policies)
    options: dict[str, Any] = {"horizon": horizon, "seed": seed, "points": points, "asked": engine}
    played = _play(entries, arms, problem, runs, processes, **options)
    series = {name: _frame(run.series for run in own) for name, own in played.items()}
    return Results.of_series(
        series,
        arms,
        problem,
        looks={name: look(entry, name) for name, entry in entries.items()},
        title=arms.dataset,
        tolerances=tolerances,
        metadata={"seed": str(seed)},
    )


# --- arguments


def _problem(arms: Arms, floor: float | None, goal: AnyGoal | None) -> Problem:
    if (floor is None) == (goal is None):
        raise UserError("a floor or a goal is needed; give one of them")
    if goal is None:
        goal = Goal.from_dict({"eta": floor}, "floor")
    problem = solve_problem(arms, goal if isinstance(goal, Goal) else Goal.from_dict(goal))
    require_feasible(problem)
    return problem


def _name(policy: AnyPolicy) -> str:
    return getattr(policy, "__name__", policy if isinstance(policy, str) else "policy")


def _entries(policies: Sequence[AnyPolicy] | Mapping[str, AnyPolicy]) -> Entries:
    """Name -> config entry."""
    if not isinstance(policies, Mapping):
        listed = [policies] if isinstance(policies, str | type) else list(policies)
        policies = {_name(policy): policy for policy in listed}
        if len(policies) < len(listed):
            raise UserError("policies: two have the same name; give a mapping from names to them")
    if not policies:
        raise UserError("policies: none; at least one is needed")
    return {name: _entry(name, policy) for name, policy in policies.items()}


def _entry(name: str, policy: AnyPolicy) -> dict[str, Any]:
    if isinstance(policy, Mapping):
        return with_standard({name: policy})[name]
    if isinstance(policy, type):
        return {"label": name, "python": policy}
    if policy not in STANDARD:
        raise UserError(
            f"policies: {policy!r} is not known{did_you_mean(str(policy), STANDARD)}; allowed: a "
            f"class, an entry as in a config, or one of {', '.join(STANDARD)}"
        )
    return STANDARD[policy]


# --- playing


def _play(
    entries: Entries,
    arms: Arms,
    problem: Problem,
    runs: int,
    processes: int | None,
    *,
    horizon: int,
    seed: int,
    points: int,
    asked: str,
) -> dict[str, list[Run]]:
    """The runs of each policy, in their order."""
    for key, number, least in (("horizon", horizon, 1), ("runs", runs, 1), ("points", points, 2)):
        if number < least:
            raise UserError(f"{key} is {number}; allowed: {least} or more")
    settings = []
    for name, entry in entries.items():
        policy = make_policy(name, engine_keys(entry))
        engine = engine_of(policy, asked, problem.goal, arms.special)
        one = Setting(problem.dataset, problem.goal, horizon, policy, 0, seed, points, engine)
        if engine != "python":  # kernels are compiled or loaded once, before processes are forked
            show(f"lincon: compiling or loading what plays {name}")
            play_run(replace(one, horizon=len(arms), points=2), arms, problem)
            show("")
        settings += [replace(one, run=run) for run in range(runs)]
    play = partial(_play_run, settings, arms, problem)
    played = list(results_of(play, len(settings), processes, "runs"))
    return {name: played[k * runs : (k + 1) * runs] for k, name in enumerate(entries)}


def _play_run(settings: Sequence[Setting], arms: Arms, problem: Problem, k: int) -> Run:
    return play_run(settings[k], arms, problem)


def _frame(tables: Iterable[pa.Table]) -> pd.DataFrame:
    return pa.concat_tables(tables).to_pandas()
