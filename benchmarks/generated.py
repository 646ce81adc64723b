"""Arms drawn at random such that a given floor can be met and binds: the problems of the atlas.

A Gaussian copula gives means and values, both uniform, their rank correlation. Then two things are
set exactly: the largest mean is `floor + slack`, and `near_optimal` arms lie within a relative gap
of the optimum, no others within nearly twice that. Values of arms that meet the floor are lowered
until the best expected reward among them is at most 0.8 times the best of the others, so that the
floor costs something.
"""

import math

import numpy as np
from scipy.special import ndtr, ndtri

TRADE_OFF, GAP = 0.8, 0.02
TRIES = 20
DIGITS = 12  # what inverse distribution functions of different releases agree on


def draw(
    arms: int, floor: float, slack: float, correlation: float, near_optimal: int, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """Means and values; drawn again where the floor is idle."""
    rng = np.random.Generator(np.random.PCG64(seed))
    for _ in range(TRIES):
        mean, value = _correlated(rng, arms, correlation)
        mean *= (floor + slack) / mean.max()
        reward, below = mean * value, mean < floor
        if reward[below].max(initial=0.0) > 0:
            aim, best_above = TRADE_OFF * reward[below].max(), reward[~below].max()
            if best_above > aim:
                value[~below] *= aim / best_above
            _set_near_optimal(rng, mean, value, floor, near_optimal)
        mean, value = np.minimum(np.round(mean, DIGITS), 1.0), np.round(value, DIGITS)
        reward, below = mean * value, mean < floor
        if reward[~below].max() < reward[below].max(initial=0.0):
            return mean, value
    raise ValueError(f"in none of {TRIES} draws did the floor of {floor:g} bind")


def _correlated(
    rng: np.random.Generator, arms: int, correlation: float
) -> tuple[np.ndarray, np.ndarray]:
    first, second = ndtri(rng.random((2, arms)))
    # The Pearson correlation of normals whose ranks have this Spearman correlation.
    pearson = 2 * math.sin(math.pi / 6 * correlation)
    return ndtr(first), ndtr(pearson * first + np.sqrt(1 - pearson**2) * second)


def _optimum(mean: np.ndarray, value: np.ndarray, floor: float) -> tuple[int, int, float, float]:
    """The two arms that a binding optimum mixes, the price of the floor, and the level nu*.

    Start from the best expected reward below and the largest mean above; the arm with the largest
    reward + price * mean either proves the pair optimal or replaces the one on its side of the
    floor.
    """
    reward = mean * value
    below, above = int(np.argmax(np.where(mean < floor, reward, -1))), int(np.argmax(mean))
    while True:
        price = (reward[below] - reward[above]) / (mean[above] - mean[below])
        height = reward + price * mean
        best = int(np.argmax(height))
        if best in (below, above) or height[best] <= height[below] * (1 + 1e-12):
            return below, above, float(price), float(height[below])
        if mean[best] < floor:
            below = best
        else:
            above = best


def _set_near_optimal(
    rng: np.random.Generator, mean: np.ndarray, value: np.ndarray, floor: float, near_optimal: int
) -> None:
    """Move arms onto, or away from, the line on which the optimum's arms lie."""
    low, high, price, level = _optimum(mean, value, floor)
    top = int(np.argmax(mean))
    if top != high and price * mean[top] > level * (1 - 2 * GAP):
        # It is too near whatever it pays, and its mean is the slack's: it becomes optimal.
        value[top] = min(level * (1 + 2 * GAP) / mean[top] - price, 1.0)
        low, high, price, level = _optimum(mean, value, floor)
    others = np.setdiff1d(np.arange(len(mean)), [low, high, top])
    chosen = rng.permutation(others)[:near_optimal]
    rest = np.setdiff1d(np.append(others, top), [*chosen, low, high])
    away = level * (1 - 2 * GAP)
    _lower(mean, value, rest[(value[rest] + price) * mean[rest] > away], away, price)
    mean[chosen] = mean[low] + (mean[high] - mean[low]) * rng.random(len(chosen))
    value[chosen] = 1.0
    near = level * (1 - GAP * rng.uniform(0.5, 1.0, len(chosen)))
    _lower(mean, value, chosen, near, price)


def _lower(
    mean: np.ndarray,
    value: np.ndarray,
    which: np.ndarray,
    level: np.ndarray | float,
    price: float,
) -> None:
    """Values that put (value + price) mean on the level; smaller means where none can."""
    wanted = level / mean[which] - price
    value[which] = np.clip(wanted, 0.0, 1.0)
    mean[which] *= np.where(wanted < 0.0, level / (price * mean[which]), 1.0)
