"""log and exp with the same last digit on every processor.

NumPy's own round with the instructions that a processor has; those of the C library do not.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np


def log(x: np.ndarray | float) -> np.ndarray:
    return _each(math.log, x)


def exp(x: np.ndarray | float) -> np.ndarray:
    return _each(math.exp, x)


def _each(function: Callable[[float], float], x: np.ndarray | float) -> np.ndarray:
    values = np.asarray(x, dtype=float)
    return np.array([function(each) for each in values.ravel().tolist()]).reshape(values.shape)
