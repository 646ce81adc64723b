"""The user's own arms, from CSV or Parquet; errors name the row and the likely cause.

Cells are read as text and understood as people write them: `0.5`, `0,5`, `12%`, `1,250`, `1 250`,
`6,83 €`. The decimal sign is the one by which more cells of the whole table are numbers.
"""

import io
import math
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa

from lincon.data.arms import COUNTS, RESERVED
from lincon.errors import UserError
from lincon.files import UNWRITABLE

NUMBERS = ("mean", "value", "cost", *COUNTS)
KNOWN = (*NUMBERS, "label")
NEEDED = "mean (or successes and trials) and value (or cost)"
# A text column with more different values than this is not one of groups.
GROUPS = 50
SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
# Blanks, apostrophes and underscores between groups of three digits.
GROUPING = re.compile(r"(?<=\d)[ \u00a0\u2009\u202f'\u2019_](?=\d{3}(?:\D|$))")
SIGN = r"[$\u00a2-\u00a5\u20a0-\u20c0]|[A-Z]{3}"
CURRENCY = re.compile(rf"^([+-]?)\s*({SIGN})\s*(?=[\d.,+-])|(?<=[\d.,])\s*({SIGN})$")


class Table(NamedTuple):
    """A file's cells by the names of its columns, known ones in small letters."""

    path: Path
    cells: pd.DataFrame  # the index holds the rows as a person counts: the header of a CSV is 1
    read_as: list[str]  # what was not as in plain CSV, in words

    def refuse(self, bad: Iterable[bool], what: Callable[[int], str]) -> None:
        """One sentence about the first bad row."""
        for row, found in enumerate(bad):
            if found:
                raise UserError(f"{self.path}, row {self.cells.index[row]}: {what(row)}")


def read_user_arms(
    path: Path, scale: float, only: Mapping[str, Any], sep: str | None, decimal: str | None
) -> dict[str, Any]:
    """What `arms.make` takes: means, values over `scale`, labels, further columns, rows.

    `only` keeps the rows that have these texts in these columns. The separator and the decimal
    sign are found out where they are not given.
    """
    table = _read(path, sep)
    for name, text in only.items():
        there = table.cells[name].astype(str) if name in table.cells else pd.Series(dtype=str)
        if str(text) not in set(there):
            has = ", ".join(sorted(set(there))[:20]) or f"no such column, but {_listed(table)}"
            raise UserError(f"{path}: no row has '{text}' in column {name}; it has: {has}")
        table = table._replace(cells=table.cells[there == str(text)])
    if table.cells.empty:
        raise UserError(f"{path} has no rows; at least one arm is needed")
    decimal = _decimal(table, decimal)
    found = {n: _numbers(table, n, decimal, scale) for n in NUMBERS if n in table.cells}
    if "mean" not in found:
        successes, trials = (found[name] for name in COUNTS)
        table.refuse(
            (trials == 0) | (successes > trials),
            lambda _: "trials > 0 and successes <= trials are needed",
        )
        found["mean"] = successes / trials
    labels = [str(cell) for cell in table.cells["label"]] if "label" in table.cells else []
    table.refuse(
        (not label or UNWRITABLE.search(label) is not None for label in labels),
        lambda row: f"label is {labels[row][:100]!r}; plain text is needed",
    )
    columns = {name: found[name] for name in ("cost", *COUNTS) if name in found}
    return {
        "mean": found["mean"],
        "value": found.get("value", np.zeros(len(found["mean"]))) / scale,
        "label": labels or None,
        "columns": columns | _further(table, decimal, only),
        "rows": list(table.cells.index),
        "read_as": ", ".join(table.read_as),
    }


def _read(path: Path, sep: str | None) -> Table:
    """All cells by column; refuses other files, and columns that are missing or doubled."""
    if not path.is_file():
        raise UserError(f"{path} does not exist; a CSV or Parquet file with {NEEDED} is needed")
    if path.suffix.lower() in (".csv", ".tsv", ".txt"):
        table = _read_text(path, sep)
    else:
        try:
            cells = pd.read_parquet(path).astype(object)
        except (OSError, ValueError, pa.ArrowException) as error:
            reason = str(error).splitlines()[0][:200]
            raise UserError(
                f"{path} cannot be read as a Parquet file ({reason}); save it as .csv or .parquet"
            ) from None
        cells.index = pd.RangeIndex(1, len(cells) + 1)
        table = Table(path, cells.where(cells.notna(), ""), [])
    names = [str(name).strip() for name in table.cells.columns]
    names = [name.lower() if name.lower() in KNOWN else name for name in names]
    table.cells.columns = pd.Index(names)
    counts = [name for name in COUNTS if name in names]
    needed = [*(COUNTS if counts else ("mean",)), *(() if "cost" in names else ("value",))]
    if len(names) > len(set(names)):
        raise UserError(f"{path}: duplicate column: {max(names, key=names.count)}")
    if "mean" in names and counts:
        raise UserError(f"{path} has mean and also {' and '.join(counts)}; give {NEEDED}")
    if missing := [name for name in needed if name not in names]:
        lacks = " and no column ".join(missing)
        raise UserError(f"{path} has no column {lacks} (it has: {_listed(table)}); give {NEEDED}")
    return table


def _listed(table: Table) -> str:
    return " ".join(", ".join(table.cells.columns)[:300].split())


def _read_text(path: Path, sep: str | None) -> Table:
    """Without a separator, it is the one by which the header has most of the known names."""
    content, read_as = path.read_bytes(), []
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text, read_as = content.decode("cp1252", errors="replace"), ["Western European text"]
    if "\0" in text or "\ufffd" in text:
        raise UserError(f"{path} is not text; save it as CSV in UTF-8, or as .parquet")

    def fit(separator: str) -> int:
        names = text.partition("\n")[0].lower().split(separator)
        return sum(name.strip(' "\r') in KNOWN for name in names)

    sep = sep or max(SEPARATORS, key=fit)
    if sep != ",":
        read_as.insert(0, f"{SEPARATORS.get(sep, repr(sep))}-separated")
    # The header is read as a row, so that pandas refuses every row that is longer.
    how: dict[str, Any] = {"header": None, "skip_blank_lines": False, "sep": sep}
    try:
        cells = pd.read_csv(io.StringIO(text), dtype=str, na_filter=False, **how)
        cells = cells.fillna("").map(str.strip)
        cells.index += 1
        # A separator at the end of each line makes a column without a name.
        cells = cells.loc[(cells != "").any(axis=1), (cells != "").any(axis=0)]
        cells.columns = pd.Index(cells.iloc[0])
    except (pd.errors.EmptyDataError, IndexError):
        raise UserError(f"{path} is empty, or its first line is; a header is needed") from None
    except pd.errors.ParserError as error:
        reason = str(error).rpartition("error: ")[2].strip()
        # pandas counts lines from 1, but rows from 0.
        reason = re.sub(r"row (\d+)", lambda at: f"line {int(at[1]) + 1}", reason)
        raise UserError(
            f"{path}: {reason}; cells that hold {sep!r}, as decimal commas may, need quotation "
            "marks, and every one of these must be closed"
        ) from None
    return Table(path, cells.iloc[1:], read_as)


def number(cell: Any, decimal: str) -> float:
    """The number in a cell, with that decimal sign; NaN where there is none."""
    try:
        if not isinstance(cell, str):
            return float(cell)
        text = GROUPING.sub("", CURRENCY.sub(r"\1", cell.strip(), count=1))
        whole, _, fraction = text.removesuffix("%").rstrip().partition(decimal)
        thousands = "," if decimal == "." else "."
        if re.fullmatch(rf"[+-]?\d{{1,3}}(?:{re.escape(thousands)}\d{{3}})+", whole):
            whole = whole.replace(thousands, "")
        if thousands in whole + fraction:
            return math.nan
        return float(f"{whole}.{fraction}" if fraction else whole) / (100 if "%" in text else 1)
    except (TypeError, ValueError):
        return math.nan


def _decimal(table: Table, decimal: str | None) -> str:
    """The decimal sign, the same in the whole file; how cells are written goes to `read_as`."""
    names = [name for name in NUMBERS if name in table.cells]
    cells = [(name, cell) for name in names for cell in table.cells[name] if isinstance(cell, str)]
    found = (CURRENCY.search(cell.strip()) for _, cell in cells)
    currencies = sorted({one[2] or one[3] for one in found if one})
    if len(currencies) > 1:
        raise UserError(f"{table.path} has amounts in {' and in '.join(currencies)}; give one")
    if decimal is None:
        bad = {".": 0, ",": 0}
        unclear = ""
        for name, cell in cells:
            point, comma = number(cell, "."), number(cell, ",")
            for sign, read in ((".", point), (",", comma)):
                bad[sign] += read % 1 != 0 if name in COUNTS else math.isnan(read)
            if name not in COUNTS and "," in cell and abs(point - comma) > 0:
                unclear = f"{cell!r} may be {point:g} or {comma:g}"
        if unclear and bad["."] == bad[","]:
            raise UserError(f"{table.path}: {unclear}; say which with the key `decimal`")
        decimal = min(bad, key=lambda sign: bad[sign])
    thousands = "," if decimal == "." else "."
    said = {
        "with decimal commas": decimal == ",",
        "with thousands separators": any(thousands in c or GROUPING.search(c) for _, c in cells),
        "with percentages": any("%" in cell for _, cell in cells),
        f"amounts in {''.join(currencies)}": bool(currencies),
    }
    table.read_as.extend(text for text, true in said.items() if true)
    return decimal


def _numbers(table: Table, name: str, decimal: str, scale: float) -> np.ndarray:
    """A column within its range; a hint where the unit seems to be another."""
    cells = list(table.cells[name])
    read = np.array([number(cell, decimal) for cell in cells])
    top, most = {"mean": 1.0, "value": scale}.get(name, math.inf), np.nanmax(read, initial=0.0)
    bad = ~np.isfinite(read) | (read > top)
    needed, hint = "a number", ""
    if name in COUNTS:
        bad, needed = bad | (read < 0) | (read % 1 != 0), "a whole number, at least 0,"
    elif name != "cost":
        bad, needed = bad | (read < 0), f"a number in [0, {top:g}]"
    if name == "mean" and 1 < most <= 100:
        hint = f"; means up to {most:g}: percentages are written as {most:g}%"
    elif name == "value" and most > scale:
        hint = f"; values up to {most:g}: give `scale: {most:g}`, rewards then have your units"
    table.refuse(bad, lambda row: f"{name} is {repr(cells[row])[:100]}; {needed} is needed{hint}")
    return read


def _further(table: Table, decimal: str, used: Iterable[str]) -> dict[str, np.ndarray]:
    """Other columns: numbers as they are, and 1 or 0 for each group of a column of texts."""
    found: dict[str, np.ndarray] = {}
    ignored = []
    for name in table.cells.columns.difference([*KNOWN, *used], sort=False):
        texts = np.array([str(cell).strip() for cell in table.cells[name]])
        groups = sorted(set(texts) - {""})
        numbers = np.array([number(cell, decimal) for cell in table.cells[name]])
        if np.isfinite(numbers).all() and name not in RESERVED:
            found[name] = numbers
        elif len(groups) <= min(GROUPS, len(texts) - 1) and not UNWRITABLE.search("".join(groups)):
            found |= {f"{name}={group}": (texts == group).astype(float) for group in groups}
        else:
            ignored.append(name)
    if ignored:
        table.read_as.append(f"without {', '.join(ignored)} (neither numbers nor groups)")
    return found
