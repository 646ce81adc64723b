"""The upper concave envelope of the arms in the plane of event probability and expected reward."""

from __future__ import annotations

import numpy as np


def upper_envelope(mean: np.ndarray, reward: np.ndarray) -> np.ndarray:
    """The arms on the upper concave envelope, from the best reward to the largest mean."""
    candidates = _above_the_chord(mean, reward)
    order = candidates[np.lexsort((-reward[candidates], mean[candidates]))]
    hull: list[int] = []
    for arm in order:
        while len(hull) > 1 and _is_below(mean, reward, hull[-2], hull[-1], arm):
            hull.pop()
        hull.append(int(arm))
    best = max(range(len(hull)), key=lambda k: (reward[hull[k]], mean[hull[k]]))
    return np.array(hull[best:])


def _above_the_chord(mean: np.ndarray, reward: np.ndarray) -> np.ndarray:
    """Arms on or above the line from the best reward to the largest mean: the others are below it.

    Among a million arms these are few.
    """
    left = np.lexsort((-mean, -reward))[0]
    right = np.lexsort((-reward, -mean))[0]
    run, rise = mean[right] - mean[left], reward[right] - reward[left]
    height = (reward - reward[left]) * run - rise * (mean - mean[left])
    return np.flatnonzero((mean >= mean[left]) & (height >= -1e-15))


def _is_below(mean: np.ndarray, reward: np.ndarray, left: int, middle: int, right: int) -> bool:
    run, rise = mean[right] - mean[left], reward[right] - reward[left]
    return (reward[middle] - reward[left]) * run <= rise * (mean[middle] - mean[left])
