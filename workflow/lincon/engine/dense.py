"""The plain engine: every arm's belief in every round. It is the specification of the others."""

from __future__ import annotations

import numpy as np

from lincon.engine.game import Game
from lincon.engine.tally import EVENTS, Tally, count
from lincon.jit import entry, kernel
from lincon.policies.control import (
    Control,
    demand_at,
    exploration,
    is_limited,
    rate_asked,
    update_control,
)
from lincon.policies.estimators import believe, estimator_code
from lincon.policies.selectors import EXPLORED_ROUND, draw, select
from lincon.policies.targets import best_lower_bound, safe_rate


@kernel
def dense_demand(control, tally, t):
    """What is asked for in round t."""
    rate = rate_asked(control, t, tally.totals[EVENTS])
    if is_limited(control, rate):
        least_plays, width = control.of_target[0], control.of_target[1]
        best = best_lower_bound(tally.plays, tally.events, t, least_plays, width)
        rate = safe_rate(rate, control.eta, best)
    return demand_at(control, t, rate)


@kernel
def dense_decision(estimator, parameter, control, t, mean, value, rng, tally, theta, gain):
    """(low, high, share) of round t: uniform if it explores, else by the beliefs."""
    chance = exploration(control, t)
    if chance >= 1.0 or (chance > 0.0 and rng.random() < chance):
        return EXPLORED_ROUND, EXPLORED_ROUND, 0.0
    believe(estimator, parameter, tally.plays, tally.events, t, mean, rng, theta)
    for i in range(gain.size):
        gain[i] = theta[i] * value[i]
    return select(dense_demand(control, tally, t), theta, value, gain)


@entry
def advance_dense(
    first, last, estimator, parameter, mean, value, key, run, rng, tally, control, theta, gain
):
    """Play rounds first..last (both included, counted from 1) and add them to the tally."""
    arms = mean.size
    for t in range(first, last + 1):
        if t <= arms:
            arm, low, high, share = t - 1, t - 1, t - 1, 1.0
        else:
            low, high, share = dense_decision(
                estimator, parameter, control, t, mean, value, rng, tally, theta, gain
            )
            arm = draw(low, high, share, arms, rng.random())
        event = count(tally, t, arm, low, high, share, mean, value, key, run)
        update_control(control, t, event, theta[arm])


class DenseEngine:
    """Plays one run from its first round on, a block of rounds at a time."""

    def __init__(self, game: Game):
        policy, arms = game.policy, game.mean.size
        self.tally: Tally = game.tally()
        self._arguments = (
            estimator_code(policy.estimator),
            policy.parameter,
            game.mean,
            game.value,
            game.key,
            game.run,
            game.rng,
            self.tally,
            Control.new(policy, game.eta, game.horizon, arms),
            np.zeros(arms),
            np.zeros(arms),
        )

    def advance(self, first: int, last: int) -> None:
        advance_dense(first, last, *self._arguments)
