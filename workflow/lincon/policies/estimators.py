"""What a policy believes about the means: each estimator fills theta for one round.

`plays` and `events` are the counts before round t, which is counted from 1. An index has two ends;
the others have one belief, which stands for both.
"""

import math

from lincon.jit import kernel, lean
from lincon.policies.gittins import believe_gittins, believe_gittins_lower, rounds_ahead
from lincon.policies.parts import Estimator
from lincon.policies.prior import DIVISOR, FIRST, SECOND


@kernel
def bernoulli_kl(p, q):
    """d(p, q) in nats, with 0 log 0 = 0."""
    divergence = 0.0
    if p > 0.0:
        divergence += p * math.log(p / q) if q > 0.0 else math.inf
    if p < 1.0:
        divergence += (1.0 - p) * math.log((1.0 - p) / (1.0 - q)) if q < 1.0 else math.inf
    return divergence


@kernel
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


@kernel
def kl_budget(t, explore, c):
    """explore (log t + c log log t), the second term from t = e on."""
    log_t = math.log(t)
    return explore * (log_t + c * math.log(max(log_t, 1.0)))


@kernel
def mean_of(plays, events):
    """The sample mean; 1/2 of an arm of which nothing is known yet."""
    return events / plays if plays > 0 else 0.5


@kernel
def kl_ucb(plays, events, budget):
    if plays == 0:
        return 1.0
    return kl_upper(events / plays, budget / plays)


@kernel
def ucb1(plays, events, t, explore):
    if plays == 0:
        return 1.0
    return min(events / plays + math.sqrt(2.0 * explore * math.log(t) / plays), 1.0)


@lean
def believe(control, plays, events, t, mean, rng, theta):
    """Fill `theta` with the estimator's belief in round t, the upper end of an index."""
    estimator, parameters, prior = control.estimator, control.parameters, control.prior
    if estimator == Estimator.BETA_SAMPLE:
        a, b, divisor = prior[FIRST], prior[SECOND], prior[DIVISOR]
        for i in range(theta.size):
            misses = plays[i] - events[i]
            theta[i] = rng.beta(a + events[i] / divisor, b + misses / divisor)
    elif estimator == Estimator.DISCOUNTED_SAMPLE:
        recent = control.recent
        for i in range(theta.size):
            theta[i] = rng.beta(1.0 + recent[1, i], 1.0 + (recent[0, i] - recent[1, i]))
    elif estimator == Estimator.KL_UCB:
        budget = kl_budget(t, parameters.explore, parameters.c)
        for i in range(theta.size):
            theta[i] = kl_ucb(plays[i], events[i], budget)
    elif estimator == Estimator.UCB1:
        for i in range(theta.size):
            theta[i] = ucb1(plays[i], events[i], t, parameters.explore)
    elif estimator == Estimator.GITTINS:
        ahead = rounds_ahead(parameters.reach, control.horizon - t + 1)
        believe_gittins(prior, ahead, plays, events, control.known, theta)
    elif estimator == Estimator.TRUTH:
        for i in range(theta.size):
            theta[i] = mean[i]
    elif estimator == Estimator.EMPIRICAL:
        for i in range(theta.size):
            theta[i] = mean_of(plays[i], events[i])
    else:
        raise ValueError("no estimator has this code")


@lean
def believe_lower(control, plays, events, t, theta):
    """Fill `theta` with the lower end of an index: 1 - the upper end of the misses."""
    estimator, parameters = control.estimator, control.parameters
    if estimator == Estimator.KL_UCB:
        budget = kl_budget(t, parameters.explore, parameters.c)
        for i in range(theta.size):
            theta[i] = 1.0 - kl_ucb(plays[i], plays[i] - events[i], budget)
    elif estimator == Estimator.UCB1:
        for i in range(theta.size):
            theta[i] = 1.0 - ucb1(plays[i], plays[i] - events[i], t, parameters.explore)
    elif estimator == Estimator.GITTINS:
        ahead = rounds_ahead(parameters.reach, control.horizon - t + 1)
        believe_gittins_lower(control.prior, ahead, plays, events, theta)
    else:
        raise ValueError("no index has this code")
