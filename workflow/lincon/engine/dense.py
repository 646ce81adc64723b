"""The plain engine: every arm's belief in every round, any number of constraints.

It is the specification of the others.
"""

from __future__ import annotations

from lincon.engine.game import Game
from lincon.engine.tally import AMOUNT, Tally, count
from lincon.jit import borrowed, entry, lean
from lincon.policies.control import Control, ask, exploration, remember
from lincon.policies.estimators import believe, believe_lower
from lincon.policies.prior import NEXT_FIT, refit
from lincon.policies.selectors import EXPLORED_ROUND, Mixture, Points, draw, put, select, steer


@lean
def dense_decision(control, program, t, mean, rng, tally, points, mixture):
    """The size of round t's mixture: uniform if it explores, otherwise by the beliefs."""
    chance = exploration(control, t)
    if chance >= 1.0 or (chance > 0.0 and rng.random() < chance):
        return EXPLORED_ROUND
    estimator, parameters = control.estimator, control.parameters
    plays, events = tally.plays, tally.events
    if t >= control.prior[NEXT_FIT]:
        refit(control.prior, parameters, plays, events, t)
    believe(estimator, parameters, control.prior, plays, events, t, mean, rng, points.upper)
    if control.two_ended:
        believe_lower(estimator, parameters, plays, events, t, points.lower)
    ask(control, tally.amounts[AMOUNT], t)
    return steer(control, mixture, select(control, program, plays, events, points, mixture))


@lean
def dense_rounds(first, last, mean, program, key, run, rng, tally, control, points, mixture):
    """Play rounds first..last (both included, counted from 1) and add them to the tally."""
    arms = mean.size
    for t in range(first, last + 1):
        if t <= arms:
            arm, size = t - 1, 1
            put(mixture, 0, arm, 1.0, points)
        else:
            size = dense_decision(control, program, t, mean, rng, tally, points, mixture)
            arm = draw(mixture, size, arms, rng.random())
        event = count(tally, t, arm, mixture, size, mean, program, key, run)
        remember(control, program, t, arm, event, mixture)


@entry
def advance_dense(first, last, mean, program, key, run, rng, tally, control, points, mixture):
    play = borrowed((mean, program, key, run, rng, tally, control, points, mixture))
    dense_rounds(first, last, *play)


class DenseEngine:
    """Plays one run from its first round on, a block of rounds at a time."""

    def __init__(self, game: Game):
        program = game.program
        constraints, arms = program.a.shape
        self.tally: Tally = game.tally()
        control = Control.new(game.policy, program, game.horizon)
        self._arguments = (
            *(game.mean, program, game.key, game.run, game.rng, self.tally, control),
            Points.new(arms, constraints, control.two_ended),
            Mixture.new(constraints),
        )

    def advance(self, first: int, last: int) -> None:
        advance_dense(first, last, *self._arguments)
