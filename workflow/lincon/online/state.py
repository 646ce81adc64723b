"""The state of a policy as a JSON record: what is allowed in it, versions, and files that survive a
crash."""

import json
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from lincon.errors import UserError
from lincon.files import replacing, sealed, unsealed
from lincon.online.arms import is_id
from lincon.online.checks import is_number

VERSION = 6
# By version: what turns a record into one of the next version.
MIGRATIONS: dict[int, Callable[[dict[str, Any]], dict[str, Any]]] = {}

# What may stand in a record, in words, with its test. A list with one entry is a list of such, a
# tuple has exactly these entries.
NUMBER, COUNT, WHOLE = "a number", "a number of at least 0", "a whole number of at least 0"
POSITIVE, SHARE, BILL = "a number above 0", "a number from 0 to 1", "a number or null"
TEXT, KIND, NAME = "a text", "a text or null", "a whole number or a text"
WORKER, TOKEN, IDENT = "a worker's name", "eight hex digits", "the id of a decision"
FATE, GIVEN = "a fate", "a list or a mapping"
TESTS: dict[str, Callable[[Any], bool]] = {
    NUMBER: is_number,
    COUNT: lambda x: is_number(x, 0, 1e15),
    WHOLE: lambda x: is_number(x, 0, 1e15) and type(x) is int,
    POSITIVE: lambda x: is_number(x, 1e-300),
    SHARE: lambda x: is_number(x, 0.0, 1.0),
    BILL: lambda x: x is None or is_number(x),
    TEXT: lambda x: isinstance(x, str),
    KIND: lambda x: x is None or isinstance(x, str),
    NAME: lambda x: type(x) in (int, str),
    WORKER: lambda x: is_id(f"{x}.00000000.0"),
    TOKEN: lambda x: re.fullmatch("[0-9a-f]{8}", str(x)) is not None,
    IDENT: is_id,
    FATE: lambda x: x in ("waiting", "counted", "expired", "open"),
    GIVEN: lambda x: isinstance(x, list | dict),  # the constructor checks it
}


def total_schema(m: int) -> dict[str, Any]:
    """What a worker's total may be, with m constraints."""
    return {
        "worker": WORKER,
        "incarnation": TOKEN,
        "lineage": [(TOKEN, WHOLE)],
        "goal": TEXT,
        "changes": WHOLE,
        "chosen": WHOLE,
        "counted": WHOLE,
        "plays": WHOLE,
        "seen": WHOLE,
        "account": ((COUNT,) * m, (NUMBER,) * m, (NUMBER,) * m),
        "arms": [(KIND, NAME, WHOLE, COUNT, COUNT, COUNT, COUNT, NUMBER)],
    }


def state_schema(m: int) -> dict[str, Any]:
    start = (KIND, NAME, WHOLE, NUMBER, NUMBER, (NUMBER,) * (2 + 2 * m))
    play = (*start, FATE, SHARE, BILL, WHOLE, [(NUMBER,) * m])
    return {
        "version": WHOLE,
        "policy": TEXT,
        "given": GIVEN,
        "arms": [(KIND, NAME, GIVEN)],
        "generations": [(KIND, NAME, WHOLE)],
        "total": total_schema(m),
        "others": [total_schema(m)],
        "infeasible": WHOLE,
        "prior": (POSITIVE, POSITIVE, POSITIVE, COUNT),
        "waiting": [(IDENT, play)],
        "settled": [(IDENT, play)],
        "rng": GIVEN,
    }


def fit(given: Any, schema: Any, where: str) -> None:
    """Refuse in one sentence what does not fit a schema."""
    if isinstance(schema, str):
        if not TESTS[schema](given):
            raise UserError(f"{where} is {repr(given)[:60]}; allowed: {schema}")
    elif isinstance(schema, dict):
        keys = set(given) if isinstance(given, Mapping) else set()
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


def checked_total(total: Any, m: int) -> dict[str, Any]:
    """A worker's total that fits m constraints."""
    fit(total, total_schema(m), "total")
    for kind, name, _, _, plays, events, *_ in total["arms"]:
        if events > plays * (1.0 + 1e-9):
            raise UserError(f"total.arms: {name!r} ({kind}) has more events than plays")
    return dict(json.loads(json.dumps(total)))


def checked_state(given: Any) -> dict[str, Any]:
    """A state of this version, migrated if it is older; anything else is one sentence."""
    version = given.get("version") if isinstance(given, dict) else None
    if type(version) is not int or version not in (*MIGRATIONS, VERSION):
        known = ", ".join(map(str, (*MIGRATIONS, VERSION)))
        raise UserError(f"the state has the version {repr(version)[:60]}; allowed: {known}")
    try:
        record = unsealed(given)
        while record["version"] != VERSION:
            record = MIGRATIONS[record["version"]](record)
        m = len(record["given"]["goal"]["constraints"])
    except (ValueError, KeyError, TypeError) as error:
        raise UserError(f"the state is damaged: {str(error)[:100]}") from None
    fit(record, state_schema(m), "state")
    for total in (record["total"], *record["others"]):
        checked_total(total, m)
    return record


def sealed_state(record: Mapping[str, Any]) -> dict[str, Any]:
    """A record as JSON holds it, with its checksum."""
    return sealed(json.loads(json.dumps(record, default=lambda one: one.tolist())))


def read_state(path: str | Path) -> Any:
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except (ValueError, RecursionError, OSError) as error:
        raise UserError(f"{path} is not the state of a policy: {str(error)[:100]}") from None


def write_state(path: str | Path, state: Mapping[str, Any]) -> None:
    """Atomically, and on the disk before it replaces what is there."""
    with replacing(path) as temporary, open(temporary, "w", encoding="utf-8") as file:
        json.dump(state, file)
        file.flush()
        os.fsync(file.fileno())
    folder = os.open(Path(path).parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
