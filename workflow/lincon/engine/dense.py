"""The plain engine: every arm's belief in every round. It is the specification of the others."""

from __future__ import annotations

import numpy as np

from lincon.engine.game import Game
from lincon.engine.tally import Tally, count
from lincon.jit import kernel
from lincon.policies.estimators import believe, estimator_code
from lincon.policies.selectors import draw, select, selector_code
from lincon.policies.virtual_queue import new_queue, queue_tilt, update_queue


@kernel
def advance_dense(
    first,
    last,
    estimator,
    selector,
    parameter,
    mean,
    value,
    eta,
    key,
    run,
    rng,
    tally,
    queue,
    theta,
):
    """Play rounds first..last (both included, counted from 1) and add them to the tally."""
    arms = mean.size
    for t in range(first, last + 1):
        if t <= arms:
            arm, low, high, share = t - 1, t - 1, t - 1, 1.0
        else:
            believe(estimator, parameter, tally.plays, tally.events, t, mean, rng, theta)
            low, high, share = select(selector, theta, value, eta, queue_tilt(queue, t))
            arm = draw(low, high, share, arms, rng.random())
        event = count(tally, t, arm, low, high, share, mean, value, key, run)
        update_queue(queue, t, event)


class DenseEngine:
    """Plays one run from its first round on, a block of rounds at a time."""

    def __init__(self, game: Game):
        policy = game.policy
        self.tally: Tally = game.tally()
        self._arguments = (
            estimator_code(policy.estimator),
            selector_code(policy.selector),
            policy.parameter,
            game.mean,
            game.value,
            game.eta,
            game.key,
            game.run,
            game.rng,
            self.tally,
            new_queue(game.eta, *policy.queue),
            np.empty(game.mean.size),
        )

    def advance(self, first: int, last: int) -> None:
        advance_dense(first, last, *self._arguments)
