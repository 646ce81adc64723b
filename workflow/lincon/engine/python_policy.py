"""The engine of user-defined policies: a Python class chooses, the engine deals events and counts.

The class meets the same random events as every other policy of the run, and its rounds are counted
in the same tally. Every choice is checked; an exception in the class is not caught, but gets a note
with the round.
"""

from collections.abc import Mapping
from numbers import Integral, Real

import numpy as np

from lincon.engine.game import Game
from lincon.engine.tally import Tally, count
from lincon.engine.world import World, arrival_of, drift_round
from lincon.errors import UserError
from lincon.jit import entry
from lincon.policies.own import build
from lincon.policies.selectors import INFEASIBLE_ROUND, Mixture, draw

ALLOWED = "an arm, a dict of arms with their shares, or None"


@entry
def count_round(tally, t, arm, mixture, size, mean, program, key, run):
    return count(tally, t, arm, mixture, size, mean, program, key, run)


@entry
def draw_arm(mixture, size, arms, uniform):
    return draw(mixture, size, arms, uniform)


class PythonEngine:
    """Plays one run from its first round on.

    The class draws from the policy's random stream, and so do the arms of its mixtures.
    """

    def __init__(self, game: Game) -> None:
        constraints, arms = game.program.a.shape
        self.tally: Tally = game.tally()
        self._game, self._arms = game, arms
        self._mixture = Mixture(
            np.zeros(arms, np.int64), np.zeros(arms), np.zeros(arms), np.zeros((constraints, 0))
        )
        self._mean, self._world = game.mean.copy(), World.new(game, self.tally)
        # By the round in which its feedback arrives: (t, arm, event), oldest first.
        self._due: dict[int, list[tuple[int, int, bool]]] = {}
        self._policy = build(
            game.policy, game.goal, game.program, game.horizon, game.rng, game.history
        )

    def advance(self, first: int, last: int) -> None:
        for t in range(first, last + 1):
            try:
                self._play(t)
            except UserError:
                raise
            except BaseException as error:
                error.add_note(f"round {t}")
                raise

    def _play(self, t: int) -> None:
        game, tally, mixture = self._game, self.tally, self._mixture
        if self._world.drifts:
            drift_round(self._world, game.run, t, self._mean, game.program, tally)
        choice = self._policy.choose(t)
        size = self._fill(t, choice)
        # A single arm needs no draw, so a class that draws for itself has its stream to itself.
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
            self._policy.update(*play)

    def _fill(self, t: int, choice: object) -> int:
        """Put a choice into the mixture; its number of arms, or INFEASIBLE_ROUND for None."""
        if choice is None:
            return INFEASIBLE_ROUND
        shares = {choice: 1.0} if isinstance(choice, Integral) else choice
        if not isinstance(shares, Mapping):
            raise self._mistake(t, f"chose {_shown(choice)}", ALLOWED)
        for arm, share in shares.items():
            if not _is_a(Integral, arm) or not 0 <= arm < self._arms:
                allowed = f"a whole number from 0 to {self._arms - 1}"
                raise self._mistake(t, f"chose arm {_shown(arm)}", allowed)
            if not _is_a(Real, share) or not 0.0 <= share <= 1.0:
                raise self._mistake(t, f"gave the share {_shown(share)}", "a number in [0, 1]")
        if abs(sum(shares.values()) - 1.0) > 1e-9:
            raise self._mistake(t, f"chose {_shown(choice)}", "shares that add to 1")
        for k, (arm, share) in enumerate(shares.items()):
            self._mixture.arm[k], self._mixture.share[k] = arm, share
        return len(shares)

    def _mistake(self, t: int, what: str, allowed: str) -> UserError:
        return UserError(
            f"policies.{self._game.policy.name}, round {t}: it {what}; allowed: {allowed}"
        )


def _is_a(kind: type, number: object) -> bool:
    return isinstance(number, kind) and not isinstance(number, bool)


def _shown(answer: object) -> str:
    """What a class returned, cut where it would bury the sentence."""
    return repr(answer)[:200]
