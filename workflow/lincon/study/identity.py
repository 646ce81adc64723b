"""Which arms a name stands for: a dataset's id in paths is its name and a hash of its content.

Two studies may call different arms by one name, a file may be edited and edited back, stand-in arms
give way to the real ones and return: each has its own id, so none replaces the runs of another and
going back costs nothing. Random numbers are keyed by the name alone, which ids do not change.
"""

import hashlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from lincon.data import kinds
from lincon.data.raw import file_sha256, is_placeholder

# Of a raw file, what says which bytes it has.
PINS = ("sha256", "git_blob")


def arm_keys(entry: Mapping[str, Any]) -> dict[str, Any]:
    """The keys of an entry that its arms depend on: which raw files, not where they come from."""
    kept = {key: entry[key] for key in sorted(entry) if key not in kinds.NOT_ARMS}
    if "files" in kept:
        kept["files"] = {
            name: {key: file[key] for key in PINS if key in file}
            or {key: file[key] for key in ("address",) if key in file}
            for name, file in kept["files"].items()
        }
    return kept


def standin_used(entry: Mapping[str, Any], data: str, raw: Callable[[str], Path]) -> bool:
    """Whether stand-in arms are played: asked for, or a raw file could not be downloaded."""
    if data == "real" or not kinds.KINDS[entry["kind"]].stand_in:
        return False
    return data == "standin" or any(is_placeholder(raw(file)) for file in entry.get("files", {}))


def dataset_id(name: str, entry: Mapping[str, Any], standin: bool = False) -> str:
    """`coupon-1f3a5c7e`: the name, and a hash of the entry, of the user's file and of `standin`."""
    content: list[Any] = [{"kind": entry["kind"]} if standin else arm_keys(entry), standin]
    own = entry.get("path")
    # A file that another rule has yet to make is known by its name alone.
    if own and Path(own).is_file():
        content.append(file_sha256(own))
    text = json.dumps(content, sort_keys=True)
    return f"{name}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"


def dataset_name(identity: str) -> str:
    """The name that an id begins with."""
    return identity.rpartition("-")[0]
