"""The engine of policies of one's own: a Python class plays, the bench deals the luck and counts.

The class meets the same luck as every other policy of the run and its rounds are counted in the
same tally, so all that is made from runs is made from these. What it returns is checked in every
round; an exception in it is its own and is not caught.
"""

from __future__ import annotations

from numbers import Integral, Real

from lincon.engine.game import Game
from lincon.engine.tally import Tally, count
from lincon.errors import UserError
from lincon.policies.own import build
from lincon.policies.selectors import draw

UNIFORM = (-1, -1, 0.0)


class PythonEngine:
    """Plays one run from its first round on, a block of rounds at a time.

    The class is given the policy's own stream of random numbers, and draws from its mixtures come
    from the same.
    """

    def __init__(self, game: Game) -> None:
        self.tally: Tally = game.tally()
        self._game = game
        self._arms = len(game.value)
        self._own = build(game.policy, game.value.copy(), game.eta, game.horizon, game.rng)

    def advance(self, first: int, last: int) -> None:
        for t in range(first, last + 1):
            self._play(t)

    def _play(self, t: int) -> None:
        game, tally = self._game, self.tally
        choice = self._own.choose(t)
        low, high, share = self._checked(t, choice)
        # A single arm needs no draw; a class that draws for itself keeps its stream to itself.
        single = isinstance(choice, Integral)
        arm = low if single else int(draw(low, high, share, self._arms, game.rng.random()))
        before = int(tally.events[arm])
        count(tally, t, arm, low, high, share, game.mean, game.value, game.key, game.run)
        self._own.update(t, arm, int(tally.events[arm]) > before)

    def _checked(self, t: int, choice: object) -> tuple[int, int, float]:
        """The choice as a mixture; UserError if it is none."""
        if choice is None:
            return UNIFORM
        if isinstance(choice, tuple) and len(choice) == 3:
            low, high, share = choice
            return self._arm(t, low), self._arm(t, high), self._share(t, share)
        if isinstance(choice, tuple) or not isinstance(choice, Integral):
            raise self._mistake(t, f"chose {_shown(choice)}", "an arm, (low, high, share) or None")
        arm = self._arm(t, choice)
        return arm, arm, 1.0

    def _arm(self, t: int, arm: object) -> int:
        if isinstance(arm, Integral) and not isinstance(arm, bool) and 0 <= int(arm) < self._arms:
            return int(arm)
        allowed = f"a whole number from 0 to {self._arms - 1}"
        raise self._mistake(t, f"chose arm {_shown(arm)}", allowed)

    def _share(self, t: int, share: object) -> float:
        if isinstance(share, Real) and not isinstance(share, bool) and 0.0 <= float(share) <= 1.0:
            return float(share)
        raise self._mistake(t, f"gave the share {_shown(share)}", "a number in [0, 1]")

    def _mistake(self, t: int, what: str, allowed: str) -> UserError:
        return UserError(
            f"policies.{self._game.policy.name}, round {t}: it {what}; allowed: {allowed}"
        )


def _shown(answer: object) -> str:
    """What a class answered, cut where it would bury the sentence."""
    return repr(answer)[:200]
