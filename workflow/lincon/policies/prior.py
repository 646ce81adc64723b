"""The learned prior: Beta(a, b) fitted to the counts of all arms (empirical Bayes).

    maximise  sum_i log BetaBinomial(s_i | n_i, a, b) - (log(a)^2 + log(b)^2) / (2 spread^2)

over arms that were played. The second term is a weak hyperprior centred on Beta(1, 1), which keeps
a and b finite where the counts carry little information. Newton's steps in (log a, log b) start
from the last fit and are damped until they climb, so a refit takes a few passes over the arms.
"""

import math

import numpy as np

from lincon.jit import entry
from lincon.policies.registry import Policy

# A policy's prior: Beta(FIRST, SECOND), the divisor of the counts, and the round of the next
# refit.
FIRST, SECOND, DIVISOR, NEXT_FIT = range(4)
GROWTH = 1.3
# The first fit of a policy that forces no plays.
EARLY = 20.0
STEPS, TRIES, LONGEST, CLOSE = 30, 40, 1.5, 1e-6


@entry
def digamma_trigamma(x):
    """The first two derivatives of log-gamma: up to 6 by recurrence, then by their series."""
    first, second = 0.0, 0.0
    while x < 6.0:
        first -= 1.0 / x
        second += 1.0 / (x * x)
        x += 1.0
    y = 1.0 / (x * x)
    first += math.log(x) - 0.5 / x - y * (1 / 12 - y * (1 / 120 - y * (1 / 252 - y / 240)))
    second += 1.0 / x + 0.5 * y + y / x * (1 / 6 - y * (1 / 30 - y * (1 / 42 - y / 30)))
    return first, second


@entry
def log_posterior(log_a, log_b, plays, events, spread):
    a, b = math.exp(log_a), math.exp(log_b)
    total = -0.5 * (log_a * log_a + log_b * log_b) / (spread * spread)
    constant = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    for i in range(plays.size):
        n, s = plays[i], events[i]
        if n > 0.0:
            total += constant + math.lgamma(a + s) + math.lgamma(b + n - s) - math.lgamma(a + b + n)
    return total


@entry
def derivatives(log_a, log_b, plays, events, spread):
    """Gradient (by log a, log b) and Hessian (aa, bb, ab) of `log_posterior`."""
    a, b = math.exp(log_a), math.exp(log_b)
    first_a, second_a = digamma_trigamma(a)
    first_b, second_b = digamma_trigamma(b)
    first_ab, second_ab = digamma_trigamma(a + b)
    by_a, by_b, by_aa, by_bb, by_ab = 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(plays.size):
        n, s = plays[i], events[i]
        if n > 0.0:
            event, event_slope = digamma_trigamma(a + s)
            miss, miss_slope = digamma_trigamma(b + n - s)
            play, play_slope = digamma_trigamma(a + b + n)
            both = second_ab - play_slope
            by_a += event - first_a - play + first_ab
            by_b += miss - first_b - play + first_ab
            by_aa += event_slope - second_a + both
            by_bb += miss_slope - second_b + both
            by_ab += both
    weight = 1.0 / (spread * spread)
    by_aa, by_bb = a * a * by_aa + a * by_a - weight, b * b * by_bb + b * by_b - weight
    return a * by_a - log_a * weight, b * by_b - log_b * weight, by_aa, by_bb, a * b * by_ab


@entry
def fit_prior(a, b, plays, events, spread):
    """(a, b) of the fit, by damped Newton steps from a and b."""
    log_a, log_b = math.log(a), math.log(b)
    reached = log_posterior(log_a, log_b, plays, events, spread)
    for _ in range(STEPS):
        up_a, up_b, aa, bb, ab = derivatives(log_a, log_b, plays, events, spread)
        damping, climbs = 0.0, False
        for _ in range(TRIES):
            curve_a, curve_b = damping - aa, damping - bb
            determinant = curve_a * curve_b - ab * ab
            if curve_a > 0.0 and determinant > 1e-12 * curve_a * abs(curve_b):
                step_a = (curve_b * up_a + ab * up_b) / determinant
                step_b = (curve_a * up_b + ab * up_a) / determinant
                shrink = min(1.0, LONGEST / max(abs(step_a), abs(step_b), 1e-300))
                step_a, step_b = shrink * step_a, shrink * step_b
                new = log_posterior(log_a + step_a, log_b + step_b, plays, events, spread)
                climbs = new >= reached
                if climbs:
                    break
            damping = max(2.0 * damping, 1e-3 * (abs(aa) + abs(bb)))
        if not climbs:
            break
        log_a, log_b, reached = log_a + step_a, log_b + step_b, new
        if abs(step_a) + abs(step_b) < CLOSE:
            break
    return math.exp(log_a), math.exp(log_b)


def new_prior(policy: Policy, forced: int, warm: bool = False) -> np.ndarray:
    """What is remembered before the first round, float[4].

    `forced`: the first rounds in which no belief is needed, as each arm is played once; `warm`:
    counts are known already.
    """
    numbers = policy.parameters
    shapes = numbers.get("prior_a", 1.0), numbers.get("prior_b", 1.0)
    first_fit = 1.0 if warm else forced + 1.0 if policy.forces_plays else EARLY
    next_fit = first_fit if policy.prior == "learned" else math.inf
    return np.array([*shapes, numbers.get("explore", 1.0), next_fit])


@entry
def refit(prior, parameters, plays, events, t):
    """Fit the prior to the counts before round t, and multiply counts by 1 + ramp N^2 / t."""
    prior[FIRST], prior[SECOND] = fit_prior(
        prior[FIRST], prior[SECOND], plays, events, parameters.spread
    )
    arms = float(plays.size)
    prior[DIVISOR] = parameters.explore * (t / (t + parameters.ramp * arms * arms))
    prior[NEXT_FIT] = max(t + 1.0, GROWTH * t)
