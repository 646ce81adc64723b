"""Text tables through pandas: every cell as text, and errors that name the file and the row.

A row is known by its line in the file, the header being line 1, as an editor counts.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Collection
from contextlib import suppress
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


def read_cells(
    path: Path, known: Collection[str], separator: str | None = None
) -> tuple[pd.DataFrame, list[str]]:
    """All cells of a file, without blank rows, by its header; the index holds the lines.

    Without a separator, it is the one by which the header has most of the `known` names. Also, in
    words, what is not as in plain CSV.
    """
    text, read_as = _decoded(path)
    # Excel writes and reads a first line such as `sep=;`.
    announced = re.match(r'"?sep=(.)"?[ \t\r]*$', text.partition("\n")[0], re.IGNORECASE)
    if announced:
        text = text.partition("\n")[2]
    separator = separator or (announced[1] if announced else _separator(text, known))
    try:
        # The header is read as a row, so that pandas refuses every row that is longer.
        cells = pd.read_csv(
            io.StringIO(text),
            header=None,
            dtype=str,
            na_filter=False,
            skip_blank_lines=False,
            sep=separator,
        )
    except pd.errors.EmptyDataError:
        raise UserError(f"{path} is empty; a header and rows are needed") from None
    except pd.errors.ParserError as error:
        raise UserError(f"{path}{_unreadable(str(error), separator)}") from None
    cells = cells.fillna("").map(str.strip)
    cells.index += 2 if announced else 1
    cells.columns = pd.Index(cells.iloc[0])
    cells = cells.iloc[1:]
    # A separator at the end of each line makes a column without a name.
    named = [bool(name) or bool(cells.iloc[:, i].any()) for i, name in enumerate(cells.columns)]
    if separator != ",":
        read_as.insert(0, f"{SEPARATORS.get(separator, repr(separator))}-separated")
    return cells.loc[(cells != "").any(axis=1), named], read_as


def _decoded(path: Path) -> tuple[str, list[str]]:
    """The text of a file, and its encoding where it is not UTF-8."""
    content = path.read_bytes()
    for magic, meaning in OTHER_FILES.items():
        if content.startswith(magic):
            raise UserError(f"{path} is {meaning}")
    encodings = {"utf-8-sig": [], "cp1252": ["Western European text"]}
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        encodings = {"utf-16": ["UTF-16"]}
    elif b"\0" in content:
        raise UserError(f"{path} is not text, or UTF-16 without its mark; save it as CSV in UTF-8")
    for encoding, said in encodings.items():
        with suppress(UnicodeError):
            return content.decode(encoding), said
    raise UserError(f"{path} is not text; save it as CSV in UTF-8")


def _separator(text: str, known: Collection[str]) -> str:
    """The separator by which the header has most known names, then most names at all."""
    header = text.partition("\n")[0]

    def score(separator: str) -> tuple[int, int]:
        names = next(csv.reader([header], delimiter=separator), [])
        return sum(name.strip().lower() in known for name in names), len(names)

    return max(SEPARATORS, key=score)


def _unreadable(error: str, separator: str) -> str:
    """What pandas says of a table, in our words."""
    length = WRONG_LENGTH.search(error)
    if length is None:
        row = error.rpartition("starting at row ")[2]
        return f"{f', row {int(row) + 1}' if row.isdigit() else ''}: a quotation mark is not closed"
    hint = "; decimal commas need quotes, or another separator such as ;"
    return (
        f", row {length[2]}: {length[3]} cells, but the header has {length[1]} columns"
        f"{hint if separator == ',' else ''}"
    )
