"""From a config entry and its raw files to arms, whatever the kind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from lincon.data.arms import Arms
from lincon.data.kinds import Entry, parse
from lincon.data.raw import is_placeholder
from lincon.data.stand_in import stand_in
from lincon.errors import UserError


def extract(entry: Entry, raw: Sequence[Path], dataset: str) -> Arms:
    """The arms of a dataset, from its config entry and its raw files.

    `entry["data"]` is the config's `auto`, `real` or `standin`. Kinds that have a stand-in give it
    where that is asked for, or where nobody could deliver a raw file (it is empty).
    """
    where, data = f"datasets.{dataset}", entry.get("data", "auto")
    spec = parse({key: entry[key] for key in entry if key != "data"}, where)
    raw = [Path(path) for path in raw]
    empty = [path for path in raw if is_placeholder(path) and not spec.path_key]
    facts = type(spec).facts
    if facts is not None and (data == "standin" or (empty and data != "real")):
        return stand_in(facts(), dataset)
    if empty:
        raise UserError(
            f"{empty[0]} could not be downloaded so far; run again online with `data: real`"
        )
    made = replace(spec.extract(raw, dataset), dataset=dataset)
    # What horizons were checked against.
    if spec.arm_count() not in (None, len(made)):
        raise UserError(
            f"{where}.arms is {spec.arm_count()}, but {made.address or 'its source'} gives "
            f"{len(made)} arms; give that number, or leave the key out"
        )
    return made
