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
from collections.abc import Mapping
from typing import Any

import numpy as np

from lincon.errors import UserError

TRIES = 20
DIGITS = 12  # what inverse distribution functions of different releases agree on


def came_out(mean: np.ndarray, value: np.ndarray, floor: float) -> str:
    """The rank correlation and the trade-off of the arms as they are."""
    from scipy.stats import spearmanr

    reward, meets = mean * value, mean >= floor
    ratio = reward[meets].max() / reward[~meets].max()
    return f"rank correlation {spearmanr(mean, value).statistic:.2f} and trade-off {ratio:.2f}"


def draw(settings: Mapping[str, Any], where: str) -> tuple[np.ndarray, np.ndarray]:
    """Means and values by settings that name everything; drawn again where the floor is idle."""
    rng = np.random.Generator(np.random.PCG64(int(settings["seed"])))
    floor = float(settings["floor"])
    for _ in range(TRIES):
        mean, value = _draw_once(rng, floor, settings)
        if binds(mean, value, floor):
            return mean, value
    raise UserError(
        f"{where}: in none of {TRIES} draws did the floor of {floor:g} bind; allowed: more arms, "
        "a smaller slack or trade_off, or a law of means with smaller ones"
    )


def _draw_once(
    rng: np.random.Generator, floor: float, settings: Mapping[str, Any]
) -> tuple[np.ndarray, np.ndarray]:
    mean, value = _correlated(rng, int(settings["arms"]), settings)
    mean *= (floor + float(settings["slack"])) / mean.max()
    if (mean * value)[mean < floor].max(initial=0.0) > 0:
        _set_trade_off(mean, value, mean < floor, float(settings["trade_off"]))
        _set_near_optimal(rng, mean, value, settings)
    return np.minimum(np.round(mean, DIGITS), 1.0), np.round(value, DIGITS)


def binds(mean: np.ndarray, value: np.ndarray, floor: float) -> bool:
    """Whether the floor can be met, and costs: the best expected reward is below it."""
    reward, meets = mean * value, mean >= floor
    return bool(meets.any() and reward[meets].max() < reward[~meets].max(initial=0.0))


def _correlated(
    rng: np.random.Generator, size: int, settings: Mapping[str, Any]
) -> tuple[np.ndarray, np.ndarray]:
    from scipy.special import betaincinv, ndtr, ndtri

    first, second = ndtri(rng.random((2, size)))
    # The Pearson correlation of normals whose ranks have this Spearman correlation.
    pearson = 2 * math.sin(math.pi / 6 * float(settings["correlation"]))
    second = pearson * first + np.sqrt(1 - pearson**2) * second
    laws = (settings["means"], settings["values"])
    mean, value = (
        np.asarray(betaincinv(float(law["a"]), float(law["b"]), ndtr(normal)))
        for law, normal in zip(laws, (first, second), strict=True)
    )
    return mean, value


def _set_trade_off(mean: np.ndarray, value: np.ndarray, below: np.ndarray, ratio: float) -> None:
    reward = mean * value
    best_below, best_above = reward[below].max(), reward[~below].max()
    if best_above > ratio * best_below:
        value[~below] *= ratio * best_below / best_above


def optimum(mean: np.ndarray, value: np.ndarray, floor: float) -> tuple[int, int, float, float]:
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
    rng: np.random.Generator, mean: np.ndarray, value: np.ndarray, settings: Mapping[str, Any]
) -> None:
    """Move arms onto, or away from, the line on which the optimum's arms lie."""
    floor, gap, count = (float(settings[key]) for key in ("floor", "gap", "near_optimal"))
    low, high, price, level = optimum(mean, value, floor)
    top = int(np.argmax(mean))
    if top != high and price * mean[top] > level * (1 - 2 * gap):
        # It is too near whatever it pays, and its mean is the slack's: it becomes optimal.
        value[top] = min(level * (1 + 2 * gap) / mean[top] - price, 1.0)
        low, high, price, level = optimum(mean, value, floor)
    others = np.setdiff1d(np.arange(len(mean)), [low, high, top])
    chosen = rng.permutation(others)[: int(count)]
    rest = np.setdiff1d(np.append(others, top), [*chosen, low, high])
    away = level * (1 - 2 * gap)
    _lower(mean, value, rest[(value[rest] + price) * mean[rest] > away], away, price)
    mean[chosen] = mean[low] + (mean[high] - mean[low]) * rng.random(len(chosen))
    value[chosen] = 1.0
    _lower(mean, value, chosen, level * (1 - gap * rng.uniform(0.5, 1.0, len(chosen))), price)


def _lower(
    mean: np.ndarray, value: np.ndarray, which: np.ndarray, level: Any, price: float
) -> None:
    """Values that put (value + price) mean on the level; smaller means where none can."""
    wanted = level / mean[which] - price
    value[which] = np.clip(wanted, 0.0, 1.0)
    short = wanted < 0.0
    mean[which[short]] *= (np.broadcast_to(level, which.shape) / (price * mean[which]))[short]
