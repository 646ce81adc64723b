"""Stand-in arms: made in code from published facts, close to the real arms but not identical.

Known are the quantiles, the few largest means and expected rewards, and the rank correlation of
means and values. So means and values are laid along their quantile curves, the listed arms are
inserted unchanged, and the rest are paired by rank with a little disorder.
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
    """Published facts about a dataset. `mean` and `value` are sorted separately."""

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


COUPON_TOP = (0.2222, 0.2273, 0.2360, 0.2481, 0.2541)
EDX_TOP = (0.2106, 0.2163, 0.4292, 0.5586, 0.8620)
FACTS = {
    "coupon": Facts(
        mean=along(
            142,
            (0.007576, 0.269388),
            (0.0241, 0.0352, 0.0526, 0.0840, 0.1139, 0.1555, 0.2154, 0.2516),
            dict(zip(range(136, 141), COUPON_TOP, strict=True)),
        ),
        value=np.repeat(
            [0.48, 0.5, 0.75, 0.8, 0.875, 0.95, 0.995, 1.0], [2, 101, 3, 9, 1, 1, 3, 22]
        ),
        optimal={77: (0.203125, 1.0), 140: (0.269388, 0.75)},
        listed=(
            *zip(COUPON_TOP, (0.48, 0.5, 0.5, 0.5, 0.5), strict=True),
            *((0.1667, 0.8), (0.1327, 0.95), (0.1250, 1.0)),
        ),
        ceiling=0.1250,
        tilt=0.37,
    ),
    "edx_courses": Facts(
        mean=along(
            290,
            (0.0, 1.0),
            (0.0012, 0.0038, 0.0116, 0.0252, 0.0589, 0.1039, 0.1593, 0.4434),
            dict(zip(range(284, 289), EDX_TOP, strict=True)),
        ),
        value=along(
            290,
            (0.0, 0.339454),
            (0.0048, 0.0106, 0.0241, 0.0595, 0.1069, 0.1621, 0.2276, 0.3210),
            {3: 0.0},  # four courses certified nobody
        ),
        # The value of arm 65 is listed as .0051; r* and x* give it to more digits.
        optimal={65: (1.0, 0.0050583), 249: (0.207431, 0.092220)},
        listed=(
            *zip(EDX_TOP, (0.0588, 0.0507, 0.0111, 0.0025, 0.0047), strict=True),
            *((0.1944, 0.0925), (0.1784, 0.0972), (0.1736, 0.0963), (0.1889, 0.0871)),
            (0.0959, 0.1686),
        ),
        ceiling=0.0959 * 0.1686,
        tilt=0.235,
    ),
}


def stand_in(facts: Facts) -> dict[str, Any]:
    """The arguments of `arms.make`, made from these facts; identical on every machine."""
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
    """Evenly spread numbers in [0, 1), scrambled; no generator, whose stream might change."""
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
