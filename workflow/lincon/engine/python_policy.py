"""The engine of user-defined policies: a Python class plays, the bench deals events and counts.

The class is played on the same random events as every other policy of the run and its rounds are
counted in the same tally, so all that is made from runs is made from these. What it returns is
checked in every round; an exception in it is its own and is not caught.
"""

from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np

from lincon.engine.game import Game
from lincon.engine.tally import Tally, count
from lincon.engine.world import World, arrival_of, drift_round
from lincon.errors import UserError
from lincon.jit import entry
from lincon.policies.own import build
from lincon.policies.selectors import INFEASIBLE_ROUND, Mixture, draw

ALLOWED = "an arm, (low, high, share), a dict or list of arms with their shares, or None"


@entry
def count_round(tally, t, arm, mixture, size, mean, program, key, run):
    return count(tally, t, arm, mixture, size, mean, program, key, run)


@entry
def draw_arm(mixture, size, arms, uniform):
    return draw(mixture, size, arms, uniform)


class PythonEngine:
    """Plays one run from its first round on, a block of rounds at a time.

    The class is given the policy's own stream of random numbers, and draws from its mixtures come
    from the same.
    """

    def __init__(self, game: Game) -> None:
        constraints, arms = game.program.a.shape
        self.tally: Tally = game.tally()
        self._game, self._arms = game, arms
        self._mixture = Mixture(
            np.zeros(arms, np.int64), np.zeros(arms), np.zeros(arms), np.zeros((constraints, 0))
        )
        self._mean, self._world = game.mean.copy(), World.new(game, self.tally)
        # By the round after which it is told: plays, oldest first.
        self._due: dict[int, list[tuple[int, int, bool]]] = {}
        self._own = build(
            game.policy, game.goal, game.program, game.horizon, game.rng, game.history
        )

    def advance(self, first: int, last: int) -> None:
        for t in range(first, last + 1):
            self._play(t)

    def _play(self, t: int) -> None:
        game, tally, mixture = self._game, self.tally, self._mixture
        if self._world.drifts:
            drift_round(self._world, game.run, t, self._mean, game.program, tally)
        choice = self._own.choose(t)
        size = self._fill(t, choice)
        # A single arm needs no draw; a class that draws for itself keeps its stream to itself.
        if isinstance(choice, Integral):
            arm = int(mixture.arm[0])
        else:
            arm = int(draw_arm(mixture, size, self._arms, game.rng.random()))
        event = count_round(
            tally, t, arm, mixture, size, self._mean, game.program, game.key, game.run
        )
        due, true = arrival_of(self._world, game.run, t, arm) if self._world.late else (t, True)
        self._due.setdefault(due, []).append((t, arm, bool(event and true)))
        for play in self._due.pop(t, ()):
            self._own.update(*play)

    def _fill(self, t: int, choice: object) -> int:
        """Put the choice into the mixture; its size. UserError if it is none."""
        if choice is None:
            return INFEASIBLE_ROUND
        shares: dict[int, float] = {}
        for arm, share in self._pairs(t, choice):
            if not _is_a(Integral, arm) or arm not in range(self._arms):
                allowed = f"a whole number from 0 to {self._arms - 1}"
                raise self._mistake(t, f"chose arm {_shown(arm)}", allowed)
            if not _is_a(Real, share) or not 0.0 <= float(share) <= 1.0:
                raise self._mistake(t, f"gave the share {_shown(share)}", "a number in [0, 1]")
            shares[int(arm)] = shares.get(int(arm), 0.0) + float(share)
        if abs(sum(shares.values()) - 1.0) > 1e-9:
            raise self._mistake(t, f"chose {_shown(choice)}", "shares that add to 1")
        for k, (number, part) in enumerate(shares.items()):
            self._mixture.arm[k], self._mixture.share[k] = number, part
        return len(shares)

    def _pairs(self, t: int, choice: object) -> list[tuple[Any, Any]]:
        """The choice as (arm, share), still unchecked."""
        if isinstance(choice, Mapping):
            return list(choice.items())
        if isinstance(choice, tuple) and len(choice) == 3:
            low, high, share = choice
            return [(low, share), (high, 1.0 - share if isinstance(share, Real) else share)]
        if isinstance(choice, list) and all(_is_pair(one) for one in choice):
            return choice
        if isinstance(choice, Integral):
            return [(choice, 1.0)]
        raise self._mistake(t, f"chose {_shown(choice)}", ALLOWED)

    def _mistake(self, t: int, what: str, allowed: str) -> UserError:
        return UserError(
            f"policies.{self._game.policy.name}, round {t}: it {what}; allowed: {allowed}"
        )


def _is_a(kind: type, number: object) -> bool:
    return isinstance(number, kind) and not isinstance(number, bool)


def _is_pair(one: object) -> bool:
    return isinstance(one, tuple) and len(one) == 2


def _shown(answer: object) -> str:
    """What a class answered, cut where it would bury the sentence."""
    return repr(answer)[:200]
