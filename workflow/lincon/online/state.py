"""The state of a policy as a JSON record: what is allowed in it, versions, and files that survive a
crash."""

import json
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from lincon.errors import UserError
from lincon.files import replacing, sealed, unsealed
from lincon.online.arms import is_id
from lincon.online.checks import is_number

VERSION = 6
# By version: what turns a record into one of the next version.
MIGRATIONS: dict[int, Callable[[dict[str, Any]], dict[str, Any]]] = {}


class Leaf(NamedTuple):
    """A value of a record: what is allowed, in words and as a test."""

    allowed: str
    test: Callable[[Any], bool]


NUMBER = Leaf("a number", is_number)
COUNT = Leaf("a number of at least 0", lambda x: is_number(x, 0, 1e15))
WHOLE = Leaf("a whole number of at least 0", lambda x: is_number(x, 0, 1e15) and type(x) is int)
POSITIVE = Leaf("a number above 0", lambda x: is_number(x, 1e-300))
SHARE = Leaf("a number from 0 to 1", lambda x: is_number(x, 0.0, 1.0))
TEXT = Leaf("a text", lambda x: isinstance(x, str))
KIND = Leaf("a text or null", lambda x: x is None or isinstance(x, str))
NAME = Leaf("a whole number or a text", lambda x: type(x) in (int, str))
BILL = Leaf("a number or null", lambda x: x is None or is_number(x))
WORKER = Leaf("a worker's name", lambda x: is_id(f"{x}.00000000.0"))
TOKEN = Leaf("eight hex digits", lambda x: bool(re.fullmatch("[0-9a-f]{8}", str(x))))
IDENT = Leaf("the id of a decision", is_id)
FATE = Leaf("a fate", lambda x: x in ("waiting", "counted", "expired", "open"))
# What a constructor checks.
GIVEN = Leaf("a list or a mapping", lambda x: isinstance(x, list | dict))

# A list with one entry is a list of such; a tuple has exactly these entries.
COUNTS = (COUNT, COUNT, COUNT, COUNT, NUMBER)
TOTAL = {
    "worker": WORKER,
    "incarnation": TOKEN,
    "lineage": [(TOKEN, WHOLE)],
    "goal": TEXT,
    "changes": WHOLE,
    "chosen": WHOLE,
    "counted": WHOLE,
    "seen": WHOLE,
    "account": ([COUNT], [NUMBER], [NUMBER]),
    "arms": [(KIND, NAME, WHOLE, *COUNTS)],
}
PLAY = (KIND, NAME, WHOLE, NUMBER, NUMBER, [NUMBER], FATE, SHARE, BILL, WHOLE, [[NUMBER]])
STATE = {
    "version": WHOLE,
    "policy": TEXT,
    "goal": GIVEN,
    "kinds": [(KIND, SHARE)],
    "numbers": GIVEN,
    "options": GIVEN,
    "arms": [(KIND, NAME, GIVEN)],
    "generations": [(KIND, NAME, WHOLE)],
    "history": [(KIND, NAME, WHOLE, *COUNTS)],
    "total": TOTAL,
    "others": [TOTAL],
    "infeasible": WHOLE,
    "prior": (POSITIVE, POSITIVE, POSITIVE, COUNT),
    "waiting": [(IDENT, PLAY)],
    "settled": [(IDENT, PLAY)],
    "rng": GIVEN,
}


def fit(given: Any, schema: Any, where: str) -> None:
    """Refuse in one sentence what does not fit a schema."""
    if isinstance(schema, Leaf):
        if not schema.test(given):
            raise UserError(f"{where} is {repr(given)[:60]}; allowed: {schema.allowed}")
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


def checked_total(total: Any, constraints: int) -> dict[str, Any]:
    """A worker's total that fits."""
    fit(total, TOTAL, "total")
    if any(len(row) != constraints for row in total["account"]):
        raise UserError(f"total.account does not have {constraints} numbers per row")
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
    except ValueError as error:
        raise UserError(f"the state is damaged: {error}") from None
    while record["version"] != VERSION:
        record = MIGRATIONS[record["version"]](record)
    fit(record, STATE, "state")
    m = len(record["total"]["account"][0])
    for total in (record["total"], *record["others"]):
        checked_total(total, m)
    for id, play in (*record["waiting"], *record["settled"]):
        if len(play[5]) != 2 + 2 * m or [len(row) for row in play[-1]] not in ([], [m] * 3):
            raise UserError(f"the state is damaged: the numbers of decision {id}")
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
