"""The user's own arms, from CSV, Parquet or a DataFrame; errors name the file, row and column.

Cells are texts until their column is known to hold numbers, so that a label 007 stays one. The
index of the cells counts rows as a person does: the header of a CSV is row 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from lincon.data.arms import COUNTS, KIND, RESERVED
from lincon.errors import UserError
from lincon.files import UNWRITABLE

if TYPE_CHECKING:
    from lincon.data.kinds.user import User

NUMBERS = ("mean", "value", "cost", *COUNTS)
NEEDED = "mean (or successes and trials) and value (or cost)"
# A text column with more different values than this is not one of groups.
GROUPS = 50
# A Parquet file of a few hundred kilobytes may hold a thousand times as many.
MAX_CELLS = 5_000_000


def read_cells(path: Path, sep: str) -> pd.DataFrame:
    """All cells of a CSV or Parquet file, by column."""
    if not path.is_file():
        raise UserError(f"path {path} does not exist; a CSV or Parquet file is needed there")
    is_text = path.suffix.lower() in (".csv", ".tsv", ".txt")
    return _read_text(path, sep) if is_text else _read_parquet(path)


def frame_cells(frame: pd.DataFrame) -> pd.DataFrame:
    """All cells of a DataFrame, in which a missing value is an empty text."""
    cells = frame.astype(object).where(frame.notna(), "").reset_index(drop=True)
    return cells.set_axis([str(name).strip() for name in cells.columns], axis="columns")


def user_arms(cells: pd.DataFrame, spec: User, where: str) -> dict[str, Any]:
    """The arguments of `arms.make`: means, scaled values, labels, kinds, further columns."""
    _require_columns(cells, where, spec.sep)
    for name, text in (spec.where or {}).items():
        cells = _rows_with(cells, name, str(text), where)
    columns = {name: _numbers(cells, name, spec, where) for name in NUMBERS if name in cells}
    if "mean" not in columns:
        columns["mean"] = _rates(columns, cells.index, where)
    mean, value = columns.pop("mean"), columns.pop("value", np.zeros(len(cells)))
    kinds = spec.kind_column or KIND
    if kinds not in cells and (spec.kinds or spec.kind_column):
        raise UserError(f"{where} has no column {kinds} for kinds; it has: {_listed(cells)}")
    return {
        "mean": mean,
        "value": value / float(spec.scale),
        "label": list(map(str, cells["label"])) if "label" in cells else None,
        "columns": columns | _further(cells, spec, {"label", kinds, *(spec.where or {})}),
        "kind": list(map(str, cells[kinds])) if kinds in cells else None,
        "kind_shares": spec.kinds,
        "rows": list(cells.index),
        "where": where,
        "unit": spec.unit or "",
        "scale": float(spec.scale),
        "per": int(spec.per),
    }


def _read_text(path: Path, sep: str) -> pd.DataFrame:
    # The header is read as a row, so that pandas refuses every row that is longer.
    how: dict[str, Any] = {"header": None, "skip_blank_lines": False, "encoding": "utf-8-sig"}
    try:
        cells = pd.read_csv(path, sep=sep, dtype=str, na_filter=False, **how)
    except UnicodeDecodeError:
        raise UserError(f"{path} is not UTF-8 text; save it as CSV in UTF-8") from None
    except pd.errors.EmptyDataError:
        raise UserError(f"{path} is empty; a header is needed") from None
    except pd.errors.ParserError as error:
        reason = str(error).rpartition("error: ")[2].strip()
        # pandas counts lines from 1, but rows from 0.
        reason = re.sub(r"row (\d+)", lambda at: f"line {int(at[1]) + 1}", reason)
        raise UserError(
            f"{path}: {reason}; cells that hold {sep!r}, as decimal commas may, need quotation "
            "marks, and every one of these must be closed"
        ) from None
    cells = cells.fillna("").map(str.strip)
    cells.index += 1
    header, cells = cells.iloc[0], cells.iloc[1:]
    if not all(header):
        raise UserError(f"{path}, row 1: a name for each column is needed, without empty ones")
    return cells[(cells != "").any(axis=1)].set_axis(header, axis="columns")


def _read_parquet(path: Path) -> pd.DataFrame:
    try:
        with pq.ParquetFile(path) as file:
            size = file.metadata
            if size.num_rows * size.num_columns <= MAX_CELLS:
                cells = frame_cells(file.read().to_pandas())
                return cells.set_index(cells.index + 1)
    except (OSError, ValueError, pa.ArrowException) as error:
        reason = str(error).splitlines()[0][:200]
        raise UserError(
            f"{path} cannot be read as a Parquet file ({reason}); save it as .csv or .parquet"
        ) from None
    raise UserError(
        f"{path} has {size.num_rows:,} rows of {size.num_columns} columns; allowed: at most "
        f"{MAX_CELLS:,} cells"
    )


def _require_columns(cells: pd.DataFrame, where: str, sep: str) -> None:
    names = list(cells.columns)
    counts = [name for name in COUNTS if name in names]
    needed = [*(COUNTS if counts else ("mean",)), *(() if "cost" in names else ("value",))]
    if len(names) > len(set(names)):
        raise UserError(f"{where}: duplicate column: {max(names, key=names.count)}")
    if "mean" in names and counts:
        raise UserError(f"{where} has mean and also {' and '.join(counts)}; give {NEEDED}")
    if missing := [name for name in needed if name not in names]:
        raise UserError(
            f"{where} has no column {' and no column '.join(missing)} (it has: {_listed(cells)}); "
            f"give {NEEDED}, and the key `sep` unless cells are separated by {sep!r}"
        )
    if cells.empty:
        raise UserError(f"{where} has no rows; at least one arm is needed")


def _rows_with(cells: pd.DataFrame, name: str, text: str, where: str) -> pd.DataFrame:
    """The rows that have a text in a column."""
    present = cells[name].astype(str) if name in cells else pd.Series(dtype=str)
    if text not in set(present):
        has = ", ".join(sorted(set(present))[:20]) or f"no such column, but {_listed(cells)}"
        raise UserError(f"{where}: no row has '{text}' in column {name}; it has: {has}")
    return cells[present == text]


def _listed(cells: pd.DataFrame) -> str:
    return " ".join(", ".join(cells.columns)[:300].split())


def _parsed(cells: pd.Series, spec: User) -> np.ndarray:
    """The numbers in cells, written with the decimal and thousands signs; NaN for other cells."""
    if all(isinstance(cell, str) for cell in cells):
        signs: dict[str, Any] = {".": "?", spec.decimal: "."}
        signs |= {spec.thousands: ""} if spec.thousands else {}
        cells = cells.str.translate(str.maketrans(signs))
    return pd.to_numeric(cells, errors="coerce").to_numpy(float)


def _numbers(cells: pd.DataFrame, name: str, spec: User, where: str) -> np.ndarray:
    numbers = _parsed(cells[name], spec)
    for row in np.flatnonzero(~np.isfinite(numbers))[:1]:
        cell = repr(cells[name].iloc[row])[:100]
        raise UserError(f"{where}, row {cells.index[row]}: {name} is {cell}; a number is needed")
    return numbers


def _rates(columns: Mapping[str, np.ndarray], rows: pd.Index, where: str) -> np.ndarray:
    successes, trials = (columns[name] for name in COUNTS)
    good = (successes % 1 == 0) & (trials % 1 == 0) & (trials > 0)
    for i in np.flatnonzero(~good | (successes < 0) | (successes > trials))[:1]:
        raise UserError(
            f"{where}, row {rows[i]}: successes is {successes[i]:g}, trials is {trials[i]:g}; "
            "whole numbers, trials > 0 and 0 <= successes <= trials are needed"
        )
    return successes / trials


def _further(cells: pd.DataFrame, spec: User, used: Iterable[str]) -> dict[str, np.ndarray]:
    """Other columns: numbers as they are, and 1 or 0 for each group of a column of texts."""
    columns: dict[str, np.ndarray] = {}
    for name in cells.columns.difference([*NUMBERS, *used], sort=False):
        texts = np.array([str(cell).strip() for cell in cells[name]])
        groups, numbers = sorted(set(texts) - {""}), _parsed(cells[name], spec)
        if np.isfinite(numbers).all() and name not in RESERVED:
            columns[name] = numbers
        elif len(groups) <= min(GROUPS, len(texts) - 1) and not UNWRITABLE.search("".join(groups)):
            columns |= {f"{name}={group}": (texts == group).astype(float) for group in groups}
    return columns
