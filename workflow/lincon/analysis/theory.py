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

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd
import scipy  # scipy.special is loaded when it is used

from lincon.analysis.inference import exp, log
from lincon.analysis.measures import deviations
from lincon.data.arms import Arms
from lincon.problem.goal import program
from lincon.problem.record import Problem, gaps

ROOT = 18.0 * math.sqrt(2.0 * math.log(2.0))
PAPER = (
    *("delta_reward", "delta_events"),
    *("plays_coefficient", "regret_coefficient", "violation_coefficient"),
)


def is_papers(arms: Arms, problem: Problem) -> bool:
    """Whether the theorems apply: a floor on the event rate, and no costs."""
    return problem.goal.eta is not None and not program(arms, problem.goal).cost.any()


def theory_table(arms: Arms, problem: Problem, gamma: float) -> pd.DataFrame:
    """One row per arm. Without a feasible mixture there is no optimum, and its columns are NaN.

    `optimal` means D_i = 0: the support of x*, and otherwise only arms that tie with it.
    """
    numbers = program(arms, problem.goal)
    share = np.full(len(arms), 0.0 if problem.feasible else np.nan)
    share[list(problem.support)] = problem.shares
    gap = gaps(arms, problem)
    xi = entering_mean(arms, problem)
    kl = _divergence(arms.mean, xi)
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
            "lower_bound": gap * _reciprocal(kl, gap),
        }
    )
    for j, one in enumerate(problem.goal.constraints):
        table[f"amount_{j}"] = one.sign * (numbers.a[j] * arms.mean + numbers.b[j])
    if not is_papers(arms, problem):
        return table.assign(**dict.fromkeys(PAPER, np.nan))
    optimum = np.nan if problem.optimum is None else problem.optimum
    lost, short = optimum - reward, problem.eta - arms.mean
    plays = (1.0 + gamma) ** 2 * _reciprocal(kl, gap)
    terms = (lost, short, plays, plays * np.maximum(lost, 0.0), plays * np.maximum(short, 0.0))
    return table.assign(**dict(zip(PAPER, terms, strict=True)))


def entering_mean(arms: Arms, problem: Problem) -> np.ndarray:
    """xi_i: an optimal arm's own mean, infinity where no mean would bring the arm in."""
    if not problem.feasible:
        return np.full(len(arms), np.nan)
    numbers, prices = program(arms, problem.goal), np.array(problem.prices)[:, None]
    worth = numbers.value + (prices * numbers.a).sum(axis=0)
    needed = problem.level + numbers.cost - (prices * numbers.b).sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        xi = np.where(worth != 0.0, needed / worth, np.inf)
    return np.where(gaps(arms, problem) == 0.0, arms.mean, xi)


def bernoulli_divergence(p: np.ndarray | float, q: np.ndarray | float) -> np.ndarray:
    """d(p, q) = p log(p / q) + (1 - p) log((1 - p) / (1 - q)) in nats, with 0 log 0 = 0."""
    p, q = np.asarray(p, dtype=float), np.asarray(q, dtype=float)
    return scipy.special.rel_entr(p, q) + scipy.special.rel_entr(1.0 - p, 1.0 - q)


def _divergence(mean: np.ndarray, xi: np.ndarray) -> np.ndarray:
    """d(mu_i, xi_i); infinite where xi_i is not in [0, 1], as no arm's mean can go there."""
    inside = (xi >= 0.0) & (xi <= 1.0)
    kl = np.where(inside, bernoulli_divergence(mean, np.clip(xi, 0.0, 1.0)), np.inf)
    return np.where(np.isnan(xi), np.nan, np.where(mean == xi, 0.0, kl))


def _reciprocal(kl: np.ndarray, gap: np.ndarray) -> np.ndarray:
    """1 / d(mu_i, xi_i) of suboptimal arms; 0 for the others and those that cannot enter."""
    with np.errstate(divide="ignore"):
        return np.where(gap == 0.0, 0.0, 1.0 / kl)


@dataclass(frozen=True)
class Bounds:
    """Sums over the arms, each a coefficient of log t; the roots are coefficients of sqrt t.

    `lower` is C of the lower bound. All others are the paper's, and NaN for other problems.
    """

    lower: float
    plays: float
    regret: float
    violation: float
    regret_root: float
    violation_root: float

    def plays_bound(self, t: np.ndarray | float) -> np.ndarray:
        """Lemma 2, summed over the suboptimal arms."""
        return self.plays * log(t)

    def regret_bound(self, t: np.ndarray | float) -> np.ndarray:
        """Theorem 1."""
        return self.regret * log(t) + self.regret_root * np.sqrt(t)

    def violation_bound(self, t: np.ndarray | float) -> np.ndarray:
        """Theorem 2."""
        return self.violation * log(t) + self.violation_root * np.sqrt(t)


def bounds(table: pd.DataFrame, problem: Problem) -> Bounds:
    """Everything is NaN where the goal is infeasible."""

    def total(column: str) -> float:
        return float(np.sum(table[column].to_numpy()))

    def largest(column: str) -> float:
        return float(np.maximum(0.0, np.max(table[column].to_numpy())))

    root = ROOT if any(problem.binding) else 0.0
    return Bounds(
        lower=total("lower_bound"),
        plays=total("plays_coefficient"),
        regret=total("regret_coefficient"),
        violation=total("violation_coefficient"),
        regret_root=root * largest("delta_reward"),
        violation_root=root * largest("delta_events"),
    )


def uniform_play(table: pd.DataFrame, t: float) -> dict[str, float]:
    """What drawing every arm alike comes to: a bound above it says nothing at this t."""
    return {
        "suboptimal": t * float(np.mean(~table["optimal"])),
        "regret": t * max(0.0, float(table["delta_reward"].mean())),
        "violation": t * max(0.0, float(table["delta_events"].mean())),
    }


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
    safe = np.where(deviation > 0.0, deviation, 1.0)
    z = drift / safe
    density = exp(-0.5 * z**2) / math.sqrt(2.0 * math.pi)
    return np.where(
        deviation > 0.0, deviation * density - drift * scipy.special.ndtr(-z), np.maximum(-drift, 0)
    )


def next_price(arms: Arms, problem: Problem) -> float:
    """What a unit of the only constraint costs beyond the optimal mixture, on the next segment.

    A shortfall from learning may have to be repaid there, at more than lambda*. NaN where no arm
    has more of it, and for several constraints.
    """
    if not problem.feasible or len(problem.goal.constraints) > 1:
        return np.nan
    numbers, (price,) = program(arms, problem.goal), problem.prices
    g, h = numbers.value * arms.mean - numbers.cost, numbers.a[0] * arms.mean + numbers.b[0]
    last = max(problem.support, key=lambda arm: h[arm])
    beyond = h > h[last]
    slopes = (g[last] - g[beyond]) / (h[beyond] - h[last])
    return max(price, float(slopes.min())) if beyond.any() else np.nan


def scalars(table: pd.DataFrame, arms: Arms, problem: Problem) -> dict[str, float | None]:
    """The numbers of a setting that are read again, ready for JSON: None where undefined."""
    numbers = {
        "lower_bound_slope": bounds(table, problem).lower,
        "next_price": next_price(arms, problem),
    }
    return {name: x if np.isfinite(x) else None for name, x in numbers.items()}
