"""The two factors of a tail of the Beta distribution: P(theta > x) = weight / b * fraction."""

import math

import numpy as np

from lincon.jit import lean

_HALF_LOG_TAU = 0.5 * math.log(2.0 * math.pi)
_STIRLING_TABLE = np.array(
    [0.0]
    + [math.lgamma(n + 1.0) - (n + 0.5) * math.log(n) + n - _HALF_LOG_TAU for n in range(1, 16)]
)


@lean
def stirling_error(n):
    """log n! - log(sqrt(2 pi n) (n / e)^n)."""
    if n < 16.0:
        if n == math.floor(n):
            return _STIRLING_TABLE[int(n)]
        return math.lgamma(n + 1.0) - (n + 0.5) * math.log(n) + n - _HALF_LOG_TAU
    s = 1.0 / (n * n)
    return (1 / 12 - s * (1 / 360 - s * (1 / 1260 - s * (1 / 1680 - s * (1 / 1188))))) / n


@lean
def tail_weight(a, b, x):
    """x^a (1 - x)^b / B(a, b), without the cancellation of large log-gammas (Loader)."""
    n = a + b
    deviance = a * math.log(a / (n * x)) + b * math.log(b / (n * (1.0 - x)))
    errors = stirling_error(n) - stirling_error(a) - stirling_error(b)
    return math.exp(errors - deviance) * math.sqrt(n / (2.0 * math.pi * a * b)) * a / n * b


@lean
def tail_fraction(a, b, x):
    """P(theta > x) b / tail_weight as a continued fraction, for x from about the mean on.

    Convergents are ratios, kept with the last denominator at 1: two steps cost one division more
    than their coefficients do.
    """
    y = 1.0 - x
    total, plus, minus = a + b, b + 1.0, b - 1.0
    upper, lower = 1.0, 1.0
    value, rest = 1.0, 1.0 - total * y / plus
    for m in range(1, 20000):
        twice = 2.0 * m
        term = m * (a - m) * y / ((minus + twice) * (b + twice))
        up, low = value + term * upper, rest + term * lower
        term = -(b + m) * (total + m) * y / ((b + twice) * (plus + twice))
        scale = 1.0 / (low + term * rest)
        before = value
        upper, lower = up * scale, low * scale
        value, rest = (up + term * value) * scale, 1.0
        if abs(value - before) < 1e-14 * abs(value):
            break
    return value
