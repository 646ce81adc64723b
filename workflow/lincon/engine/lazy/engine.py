"""The default engine: it does no work that cannot alter a decision.

Drawing is left to lincon.lazy_sampling, exact in law; index policies to lincon.lazy_index, whose
decisions are those of the dense engine bit for bit; known means are mostly solved for once.
"""

from __future__ import annotations

from functools import partial

from lincon.engine.lazy.index.decision import Indices, advance_index
from lincon.engine.lazy.thompson.decision import Sampling, advance_sampling, tune
from lincon.engine.tally import Tally, count
from lincon.jit import lean
from lincon.policies.estimators import BETA_SAMPLE, TRUTH
from lincon.policies.selectors import QUEUE, draw, select
from lincon.policies.virtual_queue import aim_of, new_backlog


@lean
def advance_fixed(first, last, selector, mean, value, eta, key, run, rng, tally):
    """Play rounds first..last with known means: one mixture for all, but for that of a queue."""
    arms = mean.size
    low, high, share = select(selector, mean, value, eta, 0.0)
    for t in range(first, last + 1):
        if t <= arms:
            count(tally, t, t - 1, t - 1, t - 1, 1.0, mean, value, key, run)
            continue
        if selector == QUEUE:
            low, high, share = select(selector, mean, value, eta, aim_of(tally.backlog, t))
        arm = draw(low, high, share, arms, rng.random())
        count(tally, t, arm, low, high, share, mean, value, key, run)


class LazyEngine:
    """Plays one run from its first round on, a block of rounds at a time."""

    def __init__(
        self, estimator, selector, parameter, mean, value, eta, key, run, rng, queue=(0.0, 0.0)
    ):
        self.tally: Tally = Tally.new(mean, value, new_backlog(eta, *queue))
        play = (key, run, rng, self.tally)
        if estimator == BETA_SAMPLE:
            sampling = Sampling.new(value)
            arguments = (selector, mean, value, eta, *play, sampling)
            self.advance = partial(_advance_tuning, arguments, sampling)
        elif estimator == TRUTH:
            arguments = (selector, mean, value, eta, *play)
            self.advance = partial(_advance, advance_fixed, arguments)
        else:
            indices = Indices.new(value)
            arguments = (estimator, parameter, selector, mean, value, eta, *play, indices)
            self.advance = partial(_advance, advance_index, arguments)


def _advance(kernel, arguments, first: int, last: int) -> None:
    kernel(first, last, *arguments)


def _advance_tuning(arguments, sampling, first: int, last: int) -> None:
    while first <= last:
        first = advance_sampling(first, last, *arguments)
        if first <= last:
            tune(sampling, first)
