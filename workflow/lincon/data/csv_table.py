"""Text tables through pandas: every cell as text, and errors that name the file and the row.

A row is known by its line in the file, the header being line 1, as an editor counts.
"""

from __future__ import annotations

import codecs
import csv
import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from lincon.errors import UserError

SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
# What other files begin with, and what to do about it.
OTHER_FILES = {
    b"PK\x03\x04": "an Excel workbook or another zip archive; save the sheet as CSV",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook; save the sheet as CSV",
    b"PAR1": "a Parquet file; let its name end in .parquet",
    b"\x1f\x8b": "compressed; unpack it first",
}
WRONG_LENGTH = re.compile(r"Expected (\d+) fields in line (\d+), saw (\d+)")
CHUNK = 500_000


@dataclass(frozen=True)
class Dialect:
    """How a file is written: the character between cells, the encoding, lines before the header."""

    separator: str = ","
    encoding: str = "utf-8-sig"
    skipped: int = 0

    def described(self) -> list[str]:
        """What is not as in plain CSV, in words."""
        parts = []
        if self.separator != ",":
            name = SEPARATORS.get(self.separator, repr(self.separator))
            parts.append(f"{name}-separated")
        if self.encoding != "utf-8-sig":
            parts.append({"utf-16": "UTF-16", "cp1252": "Western European text"}[self.encoding])
        return parts


def read_columns(path: Path, columns: Sequence[str]) -> Iterator[pd.DataFrame]:
    """The named columns of a plain CSV file, in pieces, so a file of any length can be read."""
    with _readable(path, ","):
        pieces = pd.read_csv(
            path,
            usecols=list(columns),
            dtype=str,
            keep_default_na=False,
            encoding="utf-8-sig",
            chunksize=CHUNK,
        )
        for piece in pieces:
            piece.index += 2
            yield piece[list(columns)]


def read_cells(path: Path, dialect: Dialect) -> pd.DataFrame:
    """All cells of a file, without blank rows; the index holds the lines."""
    with _readable(path, dialect.separator):
        # The header is read as a row, so that pandas refuses every row that is longer.
        cells = pd.read_csv(
            path,
            header=None,
            dtype=str,
            keep_default_na=False,
            na_filter=False,
            skip_blank_lines=False,
            sep=dialect.separator,
            encoding=dialect.encoding,
            skiprows=dialect.skipped,
        )
    cells = cells.fillna("").map(str.strip)
    cells.index += 1 + dialect.skipped
    cells.columns = pd.Index(cells.iloc[0])
    cells = cells.iloc[1:]
    # A separator at the end of each line makes a column without a name.
    named = [bool(name) or bool(cells.iloc[:, i].any()) for i, name in enumerate(cells.columns)]
    return cells.loc[(cells != "").any(axis=1), named]


def find_dialect(path: Path, known: Collection[str], separator: str | None = None) -> Dialect:
    """The dialect of a text table, its separator recognised by the `known` names of columns."""
    encoding = _encoding(path)
    try:
        with open(path, encoding=encoding, newline="") as stream:
            first, second = stream.readline(), stream.readline()
            while stream.read(1 << 20):
                pass
    except (UnicodeDecodeError, UnicodeError):
        raise UserError(f"{path} is not text; save it as CSV in UTF-8") from None
    # Excel writes and reads a first line such as `sep=;`.
    announced = re.fullmatch(r'"?sep=(.)"?\s*', first, re.IGNORECASE)
    if announced and not second:
        raise UserError(f"{path} has nothing after its first line, {first.strip()!r}")
    if separator is None:
        separator = announced[1] if announced else _separator(first, known)
    return Dialect(separator, encoding, 1 if announced else 0)


def _encoding(path: Path) -> str:
    with open(path, "rb") as stream:
        start = stream.read(4)
        for magic, meaning in OTHER_FILES.items():
            if start.startswith(magic):
                raise UserError(f"{path} is {meaning}")
        if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            return "utf-16"
        content = start + stream.read()
    if b"\0" in content:
        raise UserError(f"{path} is not text, or UTF-16 without its mark; save it as CSV in UTF-8")
    try:
        content.decode("utf-8")
        return "utf-8-sig"
    except UnicodeDecodeError:
        return "cp1252"


def _separator(header: str, known: Collection[str]) -> str:
    """The separator by which the header has most known names, then most names at all."""

    def score(separator: str) -> tuple[int, int]:
        names = next(csv.reader([header], delimiter=separator), [])
        return sum(name.strip().lower() in known for name in names), len(names)

    return max(SEPARATORS, key=score)


@contextmanager
def _readable(path: Path, separator: str) -> Iterator[None]:
    """What pandas cannot read is one sentence."""
    try:
        yield
    except FileNotFoundError:
        raise UserError(f"{path} does not exist") from None
    except pd.errors.EmptyDataError:
        raise UserError(f"{path} is empty; a header and rows are needed") from None
    except UnicodeDecodeError:
        raise UserError(f"{path} is not text in UTF-8") from None
    except pd.errors.ParserError as error:
        length = WRONG_LENGTH.search(str(error))
        if length is None:
            row = str(error).rpartition("starting at row ")[2]
            where = f", row {int(row) + 1}" if row.isdigit() else ""
            raise UserError(f"{path}{where}: a quotation mark is not closed") from None
        hint = "; decimal commas need quotes, or another separator such as ;"
        raise UserError(
            f"{path}, row {length[2]}: {length[3]} cells, but the header has {length[1]} columns"
            f"{hint if separator == ',' else ''}"
        ) from None
    except ValueError as error:
        missing = re.search(r"columns expected but not found: (.*)", str(error))
        if missing is None:
            raise
        names = " and no column ".join(sorted(missing[1].strip("[]").split(", ")))
        raise UserError(f"{path} has no column {names}") from None
