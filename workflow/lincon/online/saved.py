"""The state of a policy: what it says, and a policy that goes on from it."""

import json
import secrets
from dataclasses import astuple
from pathlib import Path
from typing import Any, Self

import numpy as np

from lincon.errors import UserError
from lincon.online.arms import Arm
from lincon.online.rounds import Play
from lincon.online.state import VERSION, checked_state, read_state, sealed, write_state
from lincon.online.workers import Workers

# Options that every class has.
COMMON = ("memory", "explore_share", "propensity_draws", "timeout", "debt_limit", "waiting_limit")


class Saved(Workers):
    """A policy that can be saved, and loaded again."""

    def state(self) -> dict[str, Any]:
        """Everything, as JSON can hold it; `from_state` goes on exactly where it was."""
        arms = self.arms
        record = {
            "version": VERSION,
            "policy": type(self).__name__,
            "goal": self.goal.to_dict(),
            "kinds": list(self.kinds.items()),
            "numbers": self.numbers,
            "options": self.options,
            "arms": [
                [one.kind, one.name, arms.generation[one.kind, one.name], dict(one.columns)]
                for one in arms.arms
            ],
            "gone": [[*key, numbers] for key, numbers in arms.gone.items()],
            "history": self.history,
            "total": self.totals(),
            "others": list(self.others.values()),
            "infeasible": self.infeasible,
            "shifted": self.shifted,
            "waived": self.waived,
            "prior": self.prior,
            "waiting": [[id, astuple(play)] for id, play in self.waiting.items()],
            "settled": [[id, astuple(play)] for id, play in self.settled.items()],
            "rng": self.rng.bit_generator.state,
        }
        plain = json.dumps(record, default=lambda one: one.tolist())
        return sealed(json.loads(plain))

    @classmethod
    def from_state(
        cls,
        state: Any,
        *,
        seed: int | np.random.Generator | None = None,
        worker: str | None = None,
        **options: Any,
    ) -> Self:
        """The policy of a state, which goes on with its random stream and under its worker's name.

        Parameters
        ----------
        state
            What `state` gave, of this class or another (then the prior is learnt anew).
        seed, worker
            With either it is one of several that start from this state: it knows the counts, and
            what waits is left to the worker that goes on.
        **options
            Options and numbers that replace those of the state.
        """
        held = checked_state(state)
        try:
            return cls._restored(held, seed, worker, options)
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            if isinstance(error, UserError):
                raise UserError(f"the state cannot be used: {error}") from None
            raise UserError(f"the state is damaged: {str(error)[:100]}") from None

    @classmethod
    def _restored(cls, held: dict[str, Any], seed: Any, worker: str | None, options: Any) -> Self:
        arms = [Arm(name, columns, kind) for kind, name, _, columns in held["arms"]]
        same = held["policy"] == cls.__name__
        kept = {key: one for key, one in held["numbers"].items() if key in cls.NUMBERS}
        kinds = None if held["kinds"][0][0] is None else dict(held["kinds"])
        known = {key: one for key, one in held["options"].items() if same or key in COMMON}
        total, stream = held["total"], held["rng"]
        made = cls(arms, goal=held["goal"], kinds=kinds, **(kept | known | options))
        made.arms.generation = {(kind, name): one for kind, name, one, _ in held["arms"]}
        made.arms.gone = {(kind, name): numbers for kind, name, numbers in held["gone"]}
        made.history, made.others = held["history"], {one["worker"]: one for one in held["others"]}
        made.shifted, made.waived = np.array(held["shifted"]), np.array(held["waived"])
        made.prior = held["prior"] if same else made.prior
        if seed is not None or worker not in (None, total["worker"]):
            made._start(worker or secrets.token_hex(4))
            made.rng = np.random.default_rng(seed)
            made._put(total)
            return made
        made._start(total["worker"])
        made._take(total)
        made.infeasible = held["infeasible"]
        for key, plays in (("waiting", made.waiting), ("settled", made.settled)):
            plays |= {id: Play(*play) for id, play in held[key]}
        kinds_of_stream = {one.__name__: one for one in np.random.BitGenerator.__subclasses__()}
        made.rng = np.random.Generator(kinds_of_stream[stream["bit_generator"]]())
        made.rng.bit_generator.state = stream
        return made

    def save(self, path: str | Path) -> None:
        """Write the state, atomically."""
        write_state(path, self.state())

    @classmethod
    def load(cls, path: str | Path, **options: Any) -> Self:
        """The policy of a saved state; options as of `from_state`."""
        return cls.from_state(read_state(path), **options)
