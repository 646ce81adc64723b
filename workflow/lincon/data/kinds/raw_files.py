"""What the kinds that read downloaded files share: schema rows, checksums, provenance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from lincon.data.kinds.declaration import Entry, Row
from lincon.data.raw import MAX_BYTES, Pin
from lincon.errors import UserError

ARMS: Row = {
    "type": "integer",
    "minimum": 1,
    "maximum": 100_000_000,
    "description": "how many arms the file is known to give",
}
FILE: Row = {
    "description": "one raw file",
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "address": {
            "type": "string",
            "pattern": "^https?://[^\\s]+\\Z",
            "maxLength": 2000,
            "description": "where to download it",
        },
        "sha256": {
            "type": "string",
            "pattern": "^[0-9a-f]{64}\\Z",
            "description": "the checksum that it must have",
        },
        "git_blob": {
            "type": "string",
            "pattern": "^[0-9a-f]{40}\\Z",
            "description": "the id that git gives it, where no sha256 is known",
        },
        "max_bytes": {
            "type": "integer",
            "minimum": 1,
            "maximum": 1_000_000_000_000,
            "default": MAX_BYTES,
            "description": "how large a download may be",
        },
    },
}
FILES: Row = {
    "description": "raw files by name, each with its address and the checksum that it must have",
    "type": "object",
    "minProperties": 1,
    "propertyNames": {
        "pattern": "^[A-Za-z0-9][A-Za-z0-9._-]*\\Z",
        "maxLength": 100,
        "description": "a letter or digit, then letters, digits, ., _ or -, at most 100 in all",
    },
    "additionalProperties": FILE,
}
PUBLISHED_RUNS: Row = {
    "description": "runs that somebody published, by file: where they are, and their setting",
    "type": "object",
    "minProperties": 1,
    "propertyNames": FILES["propertyNames"],
    "additionalProperties": {
        "description": "one file of published runs",
        "type": "object",
        "additionalProperties": False,
        "required": ["eta", "horizon"],
        "properties": FILE["properties"]
        | {
            "eta": {
                "type": "number",
                "minimum": 0,
                "maximum": 1,
                "description": "the floor that its runs were played with",
            },
            "horizon": {
                "type": "integer",
                "minimum": 1,
                "maximum": 10_000_000,
                "description": "how many rounds its runs have",
            },
        },
    },
}
KEYS: Mapping[str, Row] = {"files": FILES, "arms": ARMS}
FIXED = frozenset({"arms"})


def one_file(entry: Entry, where: str) -> None:
    if len(entry["files"]) != 1:
        raise UserError(
            f"{where}.files names {', '.join(entry['files'])}; "
            f"kind {entry['kind']} is made from one file"
        )


def file_entry(entry: Entry, name: str) -> Mapping[str, Any]:
    return entry["files"].get(name) or {}


def real(dataset: str, address: str, sha256: str) -> dict[str, Any]:
    return {"dataset": dataset, "source": "real", "address": address, "sha256": sha256}


def checked(entry: Entry, raw: Sequence[Path], name: str) -> tuple[Path, str]:
    """The raw file of that name and its sha256, which is the pinned one if one is pinned."""
    for path in raw:
        if path.name == name and path.is_file():
            pinned = file_entry(entry, name)
            return path, Pin(pinned.get("sha256"), pinned.get("git_blob")).check(path)
    raise UserError(f"{name} is not among the raw files ({', '.join(map(str, raw)) or 'none'})")
