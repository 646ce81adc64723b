"""Writing files so that a reader never meets half of one."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a temporary name beside `path`; rename it to `path` on success, drop it on failure.

    A job that is killed leaves at most a dot file behind, never a truncated result. The temporary
    name keeps the suffix, because some writers choose the format by it.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.stem}.{secrets.token_hex(4)}{path.suffix}")
    try:
        yield temporary
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


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
