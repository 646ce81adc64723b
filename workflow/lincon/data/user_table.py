"""The user's own arms, from CSV or Parquet; errors name the row and the likely cause."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa

from lincon.data.arms import COUNTS, RESERVED
from lincon.data.csv_table import read_cells
from lincon.data.numbers import GROUPING, Unclear, currency, decimal_sign, number
from lincon.errors import UserError
from lincon.files import UNWRITABLE

AMOUNTS = ("mean", "value", "cost")
KNOWN = (*AMOUNTS, *COUNTS, "label")
NEEDED = "mean (or successes and trials) and value (or cost)"
# A text column with more different values than this is not one of groups.
GROUPS = 50


class Table(NamedTuple):
    """A file's cells by the names of its columns, known ones in small letters."""

    path: Path
    cells: pd.DataFrame  # the index holds the rows as a person counts
    read_as: list[str]  # what was not as in plain CSV, in words

    def refuse(self, bad: Iterable[bool], what: Callable[[int], str]) -> None:
        """One sentence about the first bad row."""
        for row, found in enumerate(bad):
            if found:
                raise UserError(f"{self.path}, row {self.cells.index[row]}: {what(row)}")


def read_user_arms(
    path: Path,
    scale: float,
    only: Mapping[str, Any],
    sep: str | None = None,
    decimal: str | None = None,
) -> dict[str, Any]:
    """What `arms.make` takes: means, values over `scale`, labels, further columns, rows.

    `only` keeps the rows that have these texts in these columns. The separator and the decimal
    sign are found out where they are not given.
    """
    table = _read(path, sep)
    for name, text in only.items():
        table = _filtered(table, name, str(text))
    if table.cells.empty:
        raise UserError(f"{path} has no rows; at least one arm is needed")
    decimal = _decimal(table, decimal)
    numbers = {
        name: _numbers(table, name, decimal) for name in (*AMOUNTS, *COUNTS) if name in table.cells
    }
    mean = numbers["mean"] if "mean" in numbers else _rates(table, numbers)
    value = numbers.get("value", np.zeros(len(mean)))
    _check(table, mean, value, scale)
    columns = {name: numbers[name] for name in ("cost", *COUNTS) if name in numbers}
    columns |= _further(table, decimal, only)
    return {
        "mean": mean,
        "value": value / scale,
        "label": _labels(table) if "label" in table.cells else None,
        "columns": columns,
        "rows": list(table.cells.index),
        "read_as": ", ".join(table.read_as),
    }


def _read(path: Path, sep: str | None) -> Table:
    if not path.is_file():
        raise UserError(f"{path} does not exist; a CSV or Parquet file with {NEEDED} is needed")
    suffix = path.suffix.lower()
    if suffix in (".parquet", ".pq"):
        try:
            cells = pd.read_parquet(path).astype(object)
        except (OSError, ValueError, pa.ArrowException) as error:
            reason = str(error).splitlines()[0][:200]
            raise UserError(f"{path} cannot be read as a Parquet file: {reason}") from None
        cells.index = pd.RangeIndex(1, len(cells) + 1)
        table = Table(path, cells.where(cells.notna(), ""), [])
    elif suffix in (".csv", ".tsv", ".txt"):
        table = Table(path, *read_cells(path, KNOWN, sep))
    else:
        hint = "; save the sheet as CSV" if suffix in (".xlsx", ".xls", ".ods") else ""
        raise UserError(f"{path}: arms are read from a .csv or a .parquet file{hint}")
    table.cells.columns = pd.Index(_names(table))
    return table


def _names(table: Table) -> list[str]:
    """The columns, known names in small letters; refuses what is missing or doubled."""
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
    return names


def _filtered(table: Table, name: str, text: str) -> Table:
    if name not in table.cells:
        has = ", ".join(table.cells.columns)[:300]
        raise UserError(f"{table.path} has no column {name!r} for `where` (it has: {has})")
    there = table.cells[name].astype(str)
    if text not in set(there):
        has = ", ".join(sorted(set(there))[:20])
        raise UserError(f"{table.path}: no row has '{text}' in column {name}; it has: {has}")
    return table._replace(cells=table.cells[there == text])


def _decimal(table: Table, decimal: str | None) -> str:
    """The decimal sign, the same in the whole file; what is said of it goes to `read_as`."""
    fractions, counts = (
        [cell for name in names if name in table.cells for cell in table.cells[name]]
        for names in (AMOUNTS, COUNTS)
    )
    texts = [cell for cell in (*fractions, *counts) if isinstance(cell, str)]
    currencies = sorted({currency(cell) for cell in texts} - {""})
    if len(currencies) > 1:
        raise UserError(f"{table.path} has amounts in {' and in '.join(currencies)}; give one")
    try:
        decimal = decimal or decimal_sign(
            (cell for cell in fractions if isinstance(cell, str)),
            (cell for cell in counts if isinstance(cell, str)),
        )
    except Unclear as error:
        raise UserError(
            f"{table.path}: {error}; say which with the keys `decimal` and `thousands`"
        ) from None
    thousands = "," if decimal == "." else "."
    said = {
        "with decimal commas": decimal == ",",
        "with thousands separators": any(
            thousands in cell or GROUPING.search(cell) for cell in texts
        ),
        "with percentages": any("%" in cell for cell in texts),
        f"amounts in {''.join(currencies)}": bool(currencies),
    }
    table.read_as.extend(text for text, true in said.items() if true)
    return decimal


def _numbers(table: Table, name: str, decimal: str) -> np.ndarray:
    needed = "a whole number" if name in COUNTS else "a number"
    cells = list(table.cells[name])
    numbers = np.array([number(cell, decimal) for cell in cells])
    table.refuse(
        ~np.isfinite(numbers) if name == "cost" else np.isnan(numbers),
        lambda row: (
            f"{name} is {repr(cells[row])[:100] if cells[row] else 'empty'}; {needed} is needed"
        ),
    )
    return numbers


def _check(table: Table, mean: np.ndarray, value: np.ndarray, scale: float) -> None:
    """Means in [0, 1], values in [0, scale], and hints where the unit seems to be another."""
    largest, most = mean.max(), value.max()
    percent = 1 < largest <= 100 and mean.min() >= 0
    hint = f"; means up to {largest:g}: for percentages write {{:g}}%" if percent else ""
    table.refuse(
        ~((mean >= 0) & (mean <= 1)),
        lambda row: f"mean is {mean[row]:g}; a number in [0, 1] is needed" + hint.format(mean[row]),
    )
    table.refuse(
        (value < 0) | np.isinf(value),
        lambda row: f"value is {value[row]:g}; a number in [0, {scale:g}] is needed",
    )
    above = f"above the scale of {scale:g}; give a `scale` of {most:g} or more"
    if scale == 1:
        above = (
            f"values up to {most:g}: divide by the largest, or give `scale: {most:g}` and rewards "
            "are reported in your units"
        )
    table.refuse(value > scale, lambda row: f"value is {value[row]:g}; {above}")


def _rates(table: Table, numbers: Mapping[str, np.ndarray]) -> np.ndarray:
    successes, trials = (numbers[name] for name in COUNTS)
    whole = np.isfinite(trials) & (np.floor(successes) == successes) & (np.floor(trials) == trials)
    table.refuse(
        ~(whole & (trials > 0) & (successes >= 0) & (successes <= trials)),
        lambda row: (
            f"{successes[row]:.15g} successes in {trials[row]:.15g} trials; whole numbers "
            "with 0 <= successes <= trials and trials > 0 are needed"
        ),
    )
    return successes / trials


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


def _labels(table: Table) -> list[str]:
    labels = [str(cell) for cell in table.cells["label"]]
    table.refuse(
        (not label for label in labels),
        lambda row: "label is empty; each arm needs its own, or drop the column",
    )
    table.refuse(
        (UNWRITABLE.search(label) is not None for label in labels),
        lambda row: f"label {labels[row][:100]!r} has a control character; plain text is needed",
    )
    return labels
