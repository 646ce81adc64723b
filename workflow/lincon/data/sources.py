"""From a config entry and its raw files to arms, whatever the kind."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lincon.data.arms import Arms
from lincon.data.kinds import KINDS, Entry, parse
from lincon.data.raw import is_placeholder, steps_by_hand
from lincon.data.stand_in import stand_in
from lincon.errors import UserError


def extract(entry: Entry, raw: Sequence[Path], dataset: str) -> Arms:
    """The arms of a dataset, from its config entry and its raw files.

    `entry["data"]` is the config's `auto`, `real` or `standin`. Kinds that are downloaded give
    their stand-in where that is asked for, or where nobody could deliver a raw file (it is empty).
    """
    where = f"datasets.{dataset}"
    spec = parse({key: entry[key] for key in entry if key != "data"}, where)
    raw = [Path(path) for path in raw]
    facts = type(spec).facts
    if facts is not None and _needs_stand_in(entry, raw):
        return stand_in(facts(), dataset)
    made = spec.extract(raw, dataset)
    _check_count(made, spec.arm_count(), where)
    return made


def _needs_stand_in(entry: Entry, raw: Sequence[Path]) -> bool:
    if entry.get("data") == "standin":
        return True
    empty = [path for path in raw if is_placeholder(path)]
    if empty and entry.get("data") == "real":
        name = empty[0].name
        address = (entry["files"].get(name) or {}).get("address")
        steps = steps_by_hand(empty[0], address, KINDS[entry["kind"]].by_hand.get(name, ""))
        raise UserError(f"{empty[0]} could not be downloaded so far: {steps}")
    return bool(empty)


def _check_count(made: Arms, stated: int | None, where: str) -> None:
    """The number of arms that the config states is what horizons were checked against."""
    if stated not in (None, len(made)):
        raise UserError(
            f"{where}.arms is {stated}, but {made.address or 'its source'} gives "
            f"{len(made)} arms; give that number, or leave the key out"
        )
