"""The Bernoulli divergence, for arrays and without Numba; the engine has a kernel of its own."""

from __future__ import annotations

import numpy as np
import scipy  # scipy.special is loaded when it is used


def bernoulli_divergence(p: np.ndarray | float, q: np.ndarray | float) -> np.ndarray:
    """d(p, q) = p log(p / q) + (1 - p) log((1 - p) / (1 - q)) in nats, with 0 log 0 = 0."""
    p, q = np.asarray(p, dtype=float), np.asarray(q, dtype=float)
    return scipy.special.rel_entr(p, q) + scipy.special.rel_entr(1.0 - p, 1.0 - q)
