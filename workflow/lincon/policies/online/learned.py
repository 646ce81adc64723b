"""The learned prior of lincon.policies.prior on whole arrays, with NumPy alone."""

from __future__ import annotations

import math

import numpy as np

STEPS, TRIES, LONGEST, CLOSE = 30, 40, 1.5, 1e-6
_log_gamma = np.vectorize(math.lgamma, otypes=[float])


def fit_prior(
    a: float, b: float, plays: np.ndarray, events: np.ndarray, spread: float
) -> tuple[float, float]:
    """(a, b) of the fit, by damped Newton steps in (log a, log b) from a and b."""
    known = plays > 0.0
    counts, logs = np.array([events[known], (plays - events)[known]]), np.log([a, b])
    reached = _height(logs, counts, spread)
    for _ in range(STEPS):
        step, new = _step(logs, counts, spread, reached)
        if step is None:
            break
        logs, reached = logs + step, new
        if np.abs(step).sum() < CLOSE:
            break
    fitted = np.exp(logs)
    return float(fitted[0]), float(fitted[1])


def _step(
    logs: np.ndarray, counts: np.ndarray, spread: float, reached: float
) -> tuple[np.ndarray | None, float]:
    """Newton's step, damped until it climbs, and the height after it; None if none does."""
    up, curve = _derivatives(logs, counts, spread)
    damping = 0.0
    for _ in range(TRIES):
        bend = damping * np.eye(2) - curve
        determinant = bend[0, 0] * bend[1, 1] - bend[0, 1] ** 2
        if bend[0, 0] > 0.0 and determinant > 1e-12 * bend[0, 0] * abs(bend[1, 1]):
            step = np.linalg.solve(bend, up)
            step *= min(1.0, LONGEST / max(np.abs(step).max(), 1e-300))
            new = _height(logs + step, counts, spread)
            if new >= reached:
                return step, new
        damping = max(2.0 * damping, 1e-3 * np.abs(np.diag(curve)).sum())
    return None, reached


def _height(logs: np.ndarray, counts: np.ndarray, spread: float) -> float:
    shapes = np.exp(logs)
    fits = (
        _log_gamma(shapes[:, None] + counts).sum() - _log_gamma(shapes.sum() + counts.sum(0)).sum()
    )
    constant = math.lgamma(shapes.sum()) - math.lgamma(shapes[0]) - math.lgamma(shapes[1])
    return float(fits + counts.shape[1] * constant - 0.5 * (logs @ logs) / spread**2)


def _derivatives(
    logs: np.ndarray, counts: np.ndarray, spread: float
) -> tuple[np.ndarray, np.ndarray]:
    """Gradient and Hessian of the height."""
    shapes = np.exp(logs)
    first, second = digamma_trigamma(shapes)
    first_after, second_after = digamma_trigamma(shapes[:, None] + counts)
    both, both_after = (
        digamma_trigamma(shapes.sum() + number) for number in (np.zeros(1), counts.sum(0))
    )
    by = (first_after - first[:, None] + both[0] - both_after[0]).sum(-1)
    shared = (both[1] - both_after[1]).sum()
    own = shapes**2 * (second_after - second[:, None]).sum(-1) + shapes * by
    curve = np.outer(shapes, shapes) * shared + np.diag(own - 1.0 / spread**2)
    return shapes * by - logs / spread**2, curve


def digamma_trigamma(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The first two derivatives of log-gamma: six steps of the recurrence, then their series."""
    steps, z = x[..., None] + np.arange(6.0), x + 6.0
    y = 1.0 / (z * z)
    first = np.log(z) - 0.5 / z - y * (1 / 12 - y * (1 / 120 - y * (1 / 252 - y / 240)))
    second = 1.0 / z + 0.5 * y + y / z * (1 / 6 - y * (1 / 30 - y * (1 / 42 - y / 30)))
    return first - (1.0 / steps).sum(-1), second + (1.0 / steps**2).sum(-1)
