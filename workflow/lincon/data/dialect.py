"""How a table of the user's own is written: its encoding, and what stands between its cells.

Spreadsheets of different countries write different files. What can be told for sure is understood,
and said; what cannot is refused with its likely cause.
"""

from __future__ import annotations

import codecs
import csv
from collections.abc import Collection
from pathlib import Path

from lincon.data.csv_table import Dialect
from lincon.errors import UserError

SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
# What other files begin with, and what to do about it.
OTHER_FILES = {
    b"PK\x03\x04": "an Excel workbook or another zip archive; save the sheet as CSV",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook; save the sheet as CSV",
    b"PAR1": "a Parquet file; let its name end in .parquet",
    b"\x1f\x8b": "compressed; unpack it first",
    b"%PDF": "a PDF; a table as CSV is needed",
}
UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
SAMPLE = 1 << 16


def find_dialect(path: Path, known: Collection[str]) -> tuple[Dialect, list[str]]:
    """The dialect of a text table, and what is not as in plain CSV in words.

    `known` are the column names, in small letters, by which the right separator is recognised.
    """
    encoding, understood = _encoding(path)
    try:
        with open(path, encoding=encoding, newline="") as stream:
            first, second = stream.readline(SAMPLE), stream.readline(SAMPLE)
    except UnicodeDecodeError:  # Latin-1 is anything, and UTF-8 has been tried
        raise UserError(f"{path} begins like UTF-16, but is not; save it as CSV in UTF-8") from None
    separator = _announced(first)
    skipped = 1 if separator else 0
    separator = separator or _separator(first, known)
    if separator != ",":
        understood.insert(0, f"{SEPARATORS.get(separator, repr(separator))}-separated")
    if skipped and not second:
        raise UserError(f"{path} has nothing after its first line, {first.strip()!r}")
    return Dialect(separator, encoding, skipped), understood


def _encoding(path: Path) -> tuple[str, list[str]]:
    with open(path, "rb") as stream:
        start = stream.read(4)
        for magic, meaning in OTHER_FILES.items():
            if start.startswith(magic):
                raise UserError(f"{path} is {meaning}")
        if start.startswith(UTF_16):
            return "utf-16", ["UTF-16"]
        decoder = codecs.getincrementaldecoder("utf-8")()
        stream.seek(0)
        utf_8 = True
        while chunk := stream.read(SAMPLE):
            if b"\0" in chunk:
                raise UserError(
                    f"{path} is not text, or UTF-16 without its mark; save it as CSV in UTF-8"
                )
            if utf_8:
                utf_8 = _decodes(decoder, chunk)
        if utf_8 and _decodes(decoder, b"", True):
            return "utf-8-sig", []
    # Every byte string is some Western text: numbers are safe, letters are a good guess.
    return "latin-1", ["Latin-1 (Western European) text"]


def _decodes(decoder: codecs.IncrementalDecoder, chunk: bytes, final: bool = False) -> bool:
    try:
        decoder.decode(chunk, final)
    except UnicodeDecodeError:
        return False
    return True


def _announced(line: str) -> str | None:
    """The separator of a first line such as `sep=;`, which Excel writes and reads."""
    text = line.strip("\r\n").strip('"')
    return text[4] if len(text) == 5 and text[:4].lower() == "sep=" else None


def _separator(header: str, known: Collection[str]) -> str:
    """The separator by which the header has most known names, then most names at all."""

    def score(separator: str) -> tuple[int, int]:
        try:
            names = next(csv.reader([header], delimiter=separator), [])
        except csv.Error:
            return 0, 0
        return sum(name.strip().lower() in known for name in names), len(names)

    return max(SEPARATORS, key=score)
