"""Reading CSV, for every kind of dataset: rows with their line numbers, one at a time.

A row is known by the line of the file that it ends on, the header being line 1, as an editor
counts. Only one row is in memory, so a file of any length can be counted through.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from lincon.errors import UserError


@dataclass(frozen=True)
class Dialect:
    """How a file is written: the character between cells, the encoding, lines before the header."""

    delimiter: str = ","
    encoding: str = "utf-8-sig"
    skipped: int = 0


COMMAS = Dialect()


def read_header(path: Path, dialect: Dialect = COMMAS) -> list[str]:
    """The names of the columns; none for an empty file."""
    for _, cells in _lines(path, dialect):
        return [name.strip() for name in cells]
    return []


def read_rows(
    path: Path, columns: Sequence[str], dialect: Dialect = COMMAS
) -> Iterator[tuple[int, list[str]]]:
    """The line and the cells of the named columns, in that order, of each row that is not blank."""
    header: list[str] = []
    places: list[int] = []
    for line, cells in _lines(path, dialect):
        if not header:
            header = [name.strip() for name in cells]
            places = [_place(path, header, name) for name in columns]
            continue
        while len(cells) > len(header) and not cells[-1].strip():
            cells.pop()  # a separator at the end of the line
        if not any(cells):
            continue
        if len(cells) != len(header):
            raise UserError(_other_length(path, line, cells, header, dialect))
        yield line, [cells[place].strip() for place in places]
    if not header and columns:
        raise UserError(f"{path} is empty; a header with {' and '.join(columns)} is needed")


def _place(path: Path, header: list[str], name: str) -> int:
    if name not in header:
        raise UserError(f"{path} has no column {name!r} (it has: {', '.join(header)[:300]})")
    return header.index(name)


def _other_length(
    path: Path, line: int, cells: list[str], header: list[str], dialect: Dialect
) -> str:
    count = "1 cell" if len(cells) == 1 else f"{len(cells)} cells"
    commas = dialect.delimiter == "," and len(cells) > len(header)
    hint = "; decimal commas need quotes, or another separator such as ;" if commas else ""
    return f"{path}, row {line}: {count}, but the header has {len(header)} columns{hint}"


def _lines(path: Path, dialect: Dialect) -> Iterator[tuple[int, list[str]]]:
    """Line and cells, blank lines included."""
    line = 0
    try:
        with open(path, encoding=dialect.encoding, newline="") as stream:
            for _ in range(dialect.skipped):
                stream.readline()
            reader = csv.reader(stream, delimiter=dialect.delimiter, strict=True)
            for cells in reader:
                line = reader.line_num + dialect.skipped
                if line == 1 + dialect.skipped or cells:
                    yield line, cells
    except FileNotFoundError:
        raise UserError(f"{path} does not exist") from None
    except UnicodeDecodeError:
        raise UserError(f"{path} is not text in UTF-8") from None
    except csv.Error as error:
        raise UserError(f"{path}, row {line + 1}: {error}") from None
