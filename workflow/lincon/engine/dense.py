"""The plain engine: every arm's belief in every round, any number of constraints.

It is the specification of the others, and the one that plays late feedback and drift.
"""

import numpy as np

from lincon.engine.game import Game
from lincon.engine.tally import AMOUNT, Tally, count
from lincon.engine.world import World, drift, expect_uniform, receive, send
from lincon.jit import borrowed, entry, lean
from lincon.policies.control import (
    Control,
    ask,
    exploration,
    remember,
    remember_choice,
    remember_event,
)
from lincon.policies.estimators import believe, believe_lower
from lincon.policies.prior import NEXT_FIT, refit
from lincon.policies.selectors import EXPLORED_ROUND, Mixture, Points, draw, put, select, steer


@lean
def dense_decision(control, program, t, now, mean, rng, seen, points, mixture):
    """The size of round t's mixture: uniform if it explores, otherwise by the beliefs.

    `seen` is what the policy knows, the first of plays that it does not know is number `now`.
    """
    chance = exploration(control, t)
    if chance >= 1.0 or (chance > 0.0 and rng.random() < chance):
        return EXPLORED_ROUND
    plays, events = seen.plays, seen.events
    if t >= control.prior[NEXT_FIT]:
        refit(control.prior, control.parameters, plays, events, t)
    believe(control, plays, events, t, mean, rng, points.upper)
    if control.two_ended:
        believe_lower(control, plays, events, t, points.lower)
    ask(control, seen.amounts[AMOUNT], now)
    size = select(control, program, plays, events, points, mixture)
    return steer(control, program, plays, events, mixture, size)


@lean
def dense_rounds(first, last, mean, program, key, run, rng, tally, control, points, mixture, world):
    """Play rounds first..last (both included, counted from 1) and add them to the tally."""
    arms = mean.size
    for t in range(first, last + 1):
        if world.drifts and drift(world, run, t, mean):
            expect_uniform(tally, program, mean)
        if t <= control.forced and not world.warm:
            arm, size = t - 1, 1
            put(mixture, 0, arm, 1.0, points)
        else:
            now = world.told[0] + 1 if world.late else t
            size = dense_decision(control, program, t, now, mean, rng, world.seen, points, mixture)
            arm = draw(mixture, size, arms, rng.random())
        event = count(tally, t, arm, mixture, size, mean, program, key, run)
        if world.late:
            remember_choice(control, arms + t if world.warm else t, mixture)
            send(world, run, t, arm, event)
            receive(world, program, control, t)
        elif world.warm:
            world.seen.plays[arm] += 1
            world.seen.events[arm] += event
            remember_choice(control, arms + t, mixture)  # no round was forced
            remember_event(control, program, t, arm, event)
        else:
            remember(control, program, t, arm, event, mixture)


@entry
def advance_dense(
    first, last, mean, program, key, run, rng, tally, control, points, mixture, world
):
    play = borrowed((mean, program, key, run, rng, tally, control, points, mixture, world))
    dense_rounds(first, last, *play)


class DenseEngine:
    """Plays one run from its first round on, a block of rounds at a time."""

    def __init__(self, game: Game):
        program = game.program
        constraints, arms = program.a.shape
        self.tally: Tally = game.tally()
        control = Control.new(game.policy, program, game.horizon)
        if game.history is not None:
            events, plays = game.history
            if control.prior[NEXT_FIT] < np.inf:
                control.prior[NEXT_FIT] = 1.0  # there is something to learn a prior from
            if control.recent.size:
                control.recent[:] = plays, events
        self._arguments = (
            # Drift moves the means in place.
            *(game.mean.copy() if game.world else game.mean, program, game.key, game.run, game.rng),
            *(self.tally, control, Points.new(arms, constraints, control.two_ended)),
            Mixture.new(constraints),
            World.new(game, self.tally),
        )

    def advance(self, first: int, last: int) -> None:
        advance_dense(first, last, *self._arguments)
