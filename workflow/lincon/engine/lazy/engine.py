"""The default engine: it does no work that cannot change a decision.

Posterior sampling is exact in law (lincon.engine.lazy.thompson); index policies take the dense
engine's decisions bit for bit (lincon.engine.lazy.index); with known means, and where nothing is
believed, no belief is computed (lincon.engine.lazy.known).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from lincon.engine.game import Game
from lincon.engine.lazy.index.decision import IndexState, advance_index
from lincon.engine.lazy.known import advance_known
from lincon.engine.lazy.lower_bounds import LowerBounds
from lincon.engine.lazy.thompson.decision import SamplingState, advance_sampling, tune
from lincon.engine.tally import Tally
from lincon.errors import UserError
from lincon.policies.control import Control
from lincon.policies.estimators import BETA_SAMPLE, KL_UCB, TRUTH, UCB1, estimator_code
from lincon.policies.registry import plays
from lincon.policies.selectors import UNIFORM


class LazyEngine:
    """Plays one run from its first round on, a block of rounds at a time."""

    advance: Callable[[int, int], None]

    def __init__(self, game: Game):
        policy, value = game.policy, game.value
        estimator = estimator_code(policy.estimator)
        self.tally: Tally = game.tally()
        self.control = Control.new(policy, game.eta, game.horizon, value.size)
        if not plays("lazy", policy):
            raise UserError(f"policies.{policy.name}: engine lazy does not play it")
        play = (game.mean, value, game.key, game.run, game.rng, self.tally, self.control)
        play = (*play, LowerBounds.new(value.size))
        if estimator == TRUTH or self.control.selector == UNIFORM:
            self.advance = partial(_advance, advance_known, (*play, game.mean * value))
        elif estimator == BETA_SAMPLE:
            state = SamplingState.new(value)
            self.advance = partial(_advance_tuning, (*play, state), state)
        elif estimator in (KL_UCB, UCB1):
            arguments = (estimator, policy.parameter, *play, IndexState.new(value))
            self.advance = partial(_advance, advance_index, arguments)
        else:
            raise UserError(f"engine: lazy does not play the estimator {policy.estimator}")


def _advance(kernel, arguments, first: int, last: int) -> None:
    kernel(first, last, *arguments)


def _advance_tuning(arguments, state, first: int, last: int) -> None:
    while first <= last:
        first = advance_sampling(first, last, *arguments)
        if first <= last:
            tune(state, first)
