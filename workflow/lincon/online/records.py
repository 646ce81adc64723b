"""States and totals as JSON records with a version and a checksum."""

import hashlib
import json
from collections.abc import Callable, Mapping
from typing import Any

from lincon.errors import UserError

VERSION = 7
# By version: what turns a record into one of the next version.
MIGRATIONS: dict[int, Callable[[dict[str, Any]], dict[str, Any]]] = {}


def sealed(what: str, record: Mapping[str, Any]) -> dict[str, Any]:
    """A "state" or a "total" as JSON holds it, with its checksum."""
    text = json.dumps({**record, "record": what, "version": VERSION}, default=lambda x: x.tolist())
    plain = json.loads(text)
    return {**plain, "digest": _digest(plain)}


def unsealed(what: str, given: Any) -> dict[str, Any]:
    """The record that was sealed, migrated if it is older; anything else is one sentence.

    A record with its checksum is as it was written, so no rule looks at what is in it.
    """
    record = dict(given) if isinstance(given, Mapping) else {}
    if record.get("record") != what:
        raise UserError(f"this is not the {what} of a policy: {repr(given)[:60]}")
    version = record.get("version")
    if version not in (*MIGRATIONS, VERSION):
        known = ", ".join(map(str, (*MIGRATIONS, VERSION)))
        raise UserError(f"the {what} has version {repr(version)[:60]}; allowed: {known}")
    try:
        intact = record.pop("digest", None) == _digest(record)
    except (TypeError, ValueError, RecursionError):  # it cannot be JSON
        intact = False
    if not intact:
        raise UserError(f"the {what} is damaged: it has changed since it was written")
    while record["version"] != VERSION:
        record = MIGRATIONS[record["version"]](record)
    return record


def _digest(record: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(record, sort_keys=True).encode()).hexdigest()
