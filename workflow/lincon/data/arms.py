"""The arm table: what every dataset becomes, and the one place that says what is allowed in it."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from lincon.data.supported import SMALLEST
from lincon.errors import UserError
from lincon.files import damaged, read_table, write_table

Source = Literal["real", "standin", "formula", "user", "generated"]
# What is written only where it says something: older tables keep their bytes.
OPTIONAL = ("means", "start", "world")
TEXTS = ("dataset", "source", "address", "sha256", "note", "unit", "read_as", *OPTIONAL)
METADATA = (*TEXTS, "scale")
RESERVED = ("arm", "label", "mean", "value")
WHAT = "an arm table"
COUNTS = ("successes", "trials")
POSTERIOR, WARM = "posterior", "warm"


@dataclass(frozen=True)
class Arms:
    """N arms: an event of arm i has probability `mean[i]` and pays `value[i]`.

    In the user's units it pays `value[i] * scale`. `columns` holds what else is known of the arms,
    by name and in the user's units: `cost` per play, groups as 0 and 1, what a constraint names.
    """

    label: tuple[str, ...]
    mean: np.ndarray
    value: np.ndarray
    columns: Mapping[str, np.ndarray] = field(default_factory=dict)
    dataset: str = ""
    source: Source = "user"
    address: str = ""
    sha256: str = ""
    note: str = ""
    unit: str = ""  # what rewards are counted in, such as EUR
    scale: float = 1.0  # a value of 1 is worth so many units
    read_as: str = ""  # how the user's file was understood, where it is not plain CSV
    means: str = ""  # POSTERIOR: every run draws its own from the counts, `mean` is their average
    start: str = ""  # WARM: policies know the counts before the first round
    world: str = ""  # late feedback and drift, as JSON; none where it is empty

    def __len__(self) -> int:
        return len(self.mean)

    def column(self, name: str) -> np.ndarray:
        """A column in the user's units; `KeyError` if there is none of that name."""
        known = {"mean": self.mean, "value": self.value * self.scale}
        return known[name] if name in known else self.columns[name]


def make(
    mean: Sequence[float] | np.ndarray,
    value: Sequence[float] | np.ndarray,
    label: Sequence[str] | None = None,
    columns: Mapping[str, Sequence[float] | np.ndarray] | None = None,
    *,
    where: str = "the arms",
    rows: Sequence[int] | None = None,
    **provenance: Any,
) -> Arms:
    """Validated arms; `where` and `rows` let an error name the user's own file and row.

    Means and values below 1e-12 become 0: no run could tell them from it, but arithmetic with
    numbers at the end of the range of floats could go wrong.
    """
    # Copies: Arrow's arrays are read-only, for which Numba would compile every kernel once more.
    mean, value = np.array(mean, dtype=np.float64), np.array(value, dtype=np.float64)
    label = tuple(f"arm {i}" for i in range(len(mean))) if label is None else tuple(label)
    rows = range(len(mean)) if rows is None else rows
    further = {name: np.array(numbers, float) for name, numbers in (columns or {}).items()}
    if not len(mean) == len(value) == len(label) > 0:
        raise UserError(
            f"{where}: {len(mean)} means, {len(value)} values, {len(label)} labels; as many of "
            "each are needed, at least one"
        )
    for name, column in (("mean", mean), ("value", value)):
        bad = np.flatnonzero(~((column >= 0) & (column <= 1)))
        if bad.size:
            i = int(bad[0])
            raise UserError(f"{where}, row {rows[i]}: {name} is {column[i]:g}; allowed: [0, 1]")
        column[column < SMALLEST] = 0.0
    for name, column in further.items():
        if name in RESERVED or column.shape != mean.shape or not np.isfinite(column).all():
            raise UserError(f"{where}: column {name} must hold one finite number per arm")
    first = {name: i for i, name in reversed(list(enumerate(label)))}
    for i, name in enumerate(label):
        if first[name] != i:
            raise UserError(
                f"{where}, row {rows[i]}: label {name!r} is that of row {rows[first[name]]} "
                "already; labels must differ"
            )
    return replace(Arms(label, mean, value, further), **provenance)


def write(arms: Arms, path: str | os.PathLike[str]) -> None:
    table = pa.table(
        {
            "arm": pa.array(np.arange(len(arms)), pa.int64()),
            "label": pa.array(arms.label, pa.string()),
            "mean": pa.array(arms.mean, pa.float64()),
            "value": pa.array(arms.value, pa.float64()),
        }
        | {name: pa.array(column, pa.float64()) for name, column in arms.columns.items()}
    )
    known = {key: str(getattr(arms, key)) for key in METADATA}
    known = {key: text for key, text in known.items() if text or key not in OPTIONAL}
    write_table(path, table, known)


def read(path: str | os.PathLike[str]) -> Arms:
    table = read_table(path, WHAT)
    try:
        # Not to_numpy, which imports pandas: a simulation does not need it.
        numbers = {
            name: np.from_dlpack(table[name].combine_chunks())
            for name in ("mean", "value", *(n for n in table.column_names if n not in RESERVED))
        }
        label = table["label"].to_pylist()
        metadata = {k.decode(): v.decode() for k, v in (table.schema.metadata or {}).items()}
        scale = float(metadata.get("scale", 1))
    except (KeyError, ValueError, TypeError, BufferError, pa.ArrowException) as error:
        raise UserError(damaged(path, WHAT, error)) from None
    texts = {key: metadata.get(key, "") for key in TEXTS}
    mean, value = numbers.pop("mean"), numbers.pop("value")
    return make(mean, value, label, numbers, where=str(path), scale=scale, **texts)
