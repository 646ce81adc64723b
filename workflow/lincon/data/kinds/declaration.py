"""What a kind of dataset is: its keys, its checks, its arms; declared once, in one file a kind.

The rows of the config's schema, the keys that an experiment can sweep, the number of arms and the
stand-in all come from the declaration; nothing else in the library knows one kind from another.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lincon.data.arms import Arms, Source
from lincon.data.stand_in import Facts
from lincon.errors import UserError

Entry = Mapping[str, Any]  # a dataset's entry in the config
Row = Mapping[str, Any]  # a JSON-schema row
NUMERIC = ("number", "integer")


def arms_stated(entry: Entry) -> int | None:
    """The number of arms that the entry states; None where only the file knows."""
    return int(entry["arms"]) if "arms" in entry else None


def raw_names(entry: Entry) -> list[str]:
    """The names of the raw files that are downloaded for the entry."""
    return list(entry.get("files", {}))


@dataclass(frozen=True)
class Kind:
    """One kind of dataset.

    `keys` are the schema rows of its own keys. Every numeric one, `rates.high` within `rates` too,
    can be swept by an experiment, but for those in `fixed`, which state a fact about a file.
    `extract(entry, raw files, name of the dataset)` makes the arms, `arms(entry)` is their number,
    or None where only the file knows it. `check(entry, where)` raises a `UserError` on what the
    rows cannot say. `facts` makes the stand-in from published facts; None: it needs no download.
    `path_key` names the key that holds the path of the user's own file, if the kind has one.
    """

    name: str
    description: str
    mean: str  # how means and values come about, for readers
    value: str
    source: Source
    keys: Mapping[str, Row]
    extract: Callable[[Entry, Sequence[Path], str], Arms]
    required: tuple[str, ...] = ()
    fixed: frozenset[str] = frozenset()
    arms: Callable[[Entry], int | None] = arms_stated
    check: Callable[[Entry, str], None] = lambda entry, where: None
    facts: Callable[[], Facts] | None = None
    path_key: str | None = None
    by_hand: Mapping[str, str] = field(default_factory=dict)  # file name: how a person gets it

    @property
    def has_stand_in(self) -> bool:
        return self.facts is not None

    @property
    def swept(self) -> dict[str, Row]:
        """The schema row of each key that an experiment can replace or sweep, by dotted name."""
        rows = dict(numeric_rows(self.keys))
        return {name: row for name, row in rows.items() if name not in self.fixed}

    def filled(self, entry: Entry) -> dict[str, Any]:
        """The entry with the defaults of the rows filled in."""
        return _filled(self.keys, entry)

    def replaced(self, entry: Entry, values: Mapping[str, float]) -> dict[str, Any]:
        """The entry with other values at dotted keys, as in `{"rates.high": 8}`."""
        result = self.filled(entry)
        for dotted, value in values.items():
            *parents, last = dotted.split(".")
            below = result
            for parent in parents:
                below[parent] = dict(below[parent])
                below = below[parent]
            below[last] = value
        return result

    def check_entry(self, entry: Entry, where: str) -> None:
        """Refuse an entry that this kind cannot make arms of; `where` is its place in the config.

        The schema has looked at it before, but it does not see values that a sweep puts in, nor
        numbers that are none.
        """
        for key in self.required:
            if key not in entry:
                raise UserError(f"{where}.{key} is missing; kind {self.name} needs it")
        filled = self.filled(entry)
        for name, row in numeric_rows(self.keys):
            value = _lookup(filled, name)
            if value is not None:
                check_number(f"{where}.{name}", value, row)
        self.check(filled, where)


def numeric_rows(keys: Mapping[str, Row], above: str = "") -> Iterator[tuple[str, Row]]:
    """Each numeric key, by its dotted name, and its row."""
    for name, row in keys.items():
        if row.get("type") in NUMERIC:
            yield above + name, row
        yield from numeric_rows(row.get("properties", {}), f"{above}{name}.")


def check_number(where: str, value: Any, row: Row) -> None:
    """A finite number within the bounds of its row, and whole if the row says so."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if number and math.isfinite(value) and _within(value, row):
        return
    raise UserError(f"{where} is {value}; allowed: {row['description']} ({allowed(row)})")


def allowed(row: Row) -> str:
    """The bounds of a numeric row in words."""
    words = {
        "minimum": "at least",
        "exclusiveMinimum": "above",
        "maximum": "at most",
        "exclusiveMaximum": "below",
    }
    kind = "a whole number" if row["type"] == "integer" else "a number"
    return ", ".join([kind, *(f"{word} {row[key]:,}" for key, word in words.items() if key in row)])


def _within(value: float, row: Row) -> bool:
    return (
        value >= row.get("minimum", value)
        and value <= row.get("maximum", value)
        and ("exclusiveMinimum" not in row or value > row["exclusiveMinimum"])
        and ("exclusiveMaximum" not in row or value < row["exclusiveMaximum"])
        and (row["type"] != "integer" or value == int(value))
    )


def _filled(keys: Mapping[str, Row], entry: Entry) -> dict[str, Any]:
    result = dict(entry)
    for name, row in keys.items():
        if "default" in row and name not in result:
            result[name] = row["default"]
        if "properties" in row and isinstance(result.get(name), Mapping):
            result[name] = _filled(row["properties"], result[name])
    return result


def _lookup(entry: Entry, dotted: str) -> Any:
    value: Any = entry
    for part in dotted.split("."):
        if not isinstance(value, Mapping):
            return None
        value = value.get(part)
    return value
