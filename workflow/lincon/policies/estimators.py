"""Beliefs about the means, by estimator: `believe` sets them for one round."""

import math
from typing import NamedTuple, Self

import numpy as np

from lincon.jit import entry, lean
from lincon.policies.gittins import gittins, rounds_ahead
from lincon.policies.parts import Estimator
from lincon.policies.prior import DIVISOR, FIRST, SECOND
from lincon.policies.registry import INDICES, Policy
from lincon.problem.program import Program


class Beliefs(NamedTuple):
    """Upper and lower ends of the belief about each mean, float[N].

    Only an index has two, and needs the lower one, 1 - the index of the misses, only where a value
    or an amount `falls` with the event; otherwise `lower` is the same array as `upper`. `misses`
    int[N] and `below` float[N] are room for it. `indexed` float[2, 3, N]: for what Gittins indices
    were last set.
    """

    upper: np.ndarray
    lower: np.ndarray
    falls: bool
    misses: np.ndarray
    below: np.ndarray
    indexed: np.ndarray

    @classmethod
    def new(cls, policy: Policy, program: Program) -> Self:
        arms = program.value.size
        negative = bool((program.a < 0.0).any() or (program.value < 0.0).any())
        falls = policy.estimator in INDICES and negative
        upper = np.zeros(arms)
        return cls(
            upper=upper,
            lower=np.zeros(arms) if falls else upper,
            falls=falls,
            misses=np.zeros(arms, np.int64),
            below=np.zeros(arms),
            indexed=np.full((2, 3, arms), -1.0),
        )


@entry
def bernoulli_kl(p, q):
    """d(p, q) in nats, with 0 log 0 = 0."""
    divergence = 0.0
    if p > 0.0:
        divergence += p * math.log(p / q) if q > 0.0 else math.inf
    if p < 1.0:
        divergence += (1.0 - p) * math.log((1.0 - p) / (1.0 - q)) if q < 1.0 else math.inf
    return divergence


@entry
def kl_upper(p, budget):
    """The largest q in [p, 1] with d(p, q) <= budget.

    d(p, .) is convex and increasing on [p, 1), so Newton from above falls monotonically onto the
    root; the start is the smaller of two upper bounds of it (Pinsker's, and one that is sharp
    near 1).
    """
    if p >= 1.0 or budget <= 0.0:
        return p
    if p <= 0.0:
        return -math.expm1(-budget)
    near_one = 1.0 - (1.0 - p) * math.exp((p * math.log(p) - budget) / (1.0 - p))
    q = min(p + math.sqrt(0.5 * budget), near_one)
    for _ in range(100):
        if not p < q < 1.0:
            break
        step = (bernoulli_kl(p, q) - budget) * q * (1.0 - q) / (q - p)
        q -= step
        if not step > 1e-14 * q:
            break
    return min(max(q, p), 1.0)


@entry
def kl_budget(t, explore, c):
    """explore (log t + c log log t), the second term from t = e on."""
    log_t = math.log(t)
    return explore * (log_t + c * math.log(max(log_t, 1.0)))


@entry
def kl_ucb(plays, events, budget):
    if plays == 0:
        return 1.0
    return kl_upper(events / plays, budget / plays)


@entry
def ucb1(plays, events, t, explore):
    if plays == 0:
        return 1.0
    return min(events / plays + math.sqrt(2.0 * explore * math.log(t) / plays), 1.0)


@lean
def believe(control, plays, events, t, mean, rng, beliefs):
    """Fill in the estimator's beliefs in round t.

    Parameters
    ----------
    control : Control
    plays, events : int[N]
        The counts that the policy knows.
    t : int
        The round, from 1.
    mean : float[N]
        The true means, at which `truth` alone looks.
    rng : Generator
        The policy's stream; `beta_sample` draws N times.
    beliefs : Beliefs
        Its `upper` and `lower`, float[N], are set.
    """
    a, b, divisor = control.prior[FIRST], control.prior[SECOND], control.prior[DIVISOR]
    upper = beliefs.upper
    if control.estimator == Estimator.TRUTH:
        for i in range(upper.size):
            upper[i] = mean[i]
    elif control.estimator == Estimator.BETA_SAMPLE:
        for i in range(upper.size):
            misses = plays[i] - events[i]
            upper[i] = rng.beta(a + events[i] / divisor, b + misses / divisor)
    else:
        set_indices(control, plays, events, a, b, t, beliefs.indexed[0], upper)
        if beliefs.falls:
            misses, below = beliefs.misses, beliefs.below
            for i in range(upper.size):
                misses[i] = plays[i] - events[i]
            set_indices(control, plays, misses, b, a, t, beliefs.indexed[1], below)
            for i in range(upper.size):
                beliefs.lower[i] = 1.0 - below[i]


@lean
def set_indices(control, plays, events, a, b, t, indexed, theta):
    """Fill `theta`, float[N], with the indices of arms with these counts and the prior Beta(a, b).

    A Gittins index is set again where its posterior or its H, in `indexed`, float[3, N], changed.
    """
    parameters = control.parameters
    if control.estimator == Estimator.KL_UCB:
        budget = kl_budget(t, parameters.explore, parameters.c)
        for i in range(theta.size):
            theta[i] = kl_ucb(plays[i], events[i], budget)
    elif control.estimator == Estimator.UCB1:
        for i in range(theta.size):
            theta[i] = ucb1(plays[i], events[i], t, parameters.explore)
    elif control.estimator == Estimator.GITTINS:
        left, divisor = control.horizon - t + 1, control.prior[DIVISOR]
        ahead, part = 0.0, -1.0
        for i in range(theta.size):
            if control.part[i] != part:
                part = control.part[i]
                ahead = rounds_ahead(parameters.reach, part * left)
            first = a + events[i] / divisor
            second = b + (plays[i] - events[i]) / divisor
            if first != indexed[0, i] or second != indexed[1, i] or ahead != indexed[2, i]:
                theta[i] = gittins(first, second, ahead, theta[i])
                indexed[0, i], indexed[1, i], indexed[2, i] = first, second, ahead
    else:
        raise ValueError("no estimator has this code")
