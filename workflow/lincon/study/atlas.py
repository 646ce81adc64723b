"""An atlas: one policy table over many generated problems, a grid of what makes them hard.

A problem's dataset is named by what it is, `NAME@arms_10,slack_0.1,...`; events and policies' draws
are keyed by that name, as everywhere, so no problem's numbers depend on the block it is played in.
"""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from lincon.data import kinds
from lincon.errors import UserError
from lincon.study.paths import block_name, read_block
from lincon.study.plan import Player, player_of, variant

AXES = ("arms", "slack", "correlation", "near_optimal")
PROBLEMS_PER_JOB = 10
LONG_EVERY = 20


@dataclass(frozen=True)
class Atlas:
    name: str
    label: str
    eta: float
    horizon: int
    runs: int
    per_job: int
    # The coordinates of each problem on the axes, and its seed.
    problems: tuple[dict[str, Any], ...] = field(hash=False)
    # What all problems share: an entry of kind `generated`.
    shared: dict[str, Any] = field(hash=False)
    players: tuple[Player, ...] = ()
    # Every so many problems are played for longer too; 0: none are.
    long_horizon: int = 0
    long_every: int = LONG_EVERY

    @cached_property
    def blocks(self) -> list[str]:
        """The names of the blocks of problems, one per job."""
        count = len(self.problems)
        starts = range(0, count, self.per_job)
        return [block_name(first, min(first + self.per_job, count) - 1) for first in starts]

    def problems_of(self, block: str) -> list[dict[str, Any]]:
        """The problems of a block: number, name of the dataset, entry of kind `generated`."""
        first, last = read_block(block)
        return [
            {
                "problem": number,
                "dataset": variant(self.name, self.problems[number]),
                "entry": self.shared | self.problems[number],
            }
            for number in range(first, last + 1)
        ]


def atlases(config: Mapping[str, Any]) -> dict[str, Atlas]:
    """The atlases of a validated config that are to be made."""
    entries = config.get("atlas", {})
    only = config.get("only", entries)
    return {name: _atlas(name, entries[name], config) for name in entries if name in only}


def _atlas(name: str, entry: Mapping[str, Any], config: Mapping[str, Any]) -> Atlas:
    where = f"config: atlas.{name}"
    given = {"kind": "generated", "recipe": entry.get("recipe", "uniform")}
    shared = kinds.replaced(given | {"floor": float(entry["eta"])}, {}, f"atlas.{name}")
    problems = []
    for values in itertools.product(*(entry[axis] for axis in AXES)):
        cell = dict(zip(AXES, values, strict=True))
        kinds.parse(shared | cell, f"atlas.{name}")
        if entry["horizon"] < cell["arms"]:
            raise UserError(
                f"{where}.horizon is {entry['horizon']}, but {cell['arms']} arms are each played "
                f"once first; allowed: {cell['arms']} or more"
            )
        problems += [
            cell | {"seed": problem_seed(cell, number, config["seed"])}
            for number in range(entry["problems"])
        ]
    return Atlas(
        name=name,
        label=entry.get("label", name),
        eta=float(entry["eta"]),
        horizon=entry["horizon"],
        runs=entry.get("runs", config["runs"]),
        per_job=entry.get("problems_per_job", PROBLEMS_PER_JOB),
        problems=tuple(problems),
        shared=shared,
        players=tuple(player_of(policy, policy, {}, config) for policy in entry["policies"]),
        long_horizon=entry.get("long_horizon", 0),
        long_every=entry.get("long_every", LONG_EVERY),
    )


def problem_seed(cell: Mapping[str, Any], number: int, seed: int) -> int:
    """The seed of a cell's problem: independent between cells, whatever else the grid holds."""
    text = json.dumps([seed, number, {axis: float(cell[axis]) for axis in AXES}], sort_keys=True)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "little")
