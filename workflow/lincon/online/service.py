"""A policy in operation: its status, changes, workers and state."""

import json
import logging
import os
import secrets
import weakref
from collections.abc import Mapping
from dataclasses import astuple, replace
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from lincon.errors import UserError
from lincon.files import replacing
from lincon.online.arms import (
    CHOICES,
    EVENTS,
    PLAYS,
    Arm,
    Columns,
    Name,
    checked_worker,
    new_arm,
)
from lincon.online.checks import checked_goal
from lincon.online.counts import AMOUNTS, ROUNDS
from lincon.online.feedback import Feedback, Play
from lincon.online.records import sealed, unsealed
from lincon.policies.parts import TABLES, checked_parameters
from lincon.policies.standard import STANDARD
from lincon.problem.goal import Goal

LOG = logging.getLogger("lincon.online")
# The policies of this process, which a forked process has to know.
LIVE: "weakref.WeakSet[Service]" = weakref.WeakSet()


class Service(Feedback):
    """What is done with a policy apart from its choices."""

    # Its name in `lincon.policies.standard`, where its parts and their numbers are.
    STANDARD: ClassVar[str]
    options: dict[str, Any]
    numbers: dict[str, float]
    prior: list[float]
    infeasible: int
    _seen_infeasible: int

    @classmethod
    def _checked_numbers(cls, given: Mapping[str, Any]) -> dict[str, float]:
        """Its parameters: as given, otherwise those of the standard policy."""
        entry = STANDARD[cls.STANDARD]
        parts = [table[entry[kind]] for kind, table in TABLES.items() if kind in entry]
        known = {name: entry[name] for part in parts for name in part.defaults if name in entry}
        numbers = checked_parameters(parts, known | dict(given), cls.__name__)
        if numbers.get("allowance") and cls.STANDARD != "gittins_ledger":
            raise UserError(f"{cls.__name__}.allowance needs a horizon, which GittinsLedger has")
        return numbers

    @property
    def goal(self) -> Goal:
        return self.arms.goal

    @property
    def worker(self) -> str:
        return self.counts.worker

    # --- what an operator sees and does

    def status(self) -> dict[str, Any]:
        """Plain numbers for a metrics exporter.

        Of all workers: `rounds`; by constraint the `rate`, its `bound` and the `debt` (negative: a
        surplus); by arm its choices, plays, events (history included) and mean cost. Of this worker
        what waits, and the share of its rounds in which no mixture was feasible.
        """
        counts, arms, now = self.counts, self.arms, self.clock()
        oldest = next((one.time for one in self.waiting.values()), now)
        account = counts.account + counts.their_account
        rates = account[AMOUNTS] / np.maximum(account[ROUNDS], 1.0)
        seen = (arms.own + arms.known)[[CHOICES, PLAYS, EVENTS]].T.tolist()
        return {
            "rounds": counts.round - 1,
            "chosen": counts.chosen,
            "counted": counts.counted,
            "waiting": len(self.waiting),
            "oldest_seconds": now - oldest,
            "infeasible_share": self.infeasible / max(counts.chosen, 1),
            "constraints": {
                one.name: {
                    "rate": float(one.sign * rates[j]),
                    "bound": one.bound,
                    "debt": float(counts.debts[j]),
                }
                for j, one in enumerate(self.goal.constraints)
            },
            "arms": {
                str(one.name) if one.kind is None else f"{one.kind}/{one.name}": {
                    **dict(zip(("choices", "plays", "events"), seen[i], strict=True)),
                    "cost": arms.cost(i),
                }
                for i, one in enumerate(arms.arms)
            },
        }

    def _warn(self) -> None:
        """Warn the operator, at most once in 1,000 choices."""
        plays, events = self.arms.own[[PLAYS, EVENTS]].sum(axis=1)
        if 10 <= events == plays < 0.5 * self.counts.chosen:
            LOG.warning("%d events and not one miss: report misses too, or set a timeout", events)
        if (recent := self.infeasible - self._seen_infeasible) > 900:
            LOG.warning("no mixture was feasible in %d of 1000 rounds: see status()", recent)
        self._seen_infeasible = self.infeasible

    def forgive(self, constraint: str) -> float:
        """Forgive a constraint's shortfall, in all workers once they have merged; returns it."""
        debt = self.counts.forgive(self._constraint(constraint))
        self._note(forgiven=constraint, debt=debt, time=self.clock())
        return debt

    def change_bound(self, constraint: str, bound: float) -> None:
        """Set a constraint's bound from now on; past rounds are held to the old one."""
        j, rules = self._constraint(constraint), list(self.goal.constraints)
        rules[j] = replace(rules[j], bound=bound)
        goal = replace(self.goal, constraints=tuple(rules))
        self.arms.set(checked_goal(None, goal, self.arms.kinds), self.arms.arms)
        self._note(goal=self.goal.to_dict())

    def _constraint(self, name: str) -> int:
        names = [one.name for one in self.goal.constraints]
        if name not in names:
            raise UserError(f"there is no constraint {name!r}; allowed: {', '.join(names)}")
        return names.index(name)

    def add_arm(self, name: Name, columns: Columns | float, kind: str | None = None) -> None:
        """Add an arm with its value or its columns."""
        self.arms.set(self.goal, [*self.arms.arms, new_arm(name, columns, kind)])
        self.counts.add_up()
        self._note(arms=[vars(self.arms.arms[-1])])

    def change_arm(self, name: Name, columns: Columns | float, kind: str | None = None) -> None:
        """Replace an arm's columns; its counts stay."""
        at, arm = self.arms.position(name, kind), new_arm(name, columns, kind)
        self.arms.set(self.goal, [*self.arms.arms[:at], arm, *self.arms.arms[at + 1 :]])
        self._note(arms=[vars(arm)])

    def remove_arm(self, name: Name, kind: str | None = None) -> None:
        """Remove an arm; late events of its decisions still count towards the constraints."""
        self.arms.remove(name, kind)
        self._note(gone=name, kind=kind)

    # --- several workers, and its state

    def totals(self) -> dict[str, Any]:
        """All that this worker has counted, as plain JSON values, for the others' `merge`."""
        return sealed("total", self.counts.total())

    def merge(self, total: Mapping[str, Any]) -> bool:
        """Merge another worker's total, or this worker's own after a restart; whether it was new.

        Raises
        ------
        UserError
            If it is damaged or of another goal, or if a restarted worker has counted without its
            previous total.
        """
        return self.counts.merge(unsealed("total", total))

    def _fork(self) -> None:
        """In a forked process: another worker, with a stream of its own, that knows the parent's
        counts; what waits is left to the parent."""
        total = self.counts.total()
        self.counts.start(f"{self.worker[:55]}-{secrets.token_hex(4)}")
        self.counts.merge(total)
        self.rng, self.waiting, self.settled = np.random.default_rng(), {}, {}

    def state(self) -> dict[str, Any]:
        """The whole state, as plain JSON values; `from_state` continues exactly from it."""
        arms = self.arms
        shares = dict(zip(arms.kinds, arms.shares.tolist(), strict=True))
        kinds = None if None in shares else shares
        record = {
            "policy": type(self).__name__,
            "given": {"goal": self.goal.to_dict(), "kinds": kinds, **self.options},
            "numbers": self.numbers,
            "arms": [[one.kind, one.name, dict(one.columns)] for one in arms.arms],
            "generations": [[*key, number] for key, number in arms.generation.items()],
            "total": self.counts.total(),
            "others": list(self.counts.others.values()),
            "infeasible": self.infeasible,
            "prior": self.prior,
            "waiting": [[id, astuple(play)] for id, play in self.waiting.items()],
            "settled": [[id, astuple(play)] for id, play in self.settled.items()],
            "rng": self.rng.bit_generator.state,
        }
        return sealed("state", record)

    @classmethod
    def from_state(
        cls,
        state: Any,
        *,
        seed: int | np.random.Generator | None = None,
        worker: str | None = None,
        **options: Any,
    ) -> Self:
        """Restore a policy from a state, with its random stream and its worker's name.

        Parameters
        ----------
        state
            The result of `state`. Of another class, counts and options are kept; the prior and the
            policy's numbers are not.
        seed, worker
            With either, this is one of several workers that start from the state: it has the
            counts, and waiting decisions stay with the original worker.
        **options
            Options and numbers that replace those of the state.
        """
        record = unsealed("state", state)
        total, stream, same = record["total"], record["rng"], record["policy"] == cls.__name__
        numbers = record["numbers"] if same else {}
        arms = [Arm(name, columns, kind) for kind, name, columns in record["arms"]]
        policy = cls(arms, **(record["given"] | numbers | options))  # type: ignore[call-arg]
        counts = policy.counts
        policy.arms.generation = {(kind, name): one for kind, name, one in record["generations"]}
        policy.prior = record["prior"] if same else policy.prior
        counts.others = {one["worker"]: one for one in record["others"]}
        if seed is not None or worker not in (None, total["worker"]):
            counts.start(checked_worker(worker))
            counts.merge(total)
            policy.rng = np.random.default_rng(seed)
            return policy
        counts.start(total["worker"])
        counts.take(total)
        policy.infeasible = record["infeasible"]
        for name in ("waiting", "settled"):
            setattr(policy, name, {id: Play(*play) for id, play in record[name]})
        policy.rng = np.random.Generator(getattr(np.random, stream["bit_generator"])())
        policy.rng.bit_generator.state = stream
        return policy

    def save(self, path: str | Path) -> None:
        """Write the state to a file atomically, synced to disk before it replaces an older one."""
        with replacing(path) as temporary, open(temporary, "w", encoding="utf-8") as file:
            json.dump(self.state(), file)
            file.flush()
            os.fsync(file.fileno())
        folder = os.open(Path(path).parent, os.O_RDONLY)
        os.fsync(folder)
        os.close(folder)

    @classmethod
    def load(cls, path: str | Path, **options: Any) -> Self:
        """Restore a policy from a saved state; options as of `from_state`."""
        try:
            state = json.loads(Path(path).read_text(encoding="utf-8"))
        except (ValueError, RecursionError, OSError) as error:
            raise UserError(f"{path} is not the state of a policy: {str(error)[:100]}") from None
        return cls.from_state(state, **options)


def _fork_all() -> None:
    for policy in list(LIVE):
        policy._fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_fork_all)
