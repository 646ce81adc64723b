"""Several workers: each one's total is sent whole, so that a total which arrives twice, late or out
of order changes nothing (a grow-only counter); a forked process becomes a worker of its own."""

import hashlib
import json
import os
import secrets
from collections.abc import Mapping
from typing import Any

import numpy as np

from lincon.errors import UserError
from lincon.online.rounds import LIVE, Rounds
from lincon.online.state import checked_total


class Workers(Rounds):
    """A policy that is one of several workers."""

    def goal_hash(self) -> str:
        """Of kinds and goal without the bounds, which a worker may change before another."""
        stated = self.goal.to_dict()
        rules = [
            {key: held for key, held in one.items() if key not in ("at_least", "at_most")}
            | {"sense": "at_least" if "at_least" in one else "at_most"}
            for one in stated["constraints"]
        ]
        text = json.dumps([rules, stated["objective"], sorted(map(str, self.kinds))])
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def totals(self) -> dict[str, Any]:
        """All that this worker has counted, as JSON can hold it, for the others' `merge`."""
        arms, own = self.arms, self.arms.own
        rows = [
            [one.kind, one.name, arms.generation[one.kind, one.name], *own[:, i].tolist()]
            for i, one in enumerate(arms.arms)
            if own[:, i].any()
        ]
        return {
            "worker": self.worker,
            "incarnation": self.incarnation,
            "lineage": list(self.lineage),
            "goal": self.goal_hash(),
            "changes": self.changes,
            "chosen": self.chosen,
            "counted": self.counted,
            "seen": self.counted + self.their_counted,
            "amounts": self.amounts.tolist(),
            "rounds": self.rounds.tolist(),
            "forgiven": self.forgiven.tolist(),
            "arms": rows,
        }

    def merge(self, total: Mapping[str, Any]) -> bool:
        """Take another worker's total, or after a restart this worker's; whether it was news.

        Raises
        ------
        UserError
            If it is damaged or of another goal, or if a worker was started again and has counted
            without its total of before.
        """
        new = checked_total(total, len(self.bound))
        if new["goal"] != self.goal_hash():
            raise UserError(f"the total of worker {new['worker']!r} was counted for another goal")
        if new["worker"] != self.worker:
            return self._put(new)
        if new["incarnation"] == self.incarnation:
            return False
        if self.changes > self._from:
            if new["incarnation"] in self.lineage and new["changes"] <= self._from:
                return False
            raise UserError(
                f"worker {self.worker!r} has counted since it was started; merge its total of "
                "before first, or give it another name"
            )
        if new["changes"] > self.changes:
            self._take(new)
        return True

    def _take(self, total: dict[str, Any]) -> None:
        """Go on from this worker's total of before."""
        self.lineage = [*total["lineage"], total["incarnation"]][-100:]
        self.changes = self._from = total["changes"]
        self.chosen, self.counted = total["chosen"], total["counted"]
        for name in ("amounts", "rounds", "forgiven"):
            setattr(self, name, np.array(total[name]))
        self.arms.own[:] = 0.0
        for kind, name, generation, *counts in total["arms"]:
            if self.arms.generation.get((kind, name)) == generation:
                self.arms.own[:, self.arms.at[kind, name]] = counts
        self._add_up()

    def _put(self, total: dict[str, Any]) -> bool:
        known = self.others.get(total["worker"])
        if known and known["incarnation"] == total["incarnation"]:
            if total["changes"] <= known["changes"]:
                return False
        elif known and total["incarnation"] in known["lineage"]:
            return False
        elif known and known["incarnation"] not in total["lineage"]:
            raise UserError(
                f"worker {total['worker']!r} was started again without its total of before; merge "
                "that there first, or give it another name"
            )
        before, forgiven = self.their_counted, self.their_forgiven
        self.others[total["worker"]] = total
        self._add_up()
        self._fade(self.their_counted - before)
        self.waived = np.maximum(self.waived - (self.their_forgiven - forgiven), 0.0)
        self._limit_debts()
        return True

    def _fork(self) -> None:
        """In a forked process: another worker, with a stream of its own, that knows the parent's
        counts; what waits is left to the parent."""
        total = self.totals()
        self._start(f"{self.worker[:55]}-{secrets.token_hex(4)}")
        self._put(total)
        self.rng = np.random.default_rng()


def _fork_all() -> None:
    for policy in list(LIVE):
        if isinstance(policy, Workers):
            policy._fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_fork_all)
