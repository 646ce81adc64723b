"""The embedded offline arms: made in code from published facts, close to the real ones, not them.

What is known of a dataset is its quantiles, its few largest means and expected rewards, and the
rank correlation of means and values. So: lay the means and the values along their quantile curves,
put the listed arms in as they are, and pair the rest by rank with a little disorder.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

NOTE = "stand-in arms, not the real data"
LEVELS = (0.05, 0.10, 0.25, 0.50, 0.75, 0.90, 0.95, 0.99)
GOLDEN = (5**0.5 - 1) / 2


@dataclass(frozen=True)
class Facts:
    """What is published of a dataset. `mean` and `value` are sorted, each on its own."""

    mean: np.ndarray
    value: np.ndarray
    optimal: Mapping[int, tuple[float, float]]  # arm index: (mean, value)
    listed: tuple[tuple[float, float], ...]  # other arms with a large mean or expected reward
    ceiling: float  # no arm outside these lists has a larger mean * value
    tilt: float  # how strongly large means go with small values; sets the rank correlation


def along(
    size: int, ends: tuple[float, float], quantiles: Sequence[float], known: Mapping[float, float]
) -> np.ndarray:
    """`size` ascending numbers with these quantiles; `known` pins numbers at given ranks."""
    ranks = [level * (size - 1) for level in LEVELS]
    knots: dict[float, float] = {0: ends[0], **dict(zip(ranks, quantiles, strict=True))}
    knots[size - 1] = ends[1]
    knots.update(known)
    at = sorted(knots)
    return np.interp(np.arange(size), at, [knots[rank] for rank in at])


def stand_in(facts: Facts) -> dict[str, Any]:
    """What `arms.make` takes, made from these facts; the same every time, on every machine."""
    fixed = [*facts.optimal.values(), *facts.listed]
    rest_mean = without(facts.mean, [mean for mean, _ in fixed])
    rest_value = pair(
        rest_mean, without(facts.value, [value for _, value in fixed]), facts.tilt, facts.ceiling
    )
    size = facts.mean.size
    mean, value = np.empty(size), np.empty(size)
    places = np.array([i for i in range(size) if i not in facts.optimal])
    places = places[np.argsort(disorder(places.size))]
    mean[places] = [*rest_mean, *(mean for mean, _ in facts.listed)]
    value[places] = [*rest_value, *(value for _, value in facts.listed)]
    for i, arm in facts.optimal.items():
        mean[i], value[i] = arm
    labels = [f"stand-in {i}" for i in range(size)]
    return {"mean": mean, "value": value, "label": labels, "source": "standin", "note": NOTE}


def without(numbers: np.ndarray, fixed: list[float]) -> np.ndarray:
    """The numbers less, for each fixed one, the nearest: the listed arms take their ranks."""
    left = list(numbers)
    for number in fixed:
        left.pop(int(np.argmin(np.abs(np.array(left) - number))))
    return np.array(left)


def disorder(size: int) -> np.ndarray:
    """Evenly spread numbers in [0, 1) in no apparent order; no generator, so none can change."""
    return np.arange(1, size + 1) * GOLDEN % 1


def pair(mean: np.ndarray, value: np.ndarray, tilt: float, ceiling: float) -> np.ndarray:
    """The values in the order in which they go with the means, none above the ceiling."""
    size = mean.size
    score = disorder(size) - tilt * np.arange(size) / size
    paired = np.empty(size)
    paired[np.argsort(score)] = value
    for i in reversed(range(size)):
        if mean[i] * paired[i] < ceiling:
            continue
        fits = (mean[i] * paired < ceiling) & (mean * paired[i] < ceiling)
        j = np.flatnonzero(fits[:i])[-1]  # the nearest smaller mean that can swap
        paired[i], paired[j] = paired[j], paired[i]
    return paired
