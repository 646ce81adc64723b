"""Atomic writes, and Parquet tables that are read as they were written or not at all."""

from __future__ import annotations

import hashlib
import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from lincon.errors import UserError

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

# Characters that UTF-8 or XML cannot represent, so no table, page or figure can.
UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
DIGEST = "digest"


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a temporary name beside `path`; rename it to `path` on success, remove it on failure.

    A killed job leaves at most a dot file. The name keeps the suffix, by which some writers choose
    the format, and is new every time: what was killed may still be writing when it starts again.
    """
    path = Path(path)
    temporary = path.with_name(f".{path.stem}.{secrets.token_hex(8)}{path.suffix}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield temporary
        os.replace(temporary, path)
    except OSError as error:
        # An error that names another file concerns that file.
        if error.errno is not None and error.filename in (None, str(temporary), temporary):
            error.filename = str(path)
        raise
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def user_cache() -> Path:
    """The user's cache folder; below the current folder if there is no home."""
    return Path(os.path.expanduser(os.environ.get("XDG_CACHE_HOME") or "~/.cache"), "lincon")


def last_text(path: str | os.PathLike[str], size: int = 1 << 16) -> str:
    """The end of a log, which may be large, as text."""
    with open(path, "rb") as log:
        log.seek(max(log.seek(0, os.SEEK_END) - size, 0))
        return log.read().decode("utf-8", "replace")


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

    known = metadata or {}
    digest = _digest(table.replace_schema_metadata(known).schema, table.num_rows)
    table = table.replace_schema_metadata({**known, DIGEST: digest})
    with replacing(path) as temporary:
        pq.write_table(table, temporary, compression="zstd", write_page_checksum=True)


def write_frame(
    path: str | os.PathLike[str], frame: pd.DataFrame, metadata: dict[str, str] | None = None
) -> None:
    import pyarrow as pa

    write_table(path, pa.Table.from_pandas(frame, preserve_index=False), metadata)


def read_table(path: str | os.PathLike[str], what: str) -> pa.Table:
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
            table = file.read().replace_schema_metadata(metadata)
            if recorded != _digest(schema.with_metadata(metadata), table.num_rows):
                raise ValueError("its size, names or metadata have changed since it was written")
    except (OSError, ValueError, KeyError, pa.ArrowException) as error:
        raise UserError(damaged(path, what, error)) from None
    return table


def damaged(path: str | os.PathLike[str], what: str, error: Exception) -> str:
    """The error message for an unreadable result."""
    if isinstance(error, FileNotFoundError):
        return f"{path} is missing, but {what} is needed; run again to make it"
    reason = (str(error).splitlines() or [type(error).__name__])[0][:200].rstrip(". ")
    return f"{path} cannot be read as {what} ({reason}); delete it and run again to make it"


def _digest(schema: pa.Schema, rows: int) -> str:
    """A hash of size, names, types and metadata, which lie outside the pages."""
    fields = [f"{field.name}:{field.type}" for field in schema]
    entries = sorted((schema.metadata or {}).items())
    return hashlib.sha256(repr((rows, fields, entries)).encode()).hexdigest()[:16]
