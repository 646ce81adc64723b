"""The state of a policy as a JSON record: its schema, versions, and files that survive a crash."""

import hashlib
import json
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from lincon.errors import UserError
from lincon.files import replacing
from lincon.online.arms import ID, is_number

VERSION = 5
DIGEST = "digest"


class Leaf(NamedTuple):
    """A value of a record: what is allowed, in words and as a test."""

    allowed: str
    test: Callable[[Any], bool]


def _is_count(given: Any) -> bool:
    return is_number(given, 0, 1e15)


NUMBER = Leaf("a number", is_number)
COUNT = Leaf("a number of at least 0", _is_count)
WHOLE = Leaf("a whole number of at least 0", lambda x: _is_count(x) and isinstance(x, int))
POSITIVE = Leaf("a number above 0", lambda x: is_number(x, 1e-300))
SHARE = Leaf("a number from 0 to 1", lambda x: is_number(x, 0.0, 1.0))
TEXT = Leaf("a text", lambda x: isinstance(x, str))
RECORD = Leaf("a record", lambda x: isinstance(x, dict))
KIND = Leaf("a text or null", lambda x: x is None or isinstance(x, str))
NAME = Leaf("a whole number or a text", lambda x: isinstance(x, int | str) and x is not True)
BILL = Leaf("a number or null", lambda x: x is None or is_number(x))
WORKER = Leaf("a worker's name", lambda x: bool(ID.fullmatch(f"{x}.00000000.0")))
TOKEN = Leaf("eight hex digits", lambda x: bool(re.fullmatch("[0-9a-f]{8}", str(x))))
IDENT = Leaf("the id of a decision", lambda x: bool(ID.fullmatch(str(x))))
FATE = Leaf("a fate", lambda x: x in ("waiting", "counted", "expired", "open"))

# A list with one entry is a list of such; a tuple has exactly these entries.
COUNTS = (COUNT, COUNT, COUNT, COUNT, NUMBER)
TOTAL = {
    "worker": WORKER,
    "incarnation": TOKEN,
    "lineage": [TOKEN],
    "goal": TEXT,
    "changes": WHOLE,
    "chosen": WHOLE,
    "counted": WHOLE,
    "seen": WHOLE,
    "amounts": [NUMBER],
    "rounds": [COUNT],
    "forgiven": [NUMBER],
    "arms": [(KIND, NAME, WHOLE, *COUNTS)],
}
PLAY = (
    *(KIND, NAME, WHOLE, NUMBER, NUMBER, FATE, SHARE, SHARE, BILL, WHOLE),
    [NUMBER],
)
STATE = {
    "version": WHOLE,
    "policy": TEXT,
    "goal": RECORD,
    "kinds": [(KIND, SHARE)],
    "numbers": RECORD,
    "options": RECORD,
    "arms": [(KIND, NAME, WHOLE, RECORD)],
    "gone": [(KIND, NAME, [NUMBER])],
    "history": [(KIND, NAME, WHOLE, *COUNTS)],
    "total": TOTAL,
    "others": [TOTAL],
    "infeasible": WHOLE,
    "shifted": [NUMBER],
    "waived": [NUMBER],
    "prior": (POSITIVE, POSITIVE, POSITIVE, COUNT),
    "waiting": [(IDENT, PLAY)],
    "settled": [(IDENT, PLAY)],
    "rng": RECORD,
}


def fit(given: Any, schema: Any, where: str) -> None:
    """Refuse in one sentence what does not fit a schema."""
    if isinstance(schema, Leaf):
        if not schema.test(given):
            raise UserError(f"{where} is {repr(given)[:60]}; allowed: {schema.allowed}")
    elif isinstance(schema, dict):
        keys = set(given) if isinstance(given, dict) else set()
        if keys != set(schema):
            wrong = sorted(map(str, keys ^ set(schema)))[0]
            raise UserError(f"{where} is damaged: {wrong} is missing or unknown")
        for key, inner in schema.items():
            fit(given[key], inner, f"{where}.{key}")
    else:
        many = isinstance(schema, list)
        if not isinstance(given, list | tuple) or not (many or len(given) == len(schema)):
            raise UserError(f"{where} is {repr(given)[:60]}; allowed: a list")
        for i, one in enumerate(given):
            fit(one, schema[0] if many else schema[i], f"{where}.{i}")


def checked_total(total: Any, constraints: int) -> dict[str, Any]:
    """A worker's total that fits, as `totals` gives it."""
    fit(total, TOTAL, "total")
    for key in ("amounts", "rounds", "forgiven"):
        if len(total[key]) != constraints:
            raise UserError(f"total.{key} has {len(total[key])} numbers; allowed: {constraints}")
    for kind, name, _, _, plays, events, *_ in total["arms"]:
        if events > plays * (1.0 + 1e-9):
            raise UserError(f"total.arms: {name!r} ({kind}) has more events than plays")
    return json.loads(json.dumps(total))


def sealed(record: Mapping[str, Any]) -> dict[str, Any]:
    """A record with the checksum of what it says."""
    return {**record, DIGEST: _hash(record)}


def checked_state(given: Any) -> dict[str, Any]:
    """A state of this version, migrated if it is older; anything else is one sentence."""
    record = dict(given) if isinstance(given, dict) else {}
    version = record.get("version")
    if version not in (*MIGRATIONS, VERSION):
        known = ", ".join(map(str, (*MIGRATIONS, VERSION)))
        raise UserError(f"the state has the version {repr(version)[:60]}; allowed: {known}")
    if record.pop(DIGEST, None) != _hash(record):
        raise UserError("the state is damaged: its checksum does not match")
    while record["version"] != VERSION:
        record = MIGRATIONS[record["version"]](record)
    fit(record, STATE, "state")
    constraints = len(record["total"]["amounts"])
    for total in (record["total"], *record["others"]):
        checked_total(total, constraints)
    for key in ("shifted", "waived"):
        if len(record[key]) != constraints:
            raise UserError(f"state.{key} has {len(record[key])} numbers; allowed: {constraints}")
    return record


# By version: what turns a record into one of the next version.
MIGRATIONS: dict[int, Callable[[dict[str, Any]], dict[str, Any]]] = {}


def read_state(path: str | Path) -> Any:
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except (ValueError, RecursionError, OSError) as error:
        raise UserError(f"{path} is not the state of a policy: {str(error)[:100]}") from None


def write_state(path: str | Path, state: Mapping[str, Any]) -> None:
    """Atomically, and on the disk before it replaces what is there."""
    with replacing(path) as temporary, open(temporary, "w", encoding="utf-8") as file:
        json.dump(state, file)
        file.write("\n")
        file.flush()
        os.fsync(file.fileno())
    folder = os.open(Path(path).parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _hash(record: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(record, sort_keys=True).encode()).hexdigest()
