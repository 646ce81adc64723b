"""The user's own arms, from CSV or Parquet; errors name the file, the row and the column."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from lincon.data.arms import COUNTS, RESERVED
from lincon.data.supported import LARGEST
from lincon.errors import UserError
from lincon.files import UNWRITABLE

if TYPE_CHECKING:
    from lincon.data.kinds.user import User

NUMBERS = ("mean", "value", "cost", *COUNTS)
NEEDED = "mean (or successes and trials) and value (or cost)"
KIND_COLUMN = "kind"
FRAME = "the DataFrame"
# A text column with more different values than this is not one of groups.
GROUPS = 50
# A small Parquet file may hold this many rows a thousand times over.
MAX_ROWS = 10_000_000


class Table(NamedTuple):
    """A file's cells as texts, by the names of its columns."""

    path: Path
    cells: pd.DataFrame  # the index holds the rows as a person counts: the header of a CSV is 1

    def refuse(self, bad: Iterable[bool], what: Callable[[int], str]) -> None:
        """One sentence about the first bad row."""
        for row, wrong in enumerate(bad):
            if wrong:
                raise UserError(f"{self.path}, row {self.cells.index[row]}: {what(row)}")


def read_user_arms(path: Path, spec: User) -> dict[str, Any]:
    """What `arms.make` takes: means, values over the scale, labels, kinds, further columns."""
    return _arms(_read(path, spec), spec)


def frame_arms(frame: pd.DataFrame, keys: Mapping[str, Any]) -> dict[str, Any]:
    """The same from a DataFrame, with the keys of kind `user`."""
    from lincon.data.kinds import parse

    spec = cast("User", parse({"kind": "user", "path": FRAME, **keys}, FRAME))
    cells = frame.astype(object).where(frame.notna(), "").reset_index(drop=True)
    cells.columns = pd.Index([str(name).strip() for name in cells.columns])
    columns = _arms(Table(Path(FRAME), cells), spec)
    return columns | {
        "where": FRAME,
        "unit": spec.unit or "",
        "scale": float(spec.scale),
        "world": spec.world(),
    }


def _arms(table: Table, spec: User) -> dict[str, Any]:
    _check(table, spec)
    table, path = _chosen(table, spec), table.path
    columns = {name: _numbers(table, name, spec) for name in NUMBERS if name in table.cells}
    if "mean" not in columns:
        successes, trials = (columns[name] for name in COUNTS)
        table.refuse(
            (trials == 0) | (successes > trials),
            lambda _: "trials > 0 and successes <= trials are needed",
        )
        columns["mean"] = successes / trials
    mean, value = columns.pop("mean"), columns.pop("value", np.zeros(len(table.cells)))
    label = _texts(table, "label") if "label" in table.cells else None
    kinds = spec.kind_column or KIND_COLUMN
    if kinds not in table.cells and (spec.kinds or spec.kind_column):
        raise UserError(f"{path} has no column {kinds} for kinds; it has: {_listed(table)}")
    kind = _texts(table, kinds) if kinds in table.cells else None
    return {
        "mean": mean,
        "value": value / float(spec.scale),
        "label": label,
        "columns": columns | _further(table, spec, {kinds, *(spec.where or {})}),
        "rows": list(table.cells.index),
        "kind": kind,
        "kind_shares": spec.kinds,
    }


def _read(path: Path, spec: User) -> Table:
    """All cells by column; refuses other files."""
    if not path.is_file():
        raise UserError(f"path {path} does not exist; a CSV or Parquet file is needed there")
    is_text = path.suffix.lower() in (".csv", ".tsv", ".txt")
    return Table(path, _read_text(path, spec.sep) if is_text else _read_parquet(path))


def _check(table: Table, spec: User) -> None:
    """Refuse columns that are missing or doubled."""
    path = table.path
    names = list(table.cells.columns)
    counts = [name for name in COUNTS if name in names]
    needed = [*(COUNTS if counts else ("mean",)), *(() if "cost" in names else ("value",))]
    if len(names) > len(set(names)):
        raise UserError(f"{path}: duplicate column: {max(names, key=names.count)}")
    if "mean" in names and counts:
        raise UserError(f"{path} has mean and also {' and '.join(counts)}; give {NEEDED}")
    if missing := [name for name in needed if name not in names]:
        lacks = " and no column ".join(missing)
        raise UserError(
            f"{path} has no column {lacks} (it has: {_listed(table)}); give {NEEDED}, and the key "
            f"`sep` unless cells are separated by {spec.sep!r}"
        )
    if table.cells.empty:
        raise UserError(f"{path} has no rows; at least one arm is needed")


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
    header = cells.iloc[0]
    if not all(header):
        raise UserError(f"{path}, row 1: a name for each column is needed, without empty ones")
    cells.columns = pd.Index(header)
    return cells.iloc[1:].loc[(cells.iloc[1:] != "").any(axis=1)]


def _read_parquet(path: Path) -> pd.DataFrame:
    try:
        with pq.ParquetFile(path) as file:
            if (rows := file.metadata.num_rows) > MAX_ROWS:
                raise UserError(f"{path} has {rows:,} rows; allowed: at most {MAX_ROWS:,} arms")
            cells = file.read().to_pandas().astype(object)
    except (OSError, ValueError, pa.ArrowException) as error:
        reason = str(error).splitlines()[0][:200]
        raise UserError(
            f"{path} cannot be read as a Parquet file ({reason}); save it as .csv or .parquet"
        ) from None
    cells.index = pd.RangeIndex(1, len(cells) + 1)
    cells.columns = pd.Index([str(name).strip() for name in cells.columns])
    return cells.where(cells.notna(), "")


def _chosen(table: Table, spec: User) -> Table:
    """The rows that have the texts of `where` in their columns."""
    for name, text in (spec.where or {}).items():
        present = table.cells[name].astype(str) if name in table.cells else pd.Series(dtype=str)
        if str(text) not in set(present):
            has = ", ".join(sorted(set(present))[:20]) or f"no such column, but {_listed(table)}"
            raise UserError(f"{table.path}: no row has '{text}' in column {name}; it has: {has}")
        table = table._replace(cells=table.cells[present == str(text)])
    return table


def _listed(table: Table) -> str:
    return " ".join(", ".join(table.cells.columns)[:300].split())


def _texts(table: Table, name: str) -> list[str]:
    texts = [str(cell) for cell in table.cells[name]]
    table.refuse(
        (not text or UNWRITABLE.search(text) is not None for text in texts),
        lambda row: f"{name} is {texts[row][:100]!r}; plain text is needed",
    )
    return texts


def _parsed(cells: pd.Series, spec: User) -> np.ndarray:
    """The numbers in cells, written with the decimal and thousands signs; NaN for other cells."""
    if not all(isinstance(cell, str) for cell in cells):
        return pd.to_numeric(cells, errors="coerce").to_numpy(float)
    texts = cells
    if spec.thousands:
        sign = re.escape(spec.thousands)
        grouped = texts.str.fullmatch(rf"[+-]?\d{{1,3}}({sign}\d{{3}})+(\{spec.decimal}\d*)?")
        texts = texts.where(~grouped, texts.str.replace(spec.thousands, "", regex=False))
    if spec.decimal != ".":
        texts = texts.where(~texts.str.contains(".", regex=False), "")
        texts = texts.str.replace(spec.decimal, ".", regex=False)
    return pd.to_numeric(texts, errors="coerce").to_numpy(float)


def _numbers(table: Table, name: str, spec: User) -> np.ndarray:
    """A column within its range."""
    cells, numbers = list(table.cells[name]), _parsed(table.cells[name], spec)
    top = {"mean": 1.0, "value": float(spec.scale)}.get(name, math.inf)
    bad, needed = ~np.isfinite(numbers) | (numbers > top), "a number"
    if name in COUNTS:
        bad, needed = bad | (numbers < 0) | (numbers % 1 != 0), "a whole number, at least 0,"
    elif name != "cost":
        bad, needed = bad | (numbers < 0), f"a number in [0, {top:g}]"
    most = np.nanmax(numbers, initial=0.0)
    fits = name == "value" and top < most <= LARGEST
    hint = f"; the key `scale: {most:g}` allows it" if fits else ""
    table.refuse(bad, lambda row: f"{name} is {repr(cells[row])[:100]}; {needed} is needed{hint}")
    return numbers


def _further(table: Table, spec: User, used: Iterable[str]) -> dict[str, np.ndarray]:
    """Other columns: numbers as they are, and 1 or 0 for each group of a column of texts."""
    columns: dict[str, np.ndarray] = {}
    for name in table.cells.columns.difference([*NUMBERS, "label", *used], sort=False):
        texts = np.array([str(cell).strip() for cell in table.cells[name]])
        groups, numbers = sorted(set(texts) - {""}), _parsed(table.cells[name], spec)
        if np.isfinite(numbers).all() and name not in RESERVED:
            columns[name] = numbers
        elif len(groups) <= min(GROUPS, len(texts) - 1) and not UNWRITABLE.search("".join(groups)):
            columns |= {f"{name}={group}": (texts == group).astype(float) for group in groups}
    return columns
