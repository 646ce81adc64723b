"""An atlas: one policy table over many generated problems, a grid of what makes them hard.

A problem's dataset is named by what it is, `NAME@arms_10,slack_0.1,...`; events and policies' draws
are keyed by that name, as everywhere, so no problem's numbers depend on the block it is played in.
"""

import hashlib
import itertools
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lincon.data import kinds
from lincon.errors import UserError
from lincon.study.paths import block_name, read_block
from lincon.study.plan import Player, player_of, variant

AXES = ("arms", "slack", "correlation", "near_optimal")
DEFAULTS = {"recipe": "uniform", "problems_per_job": 10, "long_horizon": 0, "long_every": 20}


@dataclass(frozen=True)
class Atlas:
    """`entry` is that of the config with defaults filled in."""

    name: str
    entry: dict[str, Any]
    # The coordinates of each problem on the axes, and its seed.
    problems: list[dict[str, Any]]
    # What all problems share: an entry of kind `generated`.
    shared: dict[str, Any]
    players: list[Player]

    @property
    def blocks(self) -> list[str]:
        """The names of the blocks of problems, one per job."""
        count, size = len(self.problems), self.entry["problems_per_job"]
        return [block_name(k, min(k + size, count) - 1) for k in range(0, count, size)]

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


def _atlas(name: str, given: Mapping[str, Any], config: Mapping[str, Any]) -> Atlas:
    entry = {"label": name, "runs": config["runs"]} | DEFAULTS | dict(given)
    shared = {"kind": "generated", "recipe": entry["recipe"], "floor": entry["eta"]}
    shared = kinds.replaced(shared, {}, f"atlas.{name}")
    problems = []
    for values in itertools.product(*(entry[axis] for axis in AXES)):
        cell = dict(zip(AXES, values, strict=True))
        kinds.parse(shared | cell, f"atlas.{name}")
        if entry["horizon"] < cell["arms"]:
            raise UserError(
                f"config: atlas.{name}.horizon is {entry['horizon']}, but {cell['arms']} arms are "
                f"each played once first; allowed: {cell['arms']} or more"
            )
        problems += [
            cell | {"seed": problem_seed(cell, number, config["seed"])}
            for number in range(entry["problems"])
        ]
    players = [player_of(f"atlas.{name}", one, one, {}, config) for one in entry["policies"]]
    return Atlas(name, entry, problems, shared, players)


def problem_seed(cell: Mapping[str, Any], number: int, seed: int) -> int:
    """The seed of a cell's problem: independent between cells, whatever else the grid holds."""
    text = json.dumps([seed, number, {axis: float(cell[axis]) for axis in AXES}], sort_keys=True)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "little")
