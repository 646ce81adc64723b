"""Arms of the user's own, from CSV or Parquet; errors name the row and the likely cause."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from lincon.data.arms import SMALLEST
from lincon.data.csv_table import read_header, read_rows
from lincon.data.dialect import find_dialect
from lincon.data.numbers import GROUPING, Style, Unclear, find_style
from lincon.errors import UserError
from lincon.files import UNWRITABLE

COUNTS = ("successes", "trials")
NUMBERS = ("mean", "value", *COUNTS)
KNOWN = (*NUMBERS, "label")
NEEDED = "mean and value, or successes, trials and value"
PARQUET = (".parquet", ".pq")
TEXT = (".csv", ".tsv", ".txt")


@dataclass
class Table:
    """The known columns of a file, row by row, and how it was written."""

    path: Path
    columns: dict[str, list[Any]]
    lines: list[int]  # the row's number as a person counts: in CSV the line of the file
    read_as: list[str] = field(default_factory=list)

    def where(self, row: int) -> str:
        return f"{self.path}, row {self.lines[row]}"


@dataclass(frozen=True)
class UserArms:
    mean: list[float]
    value: list[float]  # in units of the scale, so in [0, 1]
    label: list[str] | None
    read_as: str  # what was not as in plain CSV, in words; empty if nothing


def read_user_arms(path: Path, scale: float = 1.0) -> UserArms:
    """Means, values over `scale` and labels (None without a label column) of a user's table."""
    table = _read(path)
    if not table.lines:
        raise UserError(f"{path} has no rows; at least one arm is needed")
    numbers = _numbers(table)
    mean = _rates(table, numbers) if "trials" in numbers else _means(table, numbers["mean"])
    value = _values(table, numbers["value"], scale)
    label = _labels(table) if "label" in table.columns else None
    tiny = sum(0 < number < SMALLEST for number in (*mean, *value))
    if tiny:
        table.read_as.append(f"{tiny} numbers below {SMALLEST:g} taken as 0")
    return UserArms(mean, value, label, ", ".join(table.read_as))


def _read(path: Path) -> Table:
    if not path.is_file():
        raise UserError(f"{path} does not exist; a CSV or Parquet file with {NEEDED} is needed")
    suffix = path.suffix.lower()
    if suffix in PARQUET:
        return _read_parquet(path)
    if suffix in TEXT:
        return _read_text(path)
    hint = "; save the sheet as CSV" if suffix in (".xlsx", ".xls", ".ods") else ""
    raise UserError(f"{path}: arms are read from a .csv or a .parquet file{hint}")


def _read_parquet(path: Path) -> Table:
    try:
        found = pq.ParquetFile(path).read()
    except (OSError, pa.ArrowException):
        raise UserError(f"{path} is not a Parquet file") from None
    names = _layout(path, found.column_names)
    try:
        columns = {name: found[original].to_pylist() for name, original in names.items()}
    except ValueError as error:  # bytes that are no text, a date beyond those of Python
        reason = str(error).splitlines()[0]
        raise UserError(f"{path} has a value that cannot be read: {reason[:200]}") from None
    return Table(path, columns, list(range(1, found.num_rows + 1)))


def _read_text(path: Path) -> Table:
    dialect, read_as = find_dialect(path, KNOWN)
    names = _layout(path, read_header(path, dialect))
    table = Table(path, {name: [] for name in names}, [], read_as)
    for line, cells in read_rows(path, list(names.values()), dialect):
        table.lines.append(line)
        for column, cell in zip(table.columns.values(), cells, strict=True):
            column.append(cell)
    return table


def _layout(path: Path, columns: list[str]) -> dict[str, str]:
    """The known columns, by their names in small letters; refuses what is missing or doubled."""
    if not any(columns):
        raise UserError(f"{path} is empty; a header and rows with {NEEDED} are needed")
    found: dict[str, str] = {}
    for column in columns:
        name = column.strip().lower()
        if name in found:
            raise UserError(f"{path}: column {name} is there twice")
        if name in KNOWN:
            found[name] = column
    counts = [name for name in COUNTS if name in found]
    if "mean" in found and counts:
        raise UserError(f"{path} has mean and also {' and '.join(counts)}; give {NEEDED}")
    needed = ("mean", "value") if not counts else (*COUNTS, "value")
    missing = [name for name in needed if name not in found]
    if missing:
        raise UserError(
            f"{path} has no column {' and no column '.join(missing)} (it has: "
            f"{' '.join(', '.join(columns)[:300].split())}); {NEEDED} are needed"
        )
    return found


def _numbers(table: Table) -> dict[str, list[float]]:
    """The columns of numbers, read in the one style that fits the whole file."""
    names = [name for name in NUMBERS if name in table.columns]
    fractions = _texts(table.columns[name] for name in names if name not in COUNTS)
    counts = _texts(table.columns[name] for name in names if name in COUNTS)
    try:
        style = find_style(fractions)
        counted = find_style([*fractions, *counts], whole=True) if counts else style
    except Unclear as error:
        raise UserError(
            f"{table.path}: {error}; write decimal points and no thousands separators"
        ) from None
    table.read_as.extend(_described(style, [*fractions, *counts]))
    return {
        name: [
            _number(table.where(row), name, cell, counted if name in COUNTS else style)
            for row, cell in enumerate(table.columns[name])
        ]
        for name in names
    }


def _texts(columns: Iterable[list[Any]]) -> list[str]:
    return [cell for column in columns for cell in column if isinstance(cell, str)]


def _described(style: Style, cells: list[str]) -> list[str]:
    text = []
    if style.decimal == ",":
        text.append("with decimal commas")
    if any(style.thousands in cell or GROUPING.search(cell) for cell in cells):
        text.append("with thousands separators")
    if any("%" in cell for cell in cells):
        text.append("with percentages")
    return text


def _number(where: str, name: str, cell: Any, style: Style) -> float:
    needed = "a whole number" if name in COUNTS else "a number"
    try:
        number = style.parse(cell) if isinstance(cell, str) else float(cell)
    except (TypeError, ValueError):
        shown = "empty" if cell is None or cell == "" else repr(cell)[:100]
        raise UserError(f"{where}: {name} is {shown}; {needed} is needed") from None
    if math.isnan(number):
        raise UserError(f"{where}: {name} is NaN; {needed} is needed")
    return number


def _means(table: Table, means: list[float]) -> list[float]:
    for row, mean in enumerate(means):
        if not 0 <= mean <= 1:
            percent = 1 < max(means) <= 100 and min(means) >= 0
            hint = f"; means up to {max(means):g}: for percentages write {mean:g}%"
            raise UserError(
                f"{table.where(row)}: mean is {mean:g}; a number in [0, 1] is needed"
                f"{hint if percent else ''}"
            )
    return means


def _values(table: Table, values: list[float], scale: float) -> list[float]:
    largest = max(values)
    for row, value in enumerate(values):
        if 0 <= value <= scale:
            continue
        where = f"{table.where(row)}: value is {value:g}"
        if value < 0 or math.isinf(value):
            raise UserError(f"{where}; a number in [0, {scale:g}] is needed")
        if scale == 1:
            raise UserError(
                f"{where}; values up to {largest:g}: divide by the largest, or give "
                f"`scale: {largest:g}` and rewards are reported in your units"
            )
        raise UserError(
            f"{where}, above the scale of {scale:g}; give a `scale` of {largest:g} or more"
        )
    return [value / scale for value in values]


def _rates(table: Table, numbers: dict[str, list[float]]) -> list[float]:
    result = []
    for row, (successes, trials) in enumerate(zip(*(numbers[c] for c in COUNTS), strict=True)):
        whole = math.isfinite(trials) and successes.is_integer() and trials.is_integer()
        if not (whole and trials > 0 and 0 <= successes <= trials):
            raise UserError(
                f"{table.where(row)}: {successes:.15g} successes in {trials:.15g} trials; whole "
                "numbers with 0 <= successes <= trials and trials > 0 are needed"
            )
        result.append(successes / trials)
    return result


def _labels(table: Table) -> list[str]:
    first: dict[str, int] = {}
    labels = []
    for row, cell in enumerate(table.columns["label"]):
        label = "" if cell is None else str(cell)
        if not label:
            raise UserError(
                f"{table.where(row)}: label is empty; each arm needs its own, or drop the column"
            )
        if UNWRITABLE.search(label):
            raise UserError(
                f"{table.where(row)}: label {label[:100]!r} has a control character; plain text is "
                "needed"
            )
        if first.setdefault(label, row) != row:
            raise UserError(
                f"{table.where(row)}: label {label!r} is that of row "
                f"{table.lines[first[label]]} already; labels must differ"
            )
        labels.append(label)
    return labels
