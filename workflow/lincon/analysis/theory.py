"""What theory says of a problem: gaps, the lower bound, the paper's theorems, an oracle's noise.

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

import numpy as np
import pandas as pd
import scipy  # scipy.special is loaded when it is used

from lincon.analysis.inference import paired_t
from lincon.analysis.measures import deviations
from lincon.data.arms import Arms
from lincon.problem.program import program
from lincon.problem.record import Problem, gaps

GAMMA = 0.1  # the free constant of the paper's bounds, (1 + gamma)^2 log T
ROOT = 18.0 * math.sqrt(2.0 * math.log(2.0))
STATEMENTS = {
    "suboptimal": "suboptimal plays (Lemma 2)",
    "regret": "regret (Theorem 1)",
    "violation": "violation (Theorem 2)",
}
PAPER = (
    *("delta_reward", "delta_events"),
    *("plays_coefficient", "regret_coefficient", "violation_coefficient"),
)


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
    table = pd.DataFrame(
        {
            "arm": np.arange(len(arms)),
            "label": arms.label,
            "mean": arms.mean,
            "value": arms.value,
            "share": share,
            "reward": reward,
            "gap": gap,
            "optimal": gap == 0.0,
            "xi": xi,
            "kl": kl,
            "lower_bound": gap * needed,
        }
    )
    for j, one in enumerate(problem.goal.constraints):
        table[f"amount_{j}"] = one.sign * (numbers.a[j] * arms.mean + numbers.b[j])
    if problem.goal.eta is None or numbers.cost.any():
        return table.assign(**dict.fromkeys(PAPER, np.nan))
    optimum = np.nan if problem.optimum is None else problem.optimum
    lost, short, plays = optimum - reward, problem.goal.eta - arms.mean, (1.0 + GAMMA) ** 2 * needed
    terms = (lost, short, plays, plays * np.maximum(lost, 0.0), plays * np.maximum(short, 0.0))
    return table.assign(**dict(zip(PAPER, terms, strict=True)))


def _entering_mean(arms: Arms, problem: Problem, gap: np.ndarray) -> np.ndarray:
    """xi_i: an optimal arm's own mean, infinity where no mean would bring the arm in."""
    if not problem.feasible:
        return np.full(len(arms), np.nan)
    numbers, prices = program(arms, problem.goal), np.array(problem.prices)[:, None]
    worth = numbers.value + (prices * numbers.a).sum(axis=0)
    needed = problem.level + numbers.cost - (prices * numbers.b).sum(axis=0)
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


def bounds(table: pd.DataFrame, problem: Problem, t: float) -> dict[str, float]:
    """The growing terms of Lemma 2 (summed over the arms), Theorem 1 and Theorem 2 at round t."""
    root = ROOT if problem.binds else 0.0
    terms = {"suboptimal": float(np.sum(table["plays_coefficient"].to_numpy())) * math.log(t)}
    for name, delta in (("regret", "delta_reward"), ("violation", "delta_events")):
        slope = float(np.sum(table[f"{name}_coefficient"].to_numpy()))
        largest = float(np.maximum(0.0, np.max(table[delta].to_numpy())))
        terms[name] = slope * math.log(t) + root * largest * math.sqrt(t)
    return terms


def uniform_play(table: pd.DataFrame, t: float) -> dict[str, float]:
    """What drawing arms uniformly comes to: a bound above it is vacuous at this t."""
    return {
        "suboptimal": t * float(np.mean(~table["optimal"])),
        "regret": t * max(0.0, float(table["delta_reward"].mean())),
        "violation": t * max(0.0, float(table["delta_events"].mean())),
    }


def bounds_table(
    outcomes: pd.DataFrame, table: pd.DataFrame, problem: Problem, horizon: int, policy: str
) -> pd.DataFrame:
    """The paper's three bounds at T beside what a policy reached and what uniform play does.

    One row per bound: quantity, statement, value and its 95% interval, bound, uniform, vacuous.
    Asymptotic bounds cannot be refuted at a finite T, so there is no verdict. Empty for other
    problems than the paper's.
    """
    if table["plays_coefficient"].isna().any():
        return pd.DataFrame()
    runs = outcomes[outcomes["policy"] == policy]
    reached = {
        "suboptimal": runs["suboptimal"],
        "regret": runs["regret_expected"],
        "violation": runs["violation_0_expected"],
    }
    bound, easy, rows = bounds(table, problem, horizon), uniform_play(table, horizon), []
    for quantity, statement in STATEMENTS.items():
        mean = paired_t(reached[quantity].to_numpy(dtype=float))
        row: dict[str, object] = {"quantity": quantity, "statement": statement, "policy": policy}
        row |= {"value": mean.value, "value_low": mean.low, "value_high": mean.high}
        row |= {"bound": bound[quantity], "uniform": easy[quantity]}
        rows.append(row | {"vacuous": bound[quantity] >= easy[quantity]})
    return pd.DataFrame(rows)


def noise_floors(arms: Arms, problem: Problem, t: np.ndarray) -> dict[str, np.ndarray]:
    """The realised regret and violations that the optimal mixture itself shows on average.

    Realised sums scatter around their means; the clipped shortfall of a sum that is normal with
    mean -drift and standard deviation s is s phi(z) - drift Phi(-z), z = drift / s. Where a floor
    on the event rate binds, the drift is zero and this is sqrt(eta (1 - eta) t / 2 pi).
    """
    goal = problem.goal.constraints
    drifts = [0.0] * (1 + len(goal))
    for j, one in enumerate(goal):
        if problem.feasible and not problem.binding[j]:
            drifts[1 + j] = one.sign * (problem.amounts[j] - one.bound)
    names = ["regret", *(f"violation_{j}" for j in range(len(goal)))]
    unknown = 0.0 if problem.feasible else np.nan
    each = zip(names, drifts, deviations(arms, problem), strict=True)
    return {name: unknown + _clipped_mean(d * t, s * np.sqrt(t)) for name, d, s in each}


def _clipped_mean(drift: np.ndarray, deviation: np.ndarray) -> np.ndarray:
    z = drift / np.where(deviation > 0.0, deviation, 1.0)
    density = np.exp(-0.5 * z**2) / math.sqrt(2.0 * math.pi)
    spread = deviation * density - drift * scipy.special.ndtr(-z)
    return np.where(deviation > 0.0, spread, np.maximum(-drift, 0.0))
