"""The natural logarithm with the same last digit on every processor."""

from __future__ import annotations

import math

import numpy as np


def log(x: np.ndarray | float) -> np.ndarray:
    """By the C library; NumPy's own rounds with the instructions that a processor has."""
    values = np.asarray(x, dtype=float)
    return np.array([math.log(each) for each in values.ravel().tolist()]).reshape(values.shape)
