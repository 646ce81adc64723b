"""Writing files so that a reader never meets half of one."""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

TEMPORARY = re.compile(
    r"\.(?P<stem>.+)\.(?P<machine>[0-9a-f]{8})-(?P<process>[0-9]+)-[0-9a-f]{8}(?P<suffix>(\.[^.]*)?)",
    re.DOTALL,
)
WEEK = 7 * 24 * 3600


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a temporary name beside `path`; rename it to `path` on success, drop it on failure.

    A job that is killed leaves at most a dot file behind, never a truncated result; `sweep` removes
    it. The temporary name keeps the suffix, because some writers choose the format by it, and says
    which process on which machine it belongs to.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    owner = f"{_machine()}-{os.getpid()}-{secrets.token_hex(4)}"
    temporary = path.with_name(f".{path.stem}.{owner}{path.suffix}")
    try:
        yield temporary
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def sweep(folder: str | os.PathLike[str], name: str | None = None) -> list[Path]:
    """Remove the temporary files that killed jobs left in a folder; those of file `name` alone.

    A file goes if its process is dead, or, where that was on another machine, after a week.
    """
    removed = []
    for path in sorted(Path(folder).glob(".*")):
        found = TEMPORARY.fullmatch(path.name)
        if (
            found
            and (name is None or found["stem"] + found["suffix"] == name)
            and _dead(path, found)
        ):
            path.unlink(missing_ok=True)
            removed.append(path)
    return removed


def _dead(path: Path, found: re.Match[str]) -> bool:
    try:
        if found["machine"] != _machine():
            return time.time() - path.stat().st_mtime > WEEK
        os.kill(int(found["process"]), 0)
    except (ProcessLookupError, FileNotFoundError):
        return True
    except (PermissionError, OverflowError):
        return False
    return False


def _machine() -> str:
    return hashlib.sha256(socket.gethostname().encode()).hexdigest()[:8]


def write_text(path: str | os.PathLike[str], text: str) -> None:
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def write_table(
    path: str | os.PathLike[str], table: pa.Table, metadata: dict[str, str] | None = None
) -> None:
    """Write Parquet with `metadata` in the schema; the same table gives the same bytes."""
    import pyarrow.parquet as pq

    schema_metadata = {k.encode(): v.encode() for k, v in (metadata or {}).items()}
    with replacing(path) as temporary:
        pq.write_table(
            table.replace_schema_metadata(schema_metadata), temporary, compression="zstd"
        )


def write_frame(
    path: str | os.PathLike[str], frame: pd.DataFrame, metadata: dict[str, str] | None = None
) -> None:
    import pyarrow as pa

    write_table(path, pa.Table.from_pandas(frame, preserve_index=False), metadata)
