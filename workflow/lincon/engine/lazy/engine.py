"""The default engine: it does no work that cannot alter a decision.

Posterior sampling is exact in law (lincon.engine.lazy.thompson); index policies take the dense
engine's decisions bit for bit (lincon.engine.lazy.index); with known means the mixture is mostly
solved for once.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from lincon.engine.game import Game
from lincon.engine.lazy.index.decision import Indices, advance_index
from lincon.engine.lazy.thompson.decision import Sampling, advance_sampling, tune
from lincon.engine.tally import Tally, count
from lincon.errors import UserError
from lincon.jit import lean
from lincon.policies.estimators import BETA_SAMPLE, KL_UCB, TRUTH, UCB1, estimator_code
from lincon.policies.selectors import QUEUE, draw, select, selector_code
from lincon.policies.virtual_queue import new_queue, queue_tilt, update_queue


@lean
def advance_known(first, last, selector, mean, value, eta, key, run, rng, tally, queue):
    """Play rounds first..last with known means: one mixture for all, but for that of a queue."""
    arms = mean.size
    low, high, share = select(selector, mean, value, eta, 0.0)
    for t in range(first, last + 1):
        if t <= arms:
            event = count(tally, t, t - 1, t - 1, t - 1, 1.0, mean, value, key, run)
        else:
            if selector == QUEUE:
                low, high, share = select(selector, mean, value, eta, queue_tilt(queue, t))
            arm = draw(low, high, share, arms, rng.random())
            event = count(tally, t, arm, low, high, share, mean, value, key, run)
        update_queue(queue, t, event)


class LazyEngine:
    """Plays one run from its first round on, a block of rounds at a time."""

    advance: Callable[[int, int], None]

    def __init__(self, game: Game):
        policy, value = game.policy, game.value
        estimator, selector = estimator_code(policy.estimator), selector_code(policy.selector)
        self.tally: Tally = game.tally()
        queue = new_queue(game.eta, *policy.queue)
        play = (game.mean, value, game.eta, game.key, game.run, game.rng, self.tally, queue)
        if estimator == BETA_SAMPLE:
            sampling = Sampling.new(value)
            self.advance = partial(_advance_tuning, (selector, *play, sampling), sampling)
        elif estimator == TRUTH:
            self.advance = partial(_advance, advance_known, (selector, *play))
        elif estimator in (KL_UCB, UCB1):
            arguments = (estimator, policy.parameter, selector, *play, Indices.new(value))
            self.advance = partial(_advance, advance_index, arguments)
        else:
            raise UserError(f"engine: lazy does not play the estimator {policy.estimator}")


def _advance(kernel, arguments, first: int, last: int) -> None:
    kernel(first, last, *arguments)


def _advance_tuning(arguments, sampling, first: int, last: int) -> None:
    while first <= last:
        first = advance_sampling(first, last, *arguments)
        if first <= last:
            tune(sampling, first)
