"""The paper's theory in numbers: xi_i, the terms of both theorems, the lower-bound slope.

What is used, and what is not:

* Lemma 2: a suboptimal arm is played about log T / d(mu_i, xi_i) times, at most (1 + gamma)^2 as
  often plus a constant.
* Theorems 1 and 2: regret and violation are at most the plays of Lemma 2, weighted by what one
  play costs, plus 18 sqrt(2 T log 2) for the two optimal arms, whose mixture has to be learnt,
  times the most that one play can cost: Delta^+_max for the regret, delta^+_max for the violation.
* The constants that do not grow with T are left out, as the paper gives no number for them: these
  are the growing terms of the bounds, not finite-time guarantees.
* A play that costs less than nothing (Delta_i < 0 or delta_i < 0) adds nothing to an upper bound,
  so costs enter with their positive part, Delta_i^+ and delta_i^+.
* Where the constraint does not bind, lambda* = 0, nothing is mixed, and the formulas are the
  unconstrained ones, without the square root.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd
import scipy  # scipy.special is loaded when it is used

from lincon.analysis.c_library import exp, log
from lincon.data.arms import Arms
from lincon.problem.divergence import bernoulli_divergence
from lincon.problem.record import Problem, gaps

ROOT = 18.0 * math.sqrt(2.0 * math.log(2.0))


def theory_table(arms: Arms, problem: Problem, gamma: float) -> pd.DataFrame:
    """One row an arm. Where eta is out of reach there is no optimum, and its columns are NaN.

    `optimal` means D_i = 0. That is the support of x*, and besides it only arms that tie with it.
    """
    share = np.full(len(arms), 0.0 if problem.feasible else np.nan)
    share[list(problem.support)] = problem.shares
    optimum, price, level = (
        np.nan if x is None else x for x in (problem.optimum, problem.price, problem.level)
    )
    gap = gaps(arms, problem)
    xi = _xi(arms, price, level, gap)
    kl = _divergence(arms.mean, xi)
    reward_gap, event_gap = optimum - arms.mean * arms.value, problem.eta - arms.mean
    plays = (1.0 + gamma) ** 2 * _reciprocal(kl, gap)
    return pd.DataFrame(
        {
            "arm": np.arange(len(arms)),
            "label": arms.label,
            "mean": arms.mean,
            "value": arms.value,
            "share": share,
            "xi": xi,
            "slack": xi - arms.mean,
            "kl": kl,
            "delta_reward": reward_gap,
            "delta_events": event_gap,
            "gap": gap,
            "optimal": gap == 0.0,
            "plays_coefficient": plays,
            "regret_coefficient": plays * np.maximum(reward_gap, 0.0),
            "violation_coefficient": plays * np.maximum(event_gap, 0.0),
            "lower_bound": gap * _reciprocal(kl, gap),
        }
    )


def _xi(arms: Arms, price: float, level: float, gap: np.ndarray) -> np.ndarray:
    """The mean that would make an arm optimal: its own if it is, infinity if none would do."""
    worth = arms.value + price
    with np.errstate(divide="ignore", invalid="ignore"):
        xi = np.where(worth > 0.0, level / worth, np.inf)
    xi = np.where(gap == 0.0, arms.mean, xi)
    return xi if np.isfinite(level) else np.full(len(arms), np.nan)


def _divergence(mean: np.ndarray, xi: np.ndarray) -> np.ndarray:
    """d(mu_i, xi_i); infinite where xi_i >= 1, as no arm's mean can rise beyond that."""
    with np.errstate(invalid="ignore"):
        kl = np.where(xi < 1.0, bernoulli_divergence(mean, np.minimum(xi, 1.0)), np.inf)
    return np.where(np.isnan(xi), np.nan, np.where(mean == xi, 0.0, kl))


def _reciprocal(kl: np.ndarray, gap: np.ndarray) -> np.ndarray:
    """1 / d(mu_i, xi_i) for the suboptimal arms, 0 for the optimal ones and those beyond reach."""
    with np.errstate(divide="ignore"):
        return np.where(gap == 0.0, 0.0, 1.0 / kl)


@dataclass(frozen=True)
class Bounds:
    """The sums over the arms, each the coefficient of log t, and the curves that they make.

    The roots are the coefficients of sqrt t in the two theorems.
    """

    lower_bound_slope: float
    plays_slope: float
    regret_slope: float
    violation_slope: float
    composite_slope: float
    price: float
    regret_root: float
    violation_root: float

    def regret_bound(self, t: np.ndarray | float) -> np.ndarray | float:
        """Theorem 1."""
        return self.regret_slope * log(t) + self.regret_root * np.sqrt(t)

    def violation_bound(self, t: np.ndarray | float) -> np.ndarray | float:
        """Theorem 2."""
        return self.violation_slope * log(t) + self.violation_root * np.sqrt(t)

    def composite_bound(self, t: np.ndarray | float) -> np.ndarray | float:
        """Lemma 2 times D_i: the composite regret does not pay for the optimal arms' mixture."""
        return self.composite_slope * log(t)

    def theorems_bound(self, t: np.ndarray | float) -> np.ndarray | float:
        """Both theorems in one number, R + lambda* V: looser than `composite_bound`."""
        return self.regret_bound(t) + self.price * self.violation_bound(t)


def bounds(table: pd.DataFrame, problem: Problem) -> Bounds:
    """Everything is NaN where eta is out of reach."""

    def total(column: str) -> float:
        return float(np.sum(table[column].to_numpy()))

    def largest(column: str) -> float:
        return max(0.0, float(np.max(table[column].to_numpy())))

    unknown = not problem.feasible
    root = np.nan if unknown else ROOT if problem.binds else 0.0
    return Bounds(
        lower_bound_slope=total("lower_bound"),
        plays_slope=total("plays_coefficient"),
        regret_slope=total("regret_coefficient"),
        violation_slope=total("violation_coefficient"),
        composite_slope=float(np.sum((table["plays_coefficient"] * table["gap"]).to_numpy())),
        price=np.nan if problem.price is None else problem.price,
        regret_root=root * largest("delta_reward"),
        violation_root=root * largest("delta_events"),
    )


def noise_floors(table: pd.DataFrame, problem: Problem, t: np.ndarray) -> dict[str, np.ndarray]:
    """The realised regret and violation that the optimal mixture itself shows on average.

    Realised sums scatter around their means; the clipped shortfall of a sum that is normal with
    mean -drift and standard deviation s is s phi(z) - drift Phi(-z), z = drift / s. Where the
    constraint binds, the violation's drift is zero and this is sqrt(eta (1 - eta) t / 2 pi).
    """
    if problem.optimum is None:
        return {name: np.full(len(t), np.nan) for name in ("regret", "violation")}
    rate = float(np.sum(table["share"] * table["mean"]))
    square = float(np.sum(table["share"] * table["mean"] * table["value"] ** 2))
    drift = 0.0 if problem.binds else rate - problem.eta
    return {
        "regret": _clipped_mean(0.0 * t, np.sqrt((square - problem.optimum**2) * t)),
        "violation": _clipped_mean(drift * t, np.sqrt(rate * (1.0 - rate) * t)),
    }


def _clipped_mean(drift: np.ndarray, deviation: np.ndarray) -> np.ndarray:
    safe = np.where(deviation > 0.0, deviation, 1.0)
    z = drift / safe
    density = exp(-0.5 * z**2) / math.sqrt(2.0 * math.pi)
    return np.where(
        deviation > 0.0, deviation * density - drift * scipy.special.ndtr(-z), np.maximum(-drift, 0)
    )


def scalars(table: pd.DataFrame, problem: Problem, horizon: int) -> dict[str, float | int | None]:
    """The theory of a setting in a handful of numbers, ready for JSON: None where undefined."""
    sums = bounds(table, problem)
    floors = noise_floors(table, problem, np.array([float(horizon)]))
    numbers = {
        "optimum": problem.optimum,
        "price": problem.price,
        "level": problem.level,
        "lower_bound_slope": sums.lower_bound_slope,
        "plays_slope": sums.plays_slope,
        "regret_slope": sums.regret_slope,
        "violation_slope": sums.violation_slope,
        "composite_slope": sums.composite_slope,
        "regret_bound": sums.regret_bound(horizon),
        "violation_bound": sums.violation_bound(horizon),
        "regret_noise_floor": floors["regret"][0],
        "violation_noise_floor": floors["violation"][0],
    }
    known = {k: None if v is None or not np.isfinite(v) else float(v) for k, v in numbers.items()}
    idle = int(np.sum((table["xi"] >= 1.0) & ~table["optimal"]))
    return {"horizon": horizon, "arms_without_exploration": idle} | known
