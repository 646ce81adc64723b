"""Arms drawn from Beta laws, made so that a given floor can be met and binds.

A Gaussian copula gives means and values their rank correlation, Beta laws give them their shapes.
Then two things are set exactly: the largest mean is `floor + slack`, and `near_optimal` arms lie
within a relative gap of `gap` of the optimum, no others within nearly twice that.

Two things are only aimed at. Values of arms that meet the floor are lowered until the best expected
reward among them is `trade_off` times the best of the others, so that the floor costs something:
that moves the rank correlation below the one asked for, and placing the near-optimal arms after it
can raise the ratio again, though never to 1. A study that groups problems by either takes what came
out, which the arms' note states, not what was asked for.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import betaincinv, ndtr, ndtri
from scipy.stats import spearmanr

from lincon.errors import UserError

if TYPE_CHECKING:
    from lincon.data.kinds.generated import Generated

# The Beta distributions of means and values, and their rank correlation where none is given.
RECIPES: dict[str, tuple[tuple[float, float], tuple[float, float], float]] = {
    "uniform": ((1, 1), (1, 1), 0),
    "rare_events": ((1, 9), (1, 3), -0.2),
    "steep_trade_off": ((2, 1), (1, 1), -0.9),
}
TRIES = 20
DIGITS = 12  # what inverse distribution functions of different releases agree on


def draw(spec: Generated) -> tuple[np.ndarray, np.ndarray, str]:
    """Means, values and what came out, in words; drawn again where the floor is idle."""
    rng = np.random.Generator(np.random.PCG64(spec.seed))
    for _ in range(TRIES):
        mean, value = _correlated(rng, spec)
        mean *= (spec.floor + spec.slack) / mean.max()
        reward, below = mean * value, mean < spec.floor
        if reward[below].max(initial=0.0) > 0:
            aim, best_above = spec.trade_off * reward[below].max(), reward[~below].max()
            if best_above > aim:
                value[~below] *= aim / best_above
            _set_near_optimal(rng, mean, value, spec)
        mean, value = np.minimum(np.round(mean, DIGITS), 1.0), np.round(value, DIGITS)
        reward, below = mean * value, mean < spec.floor
        best_below, best_above = reward[below].max(initial=0.0), reward[~below].max()
        if best_above < best_below:
            found = f"rank correlation {spearmanr(mean, value).statistic:.2f}"
            return mean, value, f"{found} and trade-off {best_above / best_below:.2f}"
    raise UserError(
        f"kind generated, recipe {spec.recipe}: in none of {TRIES} draws did the floor of "
        f"{spec.floor:g} bind; allowed: more arms, a smaller slack or trade_off, or a law of means "
        "with smaller ones"
    )


def _correlated(rng: np.random.Generator, spec: Generated) -> tuple[np.ndarray, np.ndarray]:
    means, values, correlation = RECIPES[spec.recipe]
    correlation = correlation if spec.correlation is None else spec.correlation
    first, second = ndtri(rng.random((2, spec.arms)))
    # The Pearson correlation of normals whose ranks have this Spearman correlation.
    pearson = 2 * math.sin(math.pi / 6 * correlation)
    second = pearson * first + np.sqrt(1 - pearson**2) * second
    return betaincinv(*means, ndtr(first)), betaincinv(*values, ndtr(second))


def _optimum(mean: np.ndarray, value: np.ndarray, floor: float) -> tuple[int, int, float, float]:
    """The two arms that a binding optimum mixes, the price of the floor, and the level nu*.

    Start from the best expected reward below and the largest mean above; the arm with the largest
    (r + price) mean either proves the pair optimal or replaces the one on its side of the floor.
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
    rng: np.random.Generator, mean: np.ndarray, value: np.ndarray, spec: Generated
) -> None:
    """Move arms onto, or away from, the line on which the optimum's arms lie."""
    low, high, price, level = _optimum(mean, value, spec.floor)
    top = int(np.argmax(mean))
    if top != high and price * mean[top] > level * (1 - 2 * spec.gap):
        # It is too near whatever it pays, and its mean is the slack's: it becomes optimal.
        value[top] = min(level * (1 + 2 * spec.gap) / mean[top] - price, 1.0)
        low, high, price, level = _optimum(mean, value, spec.floor)
    others = np.setdiff1d(np.arange(len(mean)), [low, high, top])
    chosen = rng.permutation(others)[: spec.near_optimal]
    rest = np.setdiff1d(np.append(others, top), [*chosen, low, high])
    away = level * (1 - 2 * spec.gap)
    _lower(mean, value, rest[(value[rest] + price) * mean[rest] > away], away, price)
    mean[chosen] = mean[low] + (mean[high] - mean[low]) * rng.random(len(chosen))
    value[chosen] = 1.0
    _lower(mean, value, chosen, level * (1 - spec.gap * rng.uniform(0.5, 1.0, len(chosen))), price)


def _lower(
    mean: np.ndarray, value: np.ndarray, which: np.ndarray, level: Any, price: float
) -> None:
    """Values that put (value + price) mean on the level; smaller means where none can."""
    wanted = level / mean[which] - price
    value[which] = np.clip(wanted, 0.0, 1.0)
    mean[which] *= np.where(wanted < 0.0, level / (price * mean[which]), 1.0)
