"""Writing files so that a reader never meets half of one."""

from __future__ import annotations

import errno
import hashlib
import os
import re
import secrets
import socket
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from lincon.errors import UserError

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

TEMPORARY = re.compile(
    r"\.(?P<stem>.+)\.(?P<machine>[0-9a-f]{8})-(?P<process>[0-9]+)-[0-9a-f]{8}(?P<suffix>(\.[^.]*)?)",
    re.DOTALL,
)
# What UTF-8 or XML cannot hold, and so no table, page or picture either.
UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
# How a system says that nothing (more) can be written or read in a place, whoever asks.
REFUSALS = frozenset(
    getattr(errno, name)
    for name in (
        *("ENOSPC", "EDQUOT", "EFBIG", "EROFS", "EACCES", "EPERM", "EIO", "ESTALE"),
        *("ENAMETOOLONG", "ENOTDIR", "EISDIR", "EEXIST", "ELOOP", "EMFILE", "ENFILE"),
    )
)
DIGEST = "digest"
WEEK = 7 * 24 * 3600


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a temporary name beside `path`; rename it to `path` on success, drop it on failure.

    A job that is killed leaves at most a dot file behind, never a truncated result; `sweep` removes
    it. The temporary name keeps the suffix, because some writers choose the format by it, and says
    which process on which machine it belongs to. Where there is no room or no right to write, that
    is a sentence that names `path`.
    """
    path = Path(path)
    owner = f"{_machine()}-{os.getpid()}-{secrets.token_hex(4)}"
    temporary = path.with_name(f".{path.stem}.{owner}{path.suffix}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield temporary
        os.replace(temporary, path)
    except OSError as error:
        # An error that names another file is about that one.
        if error.errno in REFUSALS and error.filename in (None, str(temporary), temporary):
            error.filename = str(path)
        raise
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


@contextmanager
def refusals() -> Iterator[None]:
    """A system that refuses to write or read a file is one sentence, which names the file."""
    try:
        yield
    except OSError as error:
        if error.errno is None or error.errno not in REFUSALS:
            raise
        place = f"{error.filename}: " if error.filename is not None else ""
        raise UserError(
            f"{place}{os.strerror(error.errno)}; nothing was left half-written, and the same "
            "command goes on from here once that is mended"
        ) from None


def user_cache() -> Path | None:
    """Where this user keeps what can be made again; None without a home."""
    try:
        return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "lincon"
    except RuntimeError:  # neither HOME nor an entry among the users
        return None


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
            with suppress(OSError):  # one that is somebody else's, or gone: no reason to stop
                path.unlink()
                removed.append(path)
    return removed


def sweep_tree(root: str | os.PathLike[str]) -> list[Path]:
    """The same in a folder and in all below it."""
    return [path for folder, _, _ in os.walk(root) for path in sweep(folder)]


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
    """Write Parquet with `metadata` in the schema; the same table gives the same bytes.

    Every page has its checksum, and size, names, types and metadata have theirs (`DIGEST`):
    `read_table` notices when a byte has changed since.
    """
    import pyarrow.parquet as pq

    table = table.replace_schema_metadata(metadata or {})
    digest = {DIGEST: _digest(table.schema, table.num_rows)}
    table = table.replace_schema_metadata({**(metadata or {}), **digest})
    with replacing(path) as temporary:
        pq.write_table(table, temporary, compression="zstd", write_page_checksum=True)


def read_table(
    path: str | os.PathLike[str], what: str, columns: Sequence[str] | None = None
) -> pa.Table:
    """The Parquet file that `write_table` wrote; a damaged one is a sentence that names it.

    `what` says what the file should be, as in "an arm table".
    """
    # Not pq.read_table: it imports pandas, which a simulation does not need.
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path, page_checksum_verification=True) as file:
            schema = file.schema_arrow
            metadata = schema.metadata or {}
            recorded = metadata.pop(DIGEST.encode(), b"").decode()
            missing = [name for name in columns or () if name not in schema.names]
            if missing:
                raise ValueError(f"it has no column {missing[0]}")
            table = file.read(columns).replace_schema_metadata(metadata)
            if recorded != _digest(schema.with_metadata(metadata), table.num_rows):
                raise ValueError("its size, names or metadata are not as they were written")
    except (OSError, ValueError, KeyError, pa.ArrowException) as error:
        raise UserError(damaged(path, what, error)) from None
    return table


def read_frame(path: str | os.PathLike[str], what: str) -> pd.DataFrame:
    """The same as a DataFrame."""
    return read_table(path, what).to_pandas()


def damaged(path: str | os.PathLike[str], what: str, error: Exception) -> str:
    """The sentence for a result that cannot be read."""
    if isinstance(error, FileNotFoundError):
        return f"{path} is not there, but {what} is needed; run again, which makes it anew"
    reason = (str(error).splitlines() or [type(error).__name__])[0][:200].rstrip(". ")
    return (
        f"{path} is not {what} that can be read ({reason}); delete it and run again, which makes "
        "it anew"
    )


def _digest(schema: pa.Schema, rows: int) -> str:
    """A hash of size, names, types and metadata, which lie outside of the pages."""
    fields = [f"{field.name}:{field.type}" for field in schema]
    entries = sorted((schema.metadata or {}).items())
    return hashlib.sha256(repr((rows, fields, entries)).encode()).hexdigest()[:16]


def write_frame(
    path: str | os.PathLike[str], frame: pd.DataFrame, metadata: dict[str, str] | None = None
) -> None:
    import pyarrow as pa

    write_table(path, pa.Table.from_pandas(frame, preserve_index=False), metadata)
