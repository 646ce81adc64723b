"""Results made by formula, without an engine: any number of policies and arms, any horizon.

For the gallery of figures and for tests of what is drawn. Policy k's composite regret grows as
a_k log t, its deficit as b_k sqrt t, and all policies of a run share the run's luck.
"""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd

from lincon.analysis.analyse import Settings, analyse
from lincon.analysis.metrics import summarise
from lincon.analysis.results import Results, make_results
from lincon.data.arms import Arms
from lincon.figures.sweeps import Sweep
from lincon.problem.record import Problem
from lincon.problem.solve import solve_problem

NAMES = (
    *("LinConTS", "LinCon-KL-UCB", "Con-UCB", "Thompson", "KL-UCB", "TS paced", "TS safe paced"),
    *("KL safe paced", "TS controlled", "Queue TS", "PessOpt", "PessOpt tuned", "BwK primal-dual"),
    *("BwK TS", "\u03b5-greedy LP", "Uniform", "Oracle", "Oracle paced"),
)
LONG = "a policy of somebody's own with $5 of_parameters and a label nobody thought would be drawn"


def made_arms(count: int, seed: int = 1) -> Arms:
    """Arms whose values sink with their means, so that the constraint binds."""
    rng = np.random.default_rng(seed)
    mean = rng.beta(1.5, 4.0, count) * 0.6
    mean[:2] = (0.35, 0.62)
    value = np.clip(rng.beta(3.0, 2.0, count) * (1.0 - mean), 0.0, 1.0)
    value[:2] = (0.8, 0.25)
    label = tuple(f"course {i}" for i in range(count))
    return Arms(label, mean, value, dataset="made", source="formula", note="")


def made_series(
    problem: Problem, policies: int, horizon: int, runs: int, points: int = 120
) -> list[pd.DataFrame]:
    """One frame of runs a policy, with columns as the engine writes them."""
    rng = np.random.default_rng(7)
    even = np.linspace(1, horizon, points - points // 2)
    log = np.geomspace(1, horizon, points // 2)
    t = np.unique(np.rint(np.concatenate([even, log])).astype(np.int64)).astype(float)
    steps = np.sqrt(np.diff(t, prepend=0.0))
    luck = np.cumsum(rng.normal(size=(runs, t.size)) * steps, axis=1)
    return [_policy(problem, k, t, luck, rng) for k in range(policies)]


def _policy(
    problem: Problem, k: int, t: np.ndarray, luck: np.ndarray, rng: np.random.Generator
) -> pd.DataFrame:
    runs = len(luck)
    oracle = NAMES[k].startswith("Oracle")
    own = 1.0 + 0.08 * rng.normal(size=(runs, 1))
    scale = 0.0 if oracle else 12.0 * 1.35 ** (k % 16)
    composite = scale * own * np.log1p(t / 40.0)
    sink = (0.4, 0.6, 0.2, 1.5, 2.0, -0.1, -0.05, 0.0)[k % 8]
    shift = 0.3 * rng.normal(size=(runs, 1))
    deficit = 0.0 * own * t if oracle else (sink * own * (1 + k / 6) + 0.3 * shift) * np.sqrt(t)
    events = t * problem.eta - deficit
    reward = t * (problem.optimum or 0.0) - composite + (problem.price or 0.0) * deficit
    noise = 0.45 * luck + 0.1 * np.sqrt(t) * rng.normal(size=(runs, 1))
    realised = np.clip(np.rint(events + noise), 0, t)
    below = np.maximum(t * problem.eta - realised, 0.0)
    suboptimal = np.rint(np.minimum(composite * 8.0, 0.9 * t))
    share = problem.shares[0] if problem.shares else 0.5
    columns = {
        "run": np.repeat(np.arange(runs), t.size),
        "t": np.tile(t.astype(np.int64), runs),
        "reward": reward + 0.4 * noise,
        "events": realised,
        "expected_reward": reward,
        "expected_events": events,
        "infeasible": np.zeros_like(events),
        "suboptimal": suboptimal,
        "leading": np.rint(share * (t - suboptimal) + 0.2 * luck),
        "worst_shortfall_0": np.maximum.accumulate(below, axis=1),
        "last_shortfall_0": np.maximum.accumulate(np.where(below > 0.0, t, 0.0), axis=1),
    }
    return pd.DataFrame({name: np.ravel(column) for name, column in columns.items()})


def made_plays(problem: Problem, arms: Arms, policy: str, k: int, horizon: int, runs: int):
    """Plays per arm that fall with the gap, as read_plays gives them."""
    rng = np.random.default_rng(k)
    gap = np.maximum(
        (problem.level or 0.0) - (arms.value + (problem.price or 0.0)) * arms.mean, 0.0
    )
    weight = 1.0 / (1e-3 + gap**1.5) * np.exp(0.3 * rng.normal(size=len(arms)))
    weight[list(problem.support)] = 0.0
    total = weight.sum() or 1.0
    few = np.minimum(1.0 + 0.06 * (k + 1) * horizon * weight / total, horizon / 4)
    few = few if len(arms) > 2 else np.zeros(len(arms))
    few[list(problem.support)] = np.maximum(horizon - few.sum(), 0.0) * np.array(problem.shares)
    error = 2.0 * np.sqrt(few / runs)
    return pd.DataFrame(
        {"policy": policy, "arm": np.arange(len(arms)), "plays": few, "ci_low": few - error}
        | {"ci_high": few + error, "expected_plays": few, "n_runs": runs}
    )


def made_results(
    policies: int = 2,
    arms: int = 142,
    horizon: int = 10_000,
    runs: int = 16,
    long_labels: bool = False,
    eta: float = 0.5,
    title: str = "",
) -> Results:
    """An experiment with the first so many of NAMES; the last two are references."""
    made = made_arms(arms)
    problem = solve_problem(made, eta)
    ids = [f"p{k}" for k in range(policies)]
    labels = [f"{NAMES[k]}, {LONG}" if long_labels else NAMES[k] for k in range(policies)]
    looks = {
        name: {"label": label} | ({"reference": True} if "Oracle" in label else {})
        for name, label in zip(ids, labels, strict=True)
    }
    series = dict(zip(ids, made_series(problem, policies, horizon, runs), strict=True))
    plays = {p: made_plays(problem, made, p, k, horizon, runs) for k, p in enumerate(ids)}
    references = tuple(p for p, look in looks.items() if look.get("reference"))
    compare = (ids[0], ids[1]) if policies > 1 else None
    settings = Settings(runs, 200, 1, 0.1, compare, references)
    return make_results(
        "made",
        title or f"{policies} policies, {arms:,} arms, T = {horizon:,}",
        looks,
        problem,
        made,
        summarise(series, problem, runs, 200, 1),
        analyse(series, plays, problem, made, settings),
        {"code": "0123456789abcdef", "seed": "1"},
    )


def made_sweep(axes: tuple[str, ...] = ("eta",), policies: int = 3, steps: int = 6) -> Sweep:
    """A sweep over one or two values; its last eta is out of reach, its first does not bind."""
    rng = np.random.default_rng(3)
    grids = {"eta": np.linspace(0.3, 0.7, steps), "snr": np.linspace(5, 25, steps)}
    cells = [
        dict(zip(axes, values, strict=True))
        for values in itertools.product(*(grids[a] for a in axes))
    ]
    rows, states = [], []
    for cell in cells:
        eta = float(cell.get("eta", 0.5))
        feasible = eta < 0.65
        states.append(cell | {"feasible": feasible, "binding": feasible and eta > 0.35})
        size = (1.0 + 10.0 * eta) * (1.0 + 0.05 * float(cell.get("snr", 0.0)))
        for k, metric in itertools.product(range(policies), ("regret", "violation", "composite")):
            if not feasible and metric != "violation":
                continue
            mean = 40.0 * (k + 1) ** 2 * size * (1.0 + 0.05 * rng.normal())
            error = 0.06 * mean
            ends = {"mean": mean, "ci_low": mean - error, "ci_high": mean + error}
            keys = {"policy": f"p{k}", "metric": metric, "horizon": 10_000, "n_runs": 16}
            rows.append(cell | keys | ends)
    problem = solve_problem(made_arms(20), 0.5)
    return Sweep(axes, pd.DataFrame(rows), pd.DataFrame(states), problem, 16, "0123456789abcdef")
