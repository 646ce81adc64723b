"""Beta distributions cut at a cap: the tail's probability, and exact draws from either side.

With parameters of at least 1 the density is log-concave and lies below each of its tangents on the
log scale. A draw above the cap is proposed from the exponential whose tangent touches at
the best place, x - cap = -1 / slope(x), and accepted by the ratio of density to tangent: about
three times in four, wherever the cap is at or above the mode. Draws where the cap takes away no
more than half are plain Betas, drawn until one fits. No loop is endless: after 10,000 proposals,
which rounding alone can bring about, a draw is an end of its interval.
"""

import math

from lincon.jit import lean
from lincon.policies.beta_tail import tail_fraction, tail_weight

_SUMMABLE = 24.0


@lean
def short_sum(a, b, x):
    """(P(theta > x), change) = P(Binomial(a + b - 1, x) < a) for a small whole a: a terms."""
    trials, odds = a + b - 1.0, x / (1.0 - x)
    term = math.exp(trials * math.log1p(-x))
    total = term
    for k in range(1, int(a)):
        term *= (trials - k + 1.0) / k * odds
        total += term
    return min(total, 1.0), term * x * b


@lean
def upper_tail(a, b, x):
    """(tail, change): P(theta > x), and x^a (1 - x)^b / B(a, b), by which a play alters it.

    For theta ~ Beta(a, b) and x above the mean; (1, 0) where x is not above it.
    """
    if x >= 1.0:
        return 0.0, 0.0
    if x * (a + b) <= a:
        return 1.0, 0.0
    if b == 1.0:
        power = a * math.log(x)
        return -math.expm1(power), a * math.exp(power) * (1.0 - x)
    if a <= _SUMMABLE and a == math.floor(a):
        return short_sum(a, b, x)
    change = tail_weight(a, b, x)
    return min(change / b * tail_fraction(a, b, x), 1.0), change


@lean
def tail_after_event(a, b, x, tail, change):
    """(tail, change) of Beta(a + 1, b), from those of Beta(a, b)."""
    return tail + change / a, change * x * ((a + b) / a)


@lean
def tail_after_miss(a, b, x, tail, change):
    """(tail, change) of Beta(a, b + 1), from those of Beta(a, b)."""
    return tail - change / b, change * (1.0 - x) * ((a + b) / b)


@lean
def draw_by_tangent(rng, a, b, low, high):
    """theta given low < theta <= high, by rejection under the best tangent exponential (b > 1)."""
    up, down = a - 1.0, b - 1.0
    # The touching point solves (x - low) (down / (1 - x) - up / x) = 1: a quadratic, in x and, the
    # same again, in 1 - x. Its discriminant has two forms; the smaller terms cancel less.
    square, gap = up + down + 1.0, 1.0 - low
    half = 0.5 * (up + low * (up + down) + 1.0)
    half_rest = 0.5 * (up * gap + down * (1.0 + gap) + 1.0)
    if half < half_rest:
        root = math.sqrt(max(half * half - square * low * up, 0.0))
    else:
        root = math.sqrt(max(half_rest * half_rest - square * gap * down, 0.0))
    touch = (half + root) / square
    rest = down * gap / (half_rest + root)
    slope = down / rest - up / touch
    room = slope * (high - low)
    below_high = -math.expm1(-room) if room < 1.0 else 1.0
    for _ in range(10000):
        if room < 1.0:
            step = -math.log1p(-below_high * rng.random()) / slope
        else:
            step = rng.standard_exponential() / slope
        if step > high - low or step >= gap:
            continue
        # The touching point is 1 / slope above the cap, by the choice of it. The logs are needed
        # only where the depth's upper bound, by series, does not tell.
        away = step - 1.0 / slope
        x, y, deep = away / touch, away / rest, rng.standard_exponential()
        bound = up * x * x / (1.0 + min(x, 0.0)) + down * y * y / (1.0 - max(y, 0.0))
        if 2.0 * deep >= bound or deep >= up * (x - math.log1p(x)) - down * (y + math.log1p(-y)):
            return min(low + step, high)
    return low


@lean
def draw_by_power(rng, a, b, low, high):
    """The same where the density is not log-concave: a or b is below 1.

    One of the factors x^(a - 1) and (1 - x)^(b - 1) is drawn by inversion, the one that varies more
    between low and high; the other then decides, as a share of its largest value.
    """
    for _ in range(10000):
        if a < 1.0 and low * b > 1.0:
            rest = (1.0 - high) / (1.0 - low)
            x = 1.0 - (1.0 - low) * (1.0 - rng.random() * (1.0 - rest**b)) ** (1.0 / b)
            accepted = (x / low) ** (a - 1.0)
        elif a < 1.0 and b >= 1.0:
            fewest, most = low**a, high**a
            x = (fewest + (most - fewest) * rng.random()) ** (1.0 / a)
            accepted = ((1.0 - x) / (1.0 - low)) ** (b - 1.0)
        else:
            fewest, most = (1.0 - high) ** b, (1.0 - low) ** b
            x = 1.0 - (fewest + (most - fewest) * rng.random()) ** (1.0 / b)
            accepted = (x / high) ** (a - 1.0) if a >= 1.0 else (x / low) ** (a - 1.0)
        if rng.random() < accepted and low < x <= high:
            return x
    return low


@lean
def draw_between(rng, a, b, low, high):
    """theta given low < theta <= high, for theta ~ Beta(a, b), low above 0."""
    if a == 1.0:
        rest = (1.0 - high) / (1.0 - low)
        share = rng.random() * -math.expm1(b * math.log(rest)) if rest > 0.0 else rng.random()
        return low - (1.0 - low) * math.expm1(math.log1p(-share) / b)
    if b == 1.0:
        fewest, most = low**a, high**a
        return (most - (most - fewest) * rng.random()) ** (1.0 / a)
    if a < 1.0 or b < 1.0:
        return draw_by_power(rng, a, b, low, high)
    if low * (a + b - 2.0) < a - 1.0:
        return draw_plain(rng, a, b, low, high)
    return draw_by_tangent(rng, a, b, low, high)


@lean
def draw_beta(rng, a, b):
    """theta ~ Beta(a, b), by its inverse where that is simple."""
    if b == 1.0:
        return math.exp(-rng.standard_exponential() / a)
    if a == 1.0:
        return -math.expm1(-rng.standard_exponential() / b)
    return rng.beta(a, b)


@lean
def draw_plain(rng, a, b, low, high):
    """theta given low < theta <= high, by drawing until one fits."""
    for _ in range(10000):
        theta = draw_beta(rng, a, b)
        if low < theta <= high:
            return theta
    return low if low > 0.0 else high


@lean
def draw_below(rng, a, b, cap):
    """theta given theta <= cap, for a cap that takes away no more than about half."""
    return draw_plain(rng, a, b, -1.0, cap)
