"""The kinds of dataset that the config knows. A new one is one file here and one line below."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from lincon.data.kinds import (
    coupon_published,
    coupon_raw,
    edx_courses,
    generated,
    user,
    wireless,
)
from lincon.data.kinds.declaration import Entry, Kind, Row
from lincon.data.kinds.raw_files import PUBLISHED_RUNS
from lincon.errors import UserError

MODULES = (edx_courses, coupon_published, coupon_raw, user, wireless, generated)
KINDS: dict[str, Kind] = {module.KIND.name: module.KIND for module in MODULES}
# The keys that every dataset has, whatever its kind.
COMMON: dict[str, Row] = {
    "label": {
        "type": "string",
        "minLength": 1,
        "maxLength": 200,
        "description": "the name shown in figures and tables",
    },
    "kind": {"description": "how arms are made from the source", "enum": list(KINDS)},
    "licence": {
        "type": "string",
        "maxLength": 1000,
        "description": "under which terms the data may be used",
    },
    "published_runs": PUBLISHED_RUNS,
}


def kind_of(entry: Entry, where: str = "the dataset") -> Kind:
    """The kind that an entry of the config names."""
    name = entry.get("kind")
    if name not in KINDS:
        raise UserError(f"{where}.kind: {name!r} is not one of {', '.join(KINDS)}")
    return KINDS[name]


def schema_properties() -> dict[str, Any]:
    """The schema row of every key that a dataset of some kind can have."""
    return COMMON | _united((kind, kind.keys) for kind in KINDS.values())


def swept_properties() -> dict[str, Any]:
    """The schema row of every number of a dataset that an experiment can replace or sweep."""
    return _united((kind, kind.swept) for kind in KINDS.values())


def kind_schema(kind: Kind) -> dict[str, Any]:
    """The closed schema of an entry of one kind."""
    return {
        "description": kind.description,
        "type": "object",
        "additionalProperties": False,
        "required": ["label", "kind", *kind.required],
        "properties": COMMON | dict(kind.keys),
    }


def arms_of(entry: Entry) -> int | None:
    """How many arms an entry of the config makes; None where only its file knows."""
    kind = kind_of(entry)
    return kind.arms(kind.filled(entry))


def by_hand(name: str) -> str:
    """How a person gets the raw file of that name; empty if no kind knows."""
    return next((kind.by_hand[name] for kind in KINDS.values() if name in kind.by_hand), "")


def _united(rows: Iterable[tuple[Kind, Mapping[str, Row]]]) -> dict[str, Any]:
    """Rows of all kinds in one; each says its kinds, and kinds that differ give alternatives."""
    found: dict[str, list[tuple[Row, list[str]]]] = {}
    for kind, keys in rows:
        for name, row in keys.items():
            known = found.setdefault(name, [])
            same = next((kinds for other, kinds in known if other == row), None)
            if same is None:
                known.append((row, [kind.name]))
            else:
                same.append(kind.name)
    return {name: _one_row(alternatives) for name, alternatives in found.items()}


def _one_row(alternatives: list[tuple[Row, list[str]]]) -> dict[str, Any]:
    described = [f"kind {', '.join(kinds)}: {row['description']}" for row, kinds in alternatives]
    description = {"description": "; ".join(described)}
    if len(alternatives) == 1:
        return {**alternatives[0][0], **description}
    return {**description, "anyOf": [row for row, _ in alternatives]}
