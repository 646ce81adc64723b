"""The plain engine: every arm's belief in every round. It is the specification of the others."""

from __future__ import annotations

import numpy as np

from lincon.engine.tally import Tally, count
from lincon.jit import kernel
from lincon.policies.estimators import believe
from lincon.policies.selectors import draw, select
from lincon.policies.virtual_queue import aim_of, new_backlog


@kernel
def advance_dense(
    first, last, estimator, selector, parameter, mean, value, eta, key, run, rng, tally, theta
):
    """Play rounds first..last (both included, counted from 1) and add them to the tally."""
    arms = mean.size
    for t in range(first, last + 1):
        if t <= arms:
            count(tally, t, t - 1, t - 1, t - 1, 1.0, mean, value, key, run)
            continue
        believe(estimator, parameter, tally.plays, tally.events, t, mean, rng, theta)
        low, high, share = select(selector, theta, value, eta, aim_of(tally.backlog, t))
        arm = draw(low, high, share, arms, rng.random())
        count(tally, t, arm, low, high, share, mean, value, key, run)


class DenseEngine:
    """Plays one run from its first round on, a block of rounds at a time."""

    def __init__(
        self, estimator, selector, parameter, mean, value, eta, key, run, rng, queue=(0.0, 0.0)
    ):
        self.tally: Tally = Tally.new(mean, value, new_backlog(eta, *queue))
        self._theta = np.empty(mean.size)
        self._arguments = (estimator, selector, parameter, mean, value, eta, key, run, rng)

    def advance(self, first: int, last: int) -> None:
        advance_dense(first, last, *self._arguments, self.tally, self._theta)
