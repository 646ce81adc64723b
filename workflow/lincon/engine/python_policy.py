"""The engine of user-defined policies: a Python class chooses, the engine deals events and counts.

The class is played on the same random events as every other policy of the run, and its rounds are
counted in the same tally. Every choice is checked; an exception in the class is not caught, but
gets a note with the round.
"""

from collections.abc import Mapping
from numbers import Integral, Real

import numpy as np

from lincon.engine.dense import draw_arm
from lincon.engine.drift import Drift, move_means
from lincon.engine.feedback import Delay, arrival
from lincon.engine.inputs import RunInputs
from lincon.engine.requests import kind_of_round
from lincon.engine.tally import Tally, count
from lincon.errors import UserError
from lincon.jit import entry
from lincon.policies.own import build
from lincon.policies.selectors import Mixture

ALLOWED = "an arm, a dict of arms with their shares, or None"


@entry
def count_round(tally, t, arm, mixture, size, mean, program, key, run):
    """`count` of a round in which a class chose; None, of size 0, counts as infeasible."""
    return count(tally, t, arm, mixture, size, size == 0, mean, program, key, run)


@entry
def draw_choice(mixture, size, requests, kind, uniform):
    return draw_arm(mixture, size, requests, kind, uniform)


class PythonEngine:
    """Plays one run from its first round on.

    The class draws from the policy's random stream, and so do the arms of its mixtures.
    """

    def __init__(self, inputs: RunInputs) -> None:
        constraints, arms = inputs.program.a.shape
        self.tally: Tally = inputs.tally()
        self._inputs, self._requests = inputs, inputs.requests()
        self._arms = inputs.program.rows
        self._mixture = Mixture(
            arm=np.zeros(arms, np.int64),
            share=np.zeros(arms),
            gain=np.zeros(arms),
            amount=np.zeros((constraints, 0)),
        )
        self._mean = inputs.mean.copy()
        self._drift, self._delay = Drift.new(inputs), Delay.new(inputs)
        # By the round in which its feedback arrives: (t, arm, event), oldest first.
        self._due: dict[int, list[tuple[int, int, bool]]] = {}
        self._policy = build(
            inputs.policy,
            inputs.goal,
            inputs.program,
            inputs.horizon,
            inputs.rng,
            inputs.history,
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
        inputs, tally, mixture, mean = self._inputs, self.tally, self._mixture, self._mean
        run, program = inputs.run, inputs.program
        if self._drift.moves:
            move_means(self._drift, run, t, mean, program, tally)
        kind = kind_of_round(self._requests, run, t)
        choice = self._policy.choose(*self._question(t, kind))
        size = self._fill(t, choice, self._arms[kind])
        # A single arm needs no draw, so a class that draws for itself has the stream to itself.
        if isinstance(choice, Integral):
            arm = int(mixture.arm[0])
        else:
            arm = int(draw_choice(mixture, size, self._requests, kind, inputs.rng.random()))
        event = count_round(tally, t, arm, mixture, size, mean, program, inputs.key, run)
        due, true = arrival(self._delay, run, t, arm) if self._delay.late else (t, True)
        self._due.setdefault(due, []).append((t, arm, bool(event and true)))
        for play in self._due.pop(t, ()):
            self._policy.update(*play)

    def _question(self, t: int, kind: int) -> tuple[int, ...]:
        """What `choose` is asked with: the round, and the kind where there are several."""
        return (t, kind) if len(self._arms) > 1 else (t,)

    def _fill(self, t: int, choice: object, arms: np.ndarray) -> int:
        """Put a choice among these arms into the mixture; its number of arms, 0 for None."""
        if choice is None:
            return 0
        shares = {choice: 1.0} if isinstance(choice, Integral) else choice
        if not isinstance(shares, Mapping):
            raise self._mistake(t, f"chose {_shown(choice)}", ALLOWED)
        for arm, share in shares.items():
            if not _is_a(Integral, arm) or arm not in arms:
                allowed = f"a whole number from {arms[0]} to {arms[-1]}"
                if len(self._arms) > 1:
                    allowed = f"an arm of the request's kind, such as {arms[0]}"
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
            f"policies.{self._inputs.policy.name}, round {t}: it {what}; allowed: {allowed}"
        )


def _is_a(kind: type, number: object) -> bool:
    return isinstance(number, kind) and not isinstance(number, bool)


def _shown(answer: object) -> str:
    """What a class returned, as an error message quotes it."""
    return repr(answer)[:200]
