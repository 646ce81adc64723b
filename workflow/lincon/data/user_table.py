"""Arms of the user's own, from CSV or Parquet, with errors that name the row to mend."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator, Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from lincon.errors import UserError

Row = tuple[int, Mapping[str, object]]
COUNTS = ("successes", "trials")
NEEDED = "mean and value, or successes, trials and value"


def read_user_arms(path: Path) -> tuple[list[float], list[float], list[str] | None]:
    """Means, values and labels (None without a label column) of a user's table.

    Rows are named as a person counts them: in CSV by the line of the file, the header being
    line 1; in Parquet from 1.
    """
    columns, rows = _read(path)
    counted = _layout(path, columns)
    mean, value, label = [], [], []
    lines: dict[str, int] = {}
    for line, row in rows:
        where = f"{path}, row {line}"
        mean.append(_rate(where, row) if counted else _fraction(where, "mean", row["mean"]))
        value.append(_fraction(where, "value", row["value"]))
        if "label" in columns:
            label.append(_label(where, row["label"], line, lines))
    if not mean:
        raise UserError(f"{path} has no rows; at least one arm is needed")
    return mean, value, label if "label" in columns else None


def _read(path: Path) -> tuple[list[str], Iterator[Row] | list[Row]]:
    if not path.is_file():
        raise UserError(f"{path} does not exist; a CSV or Parquet file with {NEEDED} is needed")
    if path.suffix.lower() in (".parquet", ".pq"):
        return _read_parquet(path)
    if path.suffix.lower() == ".csv":
        return _read_csv(path)
    raise UserError(f"{path}: arms are read from a .csv or a .parquet file")


def _read_parquet(path: Path) -> tuple[list[str], Iterator[Row]]:
    try:
        table = pq.read_table(path)
    except (OSError, pa.ArrowException):
        raise UserError(f"{path} is not a Parquet file") from None
    return table.column_names, enumerate(table.to_pylist(), start=1)


def _read_csv(path: Path) -> tuple[list[str], list[Row]]:
    try:
        with open(path, encoding="utf-8-sig", newline="") as stream:
            reader = csv.reader(stream, strict=True)
            columns = [name.strip() for name in next(reader, [])]
            return columns, [
                (reader.line_num, _cells(f"{path}, row {reader.line_num}", columns, cells))
                for cells in reader
                if any(cell.strip() for cell in cells)
            ]
    except UnicodeDecodeError:
        raise UserError(f"{path} is not text in UTF-8") from None
    except csv.Error as error:
        raise UserError(f"{path}, row {reader.line_num}: {error}") from None


def _cells(where: str, columns: list[str], cells: list[str]) -> dict[str, str]:
    if len(cells) != len(columns):
        raise UserError(f"{where}: {len(cells)} cells, but the header has {len(columns)} columns")
    return {name: cell.strip() for name, cell in zip(columns, cells, strict=True)}


def _layout(path: Path, columns: list[str]) -> bool:
    """Whether the means come as counts; refuses a table that lacks or doubles a column."""
    if not columns:
        raise UserError(f"{path} is empty; a header and rows with {NEEDED} are needed")
    for name in ("mean", "value", "label", *COUNTS):
        if columns.count(name) > 1:
            raise UserError(f"{path}: column {name} is there twice")
    counts = [name for name in COUNTS if name in columns]
    if "mean" in columns and counts:
        raise UserError(f"{path} has mean and also {' and '.join(counts)}; give {NEEDED}")
    needed = ("mean", "value") if not counts else (*COUNTS, "value")
    missing = [name for name in needed if name not in columns]
    if missing:
        raise UserError(
            f"{path} has no column {' and no column '.join(missing)} (it has: "
            f"{', '.join(columns)}); {NEEDED} are needed"
        )
    return bool(counts)


def _number(where: str, name: str, cell: object, needed: str) -> float:
    try:
        number = float(cell)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        shown = "empty" if cell is None or cell == "" else repr(cell)
        raise UserError(f"{where}: {name} is {shown}; {needed} is needed") from None
    if math.isnan(number):
        raise UserError(f"{where}: {name} is NaN; {needed} is needed")
    return number


def _fraction(where: str, name: str, cell: object) -> float:
    number = _number(where, name, cell, "a number in [0, 1]")
    if not 0 <= number <= 1:
        raise UserError(f"{where}: {name} is {cell}; a number in [0, 1] is needed")
    return number


def _rate(where: str, row: Mapping[str, object]) -> float:
    successes, trials = (_number(where, name, row[name], "a whole number") for name in COUNTS)
    whole = math.isfinite(trials) and successes.is_integer() and trials.is_integer()
    if not (whole and trials > 0 and 0 <= successes <= trials):
        raise UserError(
            f"{where}: {row['successes']} successes in {row['trials']} trials; whole numbers with "
            "0 <= successes <= trials and trials > 0 are needed"
        )
    return successes / trials


def _label(where: str, cell: object, line: int, lines: dict[str, int]) -> str:
    label = "" if cell is None else str(cell)
    if not label:
        raise UserError(f"{where}: label is empty; each arm needs its own, or drop the column")
    if lines.setdefault(label, line) != line:
        raise UserError(
            f"{where}: label {label!r} is that of row {lines[label]} already; labels must differ"
        )
    return label
