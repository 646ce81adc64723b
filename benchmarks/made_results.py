"""Results made by formula, without an engine: any number of policies, arms and constraints.

For tests of what is shown. Policy k's composite regret grows as
a_k log t, its shortfalls as b_k sqrt t, and all policies of a run share the run's random events.
"""

import itertools
from collections.abc import Sequence

import numpy as np
import pandas as pd

from lincon.analysis.results import Results
from lincon.analysis.sweeps import Sweep
from lincon.data import arms as arm_tables
from lincon.data.arms import Arms
from lincon.problem.goal import Constraint, Goal, as_goal
from lincon.problem.record import Problem
from lincon.problem.solve import solve_problem

NAMES = (
    *("LinConTS", "LinCon-KL-UCB", "Con-UCB", "Thompson", "KL-UCB", "TS ledger", "TS paced"),
    *("Gittins ledger", "Virtual queue", "OLLA", "Pessimistic LP", "MESS+", "Primal-dual BwK"),
    *("LagrangeBwK", "\u03b5-first", "Uniform", "Oracle", "Oracle paced"),
)
LONG = "a user-defined policy with $5 of_parameters and a label nobody thought would be drawn"
HOSTILE = ("<script>alert(1)</script>", "{{7*7}}", "$5 or $10", '=cmd|" /C calc"!A0')
# A floor on events and a cap on the average price that is shown: they bind together.
SEVERAL = Goal(
    (
        Constraint("clicks", 1.0, 0.0, "at_least", 0.4),
        Constraint("price", 0.0, "value", "at_most", 0.5),
    )
)
# The cheapest mixture that succeeds often enough: values are what a play costs.
SPENDING = Goal((Constraint("correct", 1.0, 0.0, "at_least", 0.5),), value=0.0, cost="value")


def made_arms(count: int, labels: Sequence[str] = (), **provenance) -> Arms:
    """Arms whose values sink with their means, so that the constraint binds."""
    rng = np.random.default_rng(1)
    mean = rng.beta(1.5, 4.0, count) * 0.6
    mean[:2] = (0.35, 0.62)
    value = np.clip(rng.beta(3.0, 2.0, count) * (1.0 - mean), 0.0, 1.0)
    value[:2] = (0.8, 0.25)
    names = [*labels, *(f"course {i}" for i in range(len(labels), count))]
    known = {"dataset": "made", "source": "formula"} | provenance
    return arm_tables.make(mean, value, names, **known)


def made_series(problem: Problem, k: int, horizon: int, runs: int, label: str) -> pd.DataFrame:
    """The runs of policy k, with columns as the engine writes them."""
    grid = (np.linspace(1, horizon, 60), np.geomspace(1, horizon, 60))
    t = np.unique(np.rint(np.concatenate(grid)))
    steps = np.sqrt(np.diff(t, prepend=0.0))
    luck = np.cumsum(np.random.default_rng(7).normal(size=(runs, t.size)) * steps, axis=1)
    rng = np.random.default_rng(100 + k)
    own = 1.0 + 0.08 * rng.normal(size=(runs, 1))
    oracle = "Oracle" in label
    composite = (0.0 if oracle else 12.0 * 1.35 ** (k % 16)) * own * np.log1p(t / 40.0)
    noise = 0.3 * luck + 0.1 * np.sqrt(t) * rng.normal(size=(runs, 1))
    columns = {
        "run": np.repeat(np.arange(runs), t.size),
        "t": np.tile(t.astype(np.int64), runs),
        "infeasible": np.zeros_like(luck),
        "suboptimal": np.rint(np.minimum(composite * 8.0, 0.9 * t)),
    }
    reward = t * (problem.optimum or 0.0) - composite
    for j, one in enumerate(problem.goal.constraints):
        sink = 0.0 if oracle else (3.0, 4.0, 1.2, 8.0, 11.0, -0.6, -0.3, 0.5)[(k + j) % 8]
        short = sink * own * (1 + k / 6) * np.sqrt(t)
        expected = t * one.bound - one.sign * short
        seen = expected + one.sign * noise
        below = np.maximum(one.sign * (t * one.bound - seen), 0.0)
        columns |= {
            f"amount_{j}": seen,
            f"expected_amount_{j}": expected,
            f"worst_shortfall_{j}": np.maximum.accumulate(below, axis=1),
            f"last_shortfall_{j}": np.maximum.accumulate(np.where(below > 0.0, t, 0.0), axis=1),
        }
        reward = reward + (problem.prices[j] if problem.feasible else 0.0) * short
    columns |= {"events": columns["amount_0"], "expected_events": columns["expected_amount_0"]}
    columns |= {"reward": reward + 0.4 * noise, "expected_reward": reward}
    return pd.DataFrame({name: np.ravel(column) for name, column in columns.items()})


def made_results(
    policies: int = 2,
    arms: int = 142,
    horizon: int = 10_000,
    runs: int = 16,
    eta: Goal | float = 0.5,
    labels: Sequence[str] = NAMES,
    long_labels: bool = False,
    name: str = "made",
    title: str = "",
    arm_labels: Sequence[str] = (),
    **provenance,
) -> Results:
    """The first `policies` of `labels`; those that are called an oracle are references."""
    made = made_arms(arms, arm_labels, **provenance)
    problem = solve_problem(made, as_goal(eta))
    ids = [f"p{k}" for k in range(policies)]
    shown = [f"{labels[k]}, {LONG}" if long_labels else labels[k] for k in range(policies)]
    looks = {
        policy: {"label": label, "standing": "adapted, needs T"}
        | ({"reference": True} if "Oracle" in label else {})
        for policy, label in zip(ids, shown, strict=True)
    }
    series = {
        policy: made_series(problem, k, horizon, runs, shown[k]) for k, policy in enumerate(ids)
    }
    return Results.of_series(
        series,
        made,
        problem,
        looks=looks,
        name=name,
        title=title or f"{policies} policies, {arms:,} arms",
        compare=ids[:2] if policies > 1 else (),
        metadata={"code": "0123456789abcdef", "seed": "1"},
    )


def made_sweep(axes: tuple[str, ...] = ("eta",), policies: int = 3, steps: int = 6) -> Sweep:
    """A sweep over one or two values; its last eta is infeasible, its first does not bind."""
    made, places, cells = made_arms(20), [], []
    looks = {f"p{k}": {"label": NAMES[k]} for k in range(policies)}
    known = {"name": "_".join(axes), "title": f"Sweep over {' and '.join(axes)}", "looks": looks}
    known |= {"metadata": {"code": "0123456789abcdef"}}
    grids = {"eta": np.linspace(0.3, 0.7, steps), "snr": np.linspace(5, 25, steps)}
    for values in itertools.product(*(grids[axis] for axis in axes)):
        at = dict(zip(axes, values, strict=True))
        places.append({"coordinates": at, "policies": {name: name for name in looks}})
        problem = solve_problem(made, as_goal(float(values[0])))
        series = {f"p{k}": made_series(problem, k, 10_000, 16, NAMES[k]) for k in range(policies)}
        cells.append(Results.of_series(series, made, problem, **known))
    return Sweep(places, cells, looks)
