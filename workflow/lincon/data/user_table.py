"""The user's own arms, from CSV or Parquet; errors name the row and the likely cause."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

from lincon.data.arms import RESERVED, SMALLEST
from lincon.data.csv_table import find_dialect, read_cells
from lincon.data.numbers import GROUPING, Style, Unclear, currency, find_style
from lincon.errors import UserError
from lincon.files import UNWRITABLE

COUNTS = ("successes", "trials")
NUMBERS = ("mean", "value", "cost", *COUNTS)
KNOWN = (*NUMBERS, "label")
NEEDED = "mean (or successes and trials) and value (or cost)"
PARQUET = (".parquet", ".pq")
TEXT = (".csv", ".tsv", ".txt")
# A text column with more different values than this is not one of groups.
GROUPS = 50


@dataclass
class UserArms:
    mean: list[float]
    value: list[float]  # in units of the scale, so in [0, 1]
    label: list[str] | None
    columns: dict[str, np.ndarray] = field(default_factory=dict)
    read_as: str = ""  # what was not as in plain CSV, in words; empty if nothing


@dataclass(frozen=True)
class Format:
    """What the user says of a file; None is found out."""

    separator: str | None = None
    decimal: str | None = None
    thousands: str | None = None

    def style(self) -> Style | None:
        if self.decimal:
            return Style(self.decimal)
        return {",": Style("."), ".": Style(",")}.get(self.thousands or "")


@dataclass
class Table:
    """A file's cells by the names of its columns, known ones in small letters."""

    path: Path
    cells: pd.DataFrame  # the index holds the rows as a person counts
    read_as: list[str] = field(default_factory=list)

    def where(self, row: int) -> str:
        return f"{self.path}, row {self.cells.index[row]}"


def read_user_arms(
    path: Path,
    scale: float = 1.0,
    only: Mapping[str, str] | None = None,
    written: Format | None = None,
) -> UserArms:
    """Means, values over `scale`, labels (None without a label column) and further columns.

    `only` keeps the rows that have these texts in these columns.
    """
    table = _read(path, written or Format())
    if only:
        _filter(table, only)
    if table.cells.empty:
        raise UserError(f"{path} has no rows; at least one arm is needed")
    style, whole = _styles(table, written or Format())
    numbers = {
        name: _numbers(table, name, whole if name in COUNTS else style)
        for name in NUMBERS
        if name in table.cells
    }
    mean = numbers["mean"] if "mean" in numbers else _rates(table, numbers)
    _check_means(table, mean)
    value = _values(table, numbers.get("value", [0.0] * len(mean)), scale)
    columns = {n: np.array(numbers[n]) for n in ("cost", *COUNTS) if n in numbers}
    columns |= _further(table, style, set(only or ()))
    label = _labels(table) if "label" in table.cells else None
    tiny = sum(0 < number < SMALLEST for number in (*mean, *value))
    if tiny:
        table.read_as.append(f"{tiny} numbers below {SMALLEST:g} taken as 0")
    return UserArms(mean, value, label, columns, ", ".join(table.read_as))


def _read(path: Path, written: Format) -> Table:
    if not path.is_file():
        raise UserError(f"{path} does not exist; a CSV or Parquet file with {NEEDED} is needed")
    suffix = path.suffix.lower()
    if suffix in PARQUET:
        try:
            cells = pd.read_parquet(path).astype(object)
        except (OSError, ValueError, pa.ArrowException) as error:
            reason = str(error).splitlines()[0][:200]
            raise UserError(f"{path} cannot be read as a Parquet file: {reason}") from None
        cells.index = pd.RangeIndex(1, len(cells) + 1)
        table = Table(path, cells.where(cells.notna(), ""))
    elif suffix in TEXT:
        dialect = find_dialect(path, KNOWN, written.separator)
        table = Table(path, read_cells(path, dialect), dialect.described())
    else:
        hint = "; save the sheet as CSV" if suffix in (".xlsx", ".xls", ".ods") else ""
        raise UserError(f"{path}: arms are read from a .csv or a .parquet file{hint}")
    _name_columns(table)
    return table


def _name_columns(table: Table) -> None:
    """Known names in small letters; refuses what is missing or doubled."""
    names = [str(name).strip() for name in table.cells.columns]
    names = [name.lower() if name.lower() in KNOWN else name for name in names]
    for name in names:
        if names.count(name) > 1:
            raise UserError(f"{table.path}: duplicate column: {name}")
    counts = [name for name in COUNTS if name in names]
    if "mean" in names and counts:
        raise UserError(f"{table.path} has mean and also {' and '.join(counts)}; give {NEEDED}")
    needed = [*(COUNTS if counts else ("mean",)), *(() if "cost" in names else ("value",))]
    missing = [name for name in needed if name not in names]
    if missing:
        raise UserError(
            f"{table.path} has no column {' and no column '.join(missing)} (it has: "
            f"{' '.join(', '.join(names)[:300].split())}); needed: {NEEDED}"
        )
    table.cells.columns = pd.Index(names)


def _filter(table: Table, only: Mapping[str, str]) -> None:
    for name, text in only.items():
        if name not in table.cells:
            raise UserError(
                f"{table.path} has no column {name!r} for `where` (it has: "
                f"{', '.join(table.cells.columns)[:300]})"
            )
        there = table.cells[name].astype(str)
        if not (there == str(text)).any():
            found = ", ".join(sorted(set(there))[:20])
            raise UserError(f"{table.path}: no row has {text!r} in column {name}; it has: {found}")
        table.cells = table.cells[there == str(text)]


def _styles(table: Table, written: Format) -> tuple[Style, Style]:
    """How fractions and how counts are written, the same in the whole file."""
    fractions = _texts(table, [name for name in NUMBERS if name not in COUNTS])
    counts = _texts(table, COUNTS)
    currencies = sorted({currency(cell) for cell in fractions} - {""})
    if len(currencies) > 1:
        raise UserError(f"{table.path} has amounts in {' and in '.join(currencies)}; give one")
    style = whole = written.style()
    if style is None:
        try:
            style = find_style(fractions)
            whole = find_style([*fractions, *counts], whole=True) if counts else style
        except Unclear as error:
            raise UserError(
                f"{table.path}: {error}; say which with the keys `decimal` and `thousands`"
            ) from None
    cells = [*fractions, *counts]
    if style.decimal == ",":
        table.read_as.append("with decimal commas")
    if any(style.thousands in cell or GROUPING.search(cell) for cell in cells):
        table.read_as.append("with thousands separators")
    if any("%" in cell for cell in cells):
        table.read_as.append("with percentages")
    if currencies:
        table.read_as.append(f"amounts in {currencies[0]}")
    return style, whole or style


def _texts(table: Table, names: Iterable[str]) -> list[str]:
    present = [name for name in names if name in table.cells]
    return [cell for name in present for cell in table.cells[name] if isinstance(cell, str)]


def _numbers(table: Table, name: str, style: Style) -> list[float]:
    needed = "a whole number" if name in COUNTS else "a number"
    numbers = []
    for row, cell in enumerate(table.cells[name]):
        try:
            number = style.parse(cell) if isinstance(cell, str) else float(cell)
        except (TypeError, ValueError):
            shown = "empty" if cell == "" else repr(cell)[:100]
            raise UserError(f"{table.where(row)}: {name} is {shown}; {needed} is needed") from None
        if math.isnan(number) or (name == "cost" and math.isinf(number)):
            raise UserError(f"{table.where(row)}: {name} is {number:g}; {needed} is needed")
        numbers.append(number)
    return numbers


def _check_means(table: Table, means: list[float]) -> None:
    for row, mean in enumerate(means):
        if not 0 <= mean <= 1:
            percent = 1 < max(means) <= 100 and min(means) >= 0
            hint = f"; means up to {max(means):g}: for percentages write {mean:g}%"
            raise UserError(
                f"{table.where(row)}: mean is {mean:g}; a number in [0, 1] is needed"
                f"{hint if percent else ''}"
            )


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


def _further(table: Table, style: Style, used: set[str]) -> dict[str, np.ndarray]:
    """Other columns: numbers as they are, and 1 or 0 for each group of a column of texts."""
    found: dict[str, np.ndarray] = {}
    ignored = []
    for name in table.cells:
        if name in KNOWN or name in used:
            continue
        cells = [cell.strip() if isinstance(cell, str) else cell for cell in table.cells[name]]
        texts = [str(cell) for cell in cells]
        try:
            numbers = np.array([style.parse(c) if isinstance(c, str) else float(c) for c in cells])
        except (TypeError, ValueError):
            numbers = np.array([np.nan])
        groups = sorted({text for text in texts if text})
        if np.isfinite(numbers).all() and name.lower() not in RESERVED:
            found[name] = numbers
        elif len(groups) <= min(GROUPS, len(texts) - 1) and not UNWRITABLE.search("".join(groups)):
            found |= {f"{name}={g}": np.array([float(t == g) for t in texts]) for g in groups}
        else:
            ignored.append(name)
    if ignored:
        table.read_as.append(f"without {', '.join(ignored)} (neither numbers nor groups)")
    return found


def _labels(table: Table) -> list[str]:
    first: dict[str, int] = {}
    labels = []
    for row, cell in enumerate(table.cells["label"]):
        label = str(cell)
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
                f"{table.cells.index[first[label]]} already; labels must differ"
            )
        labels.append(label)
    return labels
