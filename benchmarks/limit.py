"""The Bayes-optimal joint regret, which no policy can beat on average: docs/limit.md.

    python benchmarks/limit.py [--runs 8]

Problems have the values and the floor of a `Case` and means drawn uniformly from a grid, if the
best mean leaves some room above the floor. Given this prior, the best policy is a
dynamic program over the counts (plays and events of each arm). Its expected joint regret on the
expected basis is the limit, beside which the policies play the same problems. Writes
docs/numbers/limit.csv and docs/limit.png.
"""

import itertools
import math
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numba import njit

import lincon

GRID = np.linspace(0.05, 0.95, 19)
ROOM = 0.05  # of the best mean above the floor
POLICIES = ("gittins_ledger", "ts_ledger", "ts_paced", "lincon_ts", "lincon_kl_ucb")
FIGURE = Path(__file__).resolve().parents[1] / "docs" / "limit.png"


class Case(NamedTuple):
    eta: float
    values: tuple[float, ...]
    horizons: tuple[int, ...]


CASES = (
    Case(0.5, (1.0, 0.4), (25, 50, 100, 200, 400)),
    Case(0.3, (1.0, 0.7), (25, 50, 100, 200, 400)),
    Case(0.7, (1.0, 0.2), (25, 50, 100, 200, 400)),
    Case(0.5, (1.0, 0.6, 0.3), (10, 20, 40)),
)


class Prior(NamedTuple):
    """All problems that are possible, equally likely: their means and what plays cost at the end.

    Attributes
    ----------
    where : int array of shape (K, N)
        The places of the means in GRID.
    reward, price : arrays of shape (K,)
        Of the optimal mixture, per round; of the floor.
    """

    where: np.ndarray
    reward: np.ndarray
    price: np.ndarray

    @classmethod
    def of(cls, case: Case) -> "Prior":
        places = itertools.product(range(GRID.size), repeat=len(case.values))
        room = case.eta + ROOM - 1e-9
        where = np.array([one for one in places if GRID[list(one)].max() >= room])
        optima = [lincon.solve(arms_of(GRID[one], case), floor=case.eta) for one in where]
        prices = [one.problem.prices[0] for one in optima]
        return cls(where, np.array([one.problem.optimum for one in optima]), np.array(prices))


def arms_of(means: np.ndarray, case: Case) -> lincon.Arms:
    return lincon.Arms.from_arrays(list(means), list(case.values))


def joint_regret(prior: Prior, case: Case, plays: np.ndarray) -> np.ndarray:
    """J = R+ + lambda V+ of each problem, K, after so many plays of the arms (N, or K x N)."""
    rounds, means = plays.sum(axis=-1), GRID[prior.where]
    regret = rounds * prior.reward - (plays * means * case.values).sum(axis=1)
    violation = rounds * case.eta - (plays * means).sum(axis=1)
    # Rounding errors become 0.
    positive = [np.where(x > 1e-9, x, 0.0) for x in (regret, violation)]
    return positive[0] + prior.price * positive[1]


# --- the dynamic program


def limit(case: Case, horizon: int) -> float:
    """The expected joint regret of the best policy over so many rounds.

    W(counts) = sum over problems of their probability, of the chance that these plays give these
    events, and of the joint regret from there on. It needs no posterior:

        W(counts) = min over arms of  W(counts and an event) + W(counts and a miss)
    """
    prior = Prior.of(case)
    first = horizon if len(case.values) == 3 else 0
    starts = starts_of(horizon, first)
    values = np.empty(starts.max() + (horizon + 1) ** 2)
    for plays in splits(horizon, first):
        weights = np.zeros((GRID.size,) * 3)
        counts = np.array(plays[3 - len(case.values) :])
        where = prior.where if first else np.insert(prior.where, 0, 0, axis=1)
        weights[tuple(where.T)] = joint_regret(prior, case, counts) / len(where)
        likely = [likelihoods(n) for n in plays]
        start, size = starts[plays[:2]], math.prod(n + 1 for n in plays)
        block = np.einsum("ijk,ai,bj,ck->abc", weights, *likely, optimize=True)
        values[start : start + size] = block.ravel()
    for rounds in range(horizon - 1, -1, -1):
        step_back(values, starts, rounds, horizon, first)
    return float(values[0])


def splits(rounds: int, first: int) -> Iterator[tuple[int, int, int]]:
    """All plays of three arms in so many rounds; of two arms, `first` is 0."""
    for n0 in range(min(rounds, first) + 1):
        for n1 in range(rounds - n0 + 1):
            yield n0, n1, rounds - n0 - n1


def starts_of(horizon: int, first: int) -> np.ndarray:
    """Where the block of (n0, n1) begins; it is large enough for all n2 that are left."""
    starts, total = np.zeros((horizon + 1, horizon + 1), np.int64), 0
    for n0, n1, n2 in splits(horizon, first):
        starts[n0, n1] = total
        total += (n0 + 1) * (n1 + 1) * (n2 + 1)
    return starts


def likelihoods(plays: int) -> np.ndarray:
    """mu^s (1 - mu)^(n - s), one row per s = 0..n, one column per mean of the grid."""
    events = np.arange(plays + 1)[:, None]
    return GRID**events * (1.0 - GRID) ** (plays - events)


@njit
def step_back(values, starts, rounds, horizon, first):
    """Replace W after rounds + 1 plays by W after `rounds` plays, in place.

    Counts are taken in rising order, so what is written is never read again.
    """
    for n0 in range(min(rounds, first) + 1):
        for n1 in range(rounds - n0 + 1):
            n2 = rounds - n0 - n1
            here, after_0, after_1 = starts[n0, n1], starts[n0 + 1, n1], starts[n0, n1 + 1]
            for s0 in range(n0 + 1):
                for s1 in range(n1 + 1):
                    # Rows of n2 + 2 values before this step, of n2 + 1 after it.
                    old = here + (s0 * (n1 + 1) + s1) * (n2 + 2)
                    new = here + (s0 * (n1 + 1) + s1) * (n2 + 1)
                    row_1 = after_1 + (s0 * (n1 + 2) + s1) * (n2 + 1)
                    row_0 = after_0 + (s0 * (n1 + 1) + s1) * (n2 + 1)
                    more_0 = (n1 + 1) * (n2 + 1)
                    for s2 in range(n2 + 1):
                        best = values[old + s2] + values[old + s2 + 1]
                        one = values[row_1 + s2] + values[row_1 + n2 + 1 + s2]
                        best = min(best, one)
                        if first > 0:
                            one = values[row_0 + s2] + values[row_0 + more_0 + s2]
                            best = min(best, one)
                        values[new + s2] = best
