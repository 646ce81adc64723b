"""Theory of a problem: gaps, the lower bound, and the paper's theorems.

The lower bound is ours, not the paper's (docs/theory.md has the proof): a policy whose regret and
violations stay below every power of T on every problem has a composite regret of at least C log T,
C = sum of D_i / d(mu_i, xi_i). xi_i is the mean at which arm i would enter the optimal mixture,
where (value_i + sum_j lambda_j a_ij) xi = nu + cost_i - sum_j lambda_j b_ij. Arms that no mean in
[0, 1] would bring in need not be explored.

The theorems are the paper's, and of its problem alone (one floor on the event rate, no costs). The
paper gives no number for the constants that do not grow with T: these are the growing terms of its
bounds, not finite-time guarantees. A play that costs less than nothing adds nothing to an upper
bound, so costs enter with their positive parts; where the constraint does not bind, nothing is
mixed, and there is no square root.
"""

import math
from typing import Any

import numpy as np
import pandas as pd
import scipy  # submodules are loaded when used

from lincon.analysis.inference import mean_of
from lincon.data.arms import Arms
from lincon.problem.program import program
from lincon.problem.record import Problem, gaps

GAMMA = 0.1  # the free constant of the paper's bounds, (1 + gamma)^2 log T
ROOT = 18.0 * math.sqrt(2.0 * math.log(2.0))
PAPER = ("delta_reward", "delta_events", "plays_coefficient")


def theory_table(arms: Arms, problem: Problem) -> pd.DataFrame:
    """One row per arm. Without a feasible mixture there is no optimum, and its columns are NaN.

    `optimal` means D_i = 0: the support of x*, and otherwise only arms that tie with it. The
    theorems' columns are NaN for other problems than the paper's.
    """
    numbers = program(arms, problem.goal)
    share = np.full(len(arms), 0.0 if problem.feasible else np.nan)
    share[list(problem.support)] = problem.shares
    gap = gaps(arms, problem)
    xi = _entering_mean(arms, problem, gap)
    kl = _divergence(arms.mean, xi)
    with np.errstate(divide="ignore"):
        needed = np.where(gap == 0.0, 0.0, 1.0 / kl)  # plays per log T
    reward = numbers.value * arms.mean - numbers.cost
    table = pd.DataFrame({"arm": np.arange(len(arms)), "label": arms.label, "mean": arms.mean})
    table = table.assign(value=arms.value, share=share, reward=reward, gap=gap, optimal=gap == 0.0)
    table = table.assign(xi=xi, kl=kl, lower_bound=gap * needed)
    for j, one in enumerate(problem.goal.constraints):
        table[f"amount_{j}"] = one.sign * (numbers.a[j] * arms.mean + numbers.b[j])
    if problem.goal.eta is None or numbers.cost.any():
        return table.assign(**dict.fromkeys(PAPER, np.nan))
    optimum = np.nan if problem.optimum is None else problem.optimum
    terms = (optimum - reward, problem.goal.eta - arms.mean, (1.0 + GAMMA) ** 2 * needed)
    return table.assign(**dict(zip(PAPER, terms, strict=True)))


def _entering_mean(arms: Arms, problem: Problem, gap: np.ndarray) -> np.ndarray:
    """xi_i: an optimal arm's own mean, infinity where no mean would bring the arm in."""
    if not problem.feasible:
        return np.full(len(arms), np.nan)
    numbers, prices = program(arms, problem.goal), np.array(problem.prices)[:, None]
    worth = numbers.value + (prices * numbers.a).sum(axis=0)
    needed = np.array(problem.levels)[arms.kind] + numbers.cost - (prices * numbers.b).sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        xi = np.where(worth != 0.0, needed / worth, np.inf)
    return np.where(gap == 0.0, arms.mean, xi)


def _divergence(mean: np.ndarray, xi: np.ndarray) -> np.ndarray:
    """d(mu_i, xi_i) = mu log(mu / xi) + (1 - mu) log((1 - mu) / (1 - xi)) in nats.

    Infinite where xi_i is not in [0, 1], as no arm's mean can go there.
    """
    to = np.clip(xi, 0.0, 1.0)
    kl = scipy.special.rel_entr(mean, to) + scipy.special.rel_entr(1.0 - mean, 1.0 - to)
    kl = np.where(to == xi, kl, np.inf)
    return np.where(np.isnan(xi), np.nan, np.where(mean == xi, 0.0, kl))


def lower_bound(table: pd.DataFrame) -> float | None:
    """C, the slope of composite regret in log T; None where it is not defined."""
    slope = float(np.sum(table["lower_bound"].to_numpy()))
    return slope if np.isfinite(slope) else None


def bounds(
    outcomes: pd.DataFrame, table: pd.DataFrame, problem: Problem, horizon: int, policy: str
) -> pd.DataFrame:
    """The growing terms of Lemma 2 (summed over the arms), Theorem 1 and Theorem 2 at T.

    One row per bound: quantity, statement, what a policy reached (`value`, `value_low`,
    `value_high`), `bound`, what drawing arms uniformly comes to (`uniform`), and `vacuous`, whether
    the bound is above that. Asymptotic bounds cannot be refuted at a finite T, so there is no
    verdict. Empty for other problems than the paper's.
    """
    if table["plays_coefficient"].isna().any():
        return pd.DataFrame()
    runs, plays = outcomes[outcomes["policy"] == policy], table["plays_coefficient"]
    root = ROOT * math.sqrt(horizon) if problem.binds else 0.0
    rows = []
    for quantity, statement, column, cost in (
        ("suboptimal", "suboptimal plays (Lemma 2)", "suboptimal", None),
        ("regret", "regret (Theorem 1)", "regret_expected", "delta_reward"),
        ("violation", "violation (Theorem 2)", "violation_0_expected", "delta_events"),
    ):
        each = table[cost] if cost else (~table["optimal"]).astype(float)
        mixed = root * max(0.0, each.max()) if cost else 0.0
        bound = math.log(horizon) * (plays * each.clip(lower=0.0)).sum() + mixed
        uniform = horizon * max(0.0, each.mean())
        row: dict[str, Any] = {"quantity": quantity, "statement": statement, "policy": policy}
        row |= mean_of("value", runs[column].to_numpy(dtype=float))
        rows.append(row | {"bound": bound, "uniform": uniform, "vacuous": bound >= uniform})
    return pd.DataFrame(rows)
