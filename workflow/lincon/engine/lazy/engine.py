"""The default engine: it does no work that cannot change a decision.

Posterior sampling is exact in law (lincon.engine.lazy.thompson); index policies take the dense
engine's decisions bit for bit (lincon.engine.lazy.index). With known means, and where arms are
drawn uniformly, no belief is computed: the LP is solved again only when its target moves.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

from lincon.engine.game import Game
from lincon.engine.lazy.decision_line import (
    Working,
    choose,
    include,
    lazy_demand,
    put_alone,
    put_places,
)
from lincon.engine.lazy.index.decision import IndexState, advance_index
from lincon.engine.lazy.thompson.decision import SamplingState, advance_sampling, tune
from lincon.engine.tally import Tally, count
from lincon.errors import UserError
from lincon.jit import borrowed, entry, lean
from lincon.policies.control import Control, remember
from lincon.policies.parts import Estimator, Selector
from lincon.policies.registry import engines_of
from lincon.policies.selectors import EXPLORED_ROUND, Mixture, draw, steer


@lean
def known_rounds(first, last, mean, program, key, run, rng, tally, control, mixture, working):
    """Play rounds first..last with known means, as `advance_dense` does to the last bit."""
    arms = mean.size
    low, high, share, solved = -1, -1, 0.0, math.nan
    for t in range(first, last + 1):
        if t <= arms:
            arm, size = t - 1, put_alone(mixture, t - 1)
            include(working, arm, arm, mean[arm], program)
        elif control.selector == Selector.UNIFORM:
            size = EXPLORED_ROUND
            arm = draw(mixture, size, arms, rng.random())
        else:
            demand = lazy_demand(control, program, tally, t)
            if demand.selector != Selector.LP or demand.rate != solved:
                low, high, share = choose(demand, program, working, arms)
                solved = demand.rate
            size = steer(control, mixture, put_places(mixture, working, low, high, share))
            arm = draw(mixture, size, arms, rng.random())
        event = count(tally, t, arm, mixture, size, mean, program, key, run)
        remember(control, program, t, arm, event, mixture)


@entry
def advance_known(first, last, mean, program, key, run, rng, tally, control, mixture, working):
    play = borrowed((mean, program, key, run, rng, tally, control, mixture, working))
    known_rounds(first, last, *play)


class LazyEngine:
    """Plays one run from its first round on, a block of rounds at a time."""

    advance: Callable[[int, int], None]

    def __init__(self, game: Game):
        policy, program, arms = game.policy, game.program, game.mean.size
        if "lazy" not in engines_of(policy, game.goal, game.world):
            raise UserError(f"policies.{policy.name}: engine lazy does not play it")
        self.tally: Tally = game.tally()
        self.control = Control.new(policy, program, game.horizon)
        play = (game.mean, program, game.key, game.run, game.rng, self.tally, self.control)
        play = (*play, Mixture.new(1))
        estimator = self.control.estimator
        if estimator == Estimator.TRUTH or self.control.selector == Selector.UNIFORM:
            self.advance = partial(_advance, advance_known, (*play, Working.new(arms)))
        elif estimator == Estimator.BETA_SAMPLE:
            state = SamplingState.new(program)
            self.advance = partial(_advance_tuning, (*play, state))
        else:
            self.advance = partial(_advance, advance_index, (*play, IndexState.new(program)))


def _advance(kernel, arguments, first: int, last: int) -> None:
    kernel(first, last, *arguments)


def _advance_tuning(arguments, first: int, last: int) -> None:
    *_, tally, control, _, state = arguments
    while first <= last:
        first = advance_sampling(first, last, *arguments)
        if first <= last:
            tune(state, control, tally, first)
