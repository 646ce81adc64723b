"""The arm table: what every dataset becomes, and the one place that says what is allowed in it."""

import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pyarrow as pa

from lincon.data.supported import LARGEST, SMALLEST
from lincon.errors import UserError
from lincon.files import UNWRITABLE, damaged, read_table, write_table

if TYPE_CHECKING:
    import pandas as pd

Source = Literal["real", "standin", "formula", "user"]
# What is written only where it says something: older tables keep their bytes.
OPTIONAL = ("means", "start", "world", "reading")
TEXTS = ("dataset", "source", "address", "sha256", "note", "unit", *OPTIONAL)
METADATA = (*TEXTS, "scale")
KIND = "kind"
RESERVED = ("arm", "label", "mean", "value", KIND)
WHAT, FRAME = "an arm table", "the DataFrame"
COUNTS = ("successes", "trials")
POSTERIOR, WARM = "posterior", "warm"


@dataclass(frozen=True)
class Arms:
    """N arms: an event of arm i has probability `mean[i]` and pays `value[i]`.

    In the user's units it pays `value[i] * scale`. `columns` holds what else is known of the arms,
    by name and in the user's units: `cost` per play, groups as 0 and 1, what a constraint names.

    Where requests come in kinds, a row is an arm as it plays one kind: row i is for kind
    `kinds[kind[i]]`, which `kind_shares[kind[i]]` of all requests have. Without them `kinds` is
    empty and every row has kind 0, whose share is 1.
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
    per: int = 1  # values and costs are per so many plays, as in USD per 1,000 requests
    means: str = ""  # POSTERIOR: every run draws its own from the counts, `mean` is their average
    start: str = ""  # WARM: policies know the counts before the first round
    world: str = ""  # late feedback and drift, as JSON; none where it is empty
    reading: str = ""  # how a user's file was read where not by default, as JSON
    kinds: tuple[str, ...] = ()  # names, in the order of their first rows
    kind: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))  # int[N], set by make
    kind_shares: np.ndarray = field(default_factory=lambda: np.ones(1))  # float[K]

    @classmethod
    def from_csv(cls, path: str | os.PathLike[str], *, dataset: str = "", **keys: Any) -> "Arms":
        """Arms from a CSV or Parquet file.

        Parameters
        ----------
        path
            A file with the columns `value` and `mean`, or `successes` and `trials`; optionally
            `label`, `cost`, `kind`, and further columns for constraints.
        dataset
            What keys the random events: equal names have equal events. By default the file's name.
        keys
            As for a dataset of kind `user` in a config: `scale` (the value that counts as 1),
            `unit`, `per`, `where`, `kinds`, `sep`, `decimal`, `thousands`, `delay`, `drift`.

        Returns
        -------
        Arms
            N arms, one per row.

        Examples
        --------
        >>> import lincon
        >>> arms = lincon.Arms.from_csv("config/examples/links.csv", unit="EUR")
        >>> len(arms), arms.label[0]
        (60, 'link-01')
        """
        from lincon.data.sources import extract

        entry = {"kind": "user", "path": os.fspath(path)} | keys
        return extract(entry, [path], dataset or Path(path).stem)  # type: ignore[list-item]

    @classmethod
    def from_frame(cls, frame: "pd.DataFrame", *, dataset: str = "arms", **keys: Any) -> "Arms":
        """Arms from a pandas DataFrame, one row per arm.

        Parameters
        ----------
        frame
            N rows with the columns of `from_csv`.
        dataset, keys
            As for `from_csv`.

        Returns
        -------
        Arms
            N arms, one per row.

        Examples
        --------
        >>> import lincon, pandas as pd
        >>> frame = pd.DataFrame({"mean": [0.4, 0.6], "value": [25, 10]}, index=["red", "blue"])
        >>> arms = lincon.Arms.from_frame(frame.reset_index(names="label"), scale=25)
        >>> arms.label, arms.value.tolist(), arms.column("value").tolist()
        (('red', 'blue'), [1.0, 0.4], [25.0, 10.0])
        """
        from lincon.data.kinds import parse
        from lincon.data.user_table import frame_cells, user_arms

        spec: Any = parse({"kind": "user", "path": FRAME, **keys}, FRAME)
        known = user_arms(frame_cells(frame), spec, FRAME)
        return make(dataset=dataset, world=spec.world(), **known)

    @classmethod
    def from_arrays(
        cls,
        mean: Sequence[float] | np.ndarray,
        value: Sequence[float] | np.ndarray,
        label: Sequence[str] | None = None,
        *,
        dataset: str = "arms",
        scale: float = 1.0,
        **further: Any,
    ) -> "Arms":
        """Arms from arrays.

        Parameters
        ----------
        mean, value : arrays of shape (N,)
            Event probability, and value per event from 0 to `scale`.
        label
            N names; by default `arm 0`, ...
        dataset
            What keys the random events: equal names have equal events.
        scale
            The value that counts as 1.
        further
            `columns` (name to array of shape (N,), such as a `cost` per play), `kind` (N names),
            `kind_shares` (kind to its share of all requests), `unit`.

        Returns
        -------
        Arms
            N arms.

        Examples
        --------
        >>> import lincon
        >>> arms = lincon.Arms.from_arrays([0.4, 0.6], [1.0, 0.5], ["red", "blue"])
        >>> arms.mean.tolist()
        [0.4, 0.6]
        """
        values = np.asarray(value, dtype=float) / scale
        return make(mean, values, label, dataset=dataset, scale=scale, **further)

    def __repr__(self) -> str:
        """Short, as tables of thousands of arms are common."""
        kinds = f", {len(self.kinds)} kinds of request" if self.kinds else ""
        means = f"means {self.mean.min():.4g} to {self.mean.max():.4g}"
        return f"<Arms {self.dataset!r}: {len(self)} rows, {means}{kinds}>"

    def __len__(self) -> int:
        return len(self.mean)

    @property
    def special(self) -> bool:
        """Whether the dense engine alone plays them: late feedback, drift, warm start, kinds."""
        return bool(self.world or self.start or len(self.kind_shares) > 1)

    @property
    def names(self) -> tuple[str, ...]:
        """What tells rows apart: the label, and with kinds `label (kind)`."""
        if not self.kinds:
            return self.label
        pairs = zip(self.label, self.kind.tolist(), strict=True)
        return tuple(f"{label} ({self.kinds[k]})" for label, k in pairs)

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
    kind: Sequence[str] | None = None,
    kind_shares: Mapping[str, float] | None = None,
    where: str = "the arms",
    rows: Sequence[int] | None = None,
    **provenance: Any,
) -> Arms:
    """Validated arms.

    Means and values below 1e-12 become 0: no run could show the difference, and arithmetic near
    the limits of floats is avoided.

    Parameters
    ----------
    mean, value
        Event probability and value per event of each of N arms, in [0, 1].
    label
        Names, by default `arm 0`, ...; they differ within a kind.
    columns
        Further numbers by name, one per arm.
    kind
        The kind of request of each row, where requests come in kinds.
    kind_shares
        The share of each kind in all requests, summing to 1; by default equal.
    where, rows
        The user's file and its row numbers, which errors name.
    provenance
        Further fields of `Arms`.
    """
    # Copies: Arrow's arrays are read-only, for which Numba would compile every kernel once more.
    mean, value = np.array(mean, dtype=np.float64), np.array(value, dtype=np.float64)
    label = tuple(f"arm {i}" for i in range(len(mean))) if label is None else tuple(map(str, label))
    rows = range(len(mean)) if rows is None else rows
    further = {name: np.array(numbers, float) for name, numbers in (columns or {}).items()}
    if not len(mean) == len(value) == len(label) > 0:
        raise UserError(
            f"{where}: {len(mean)} means, {len(value)} values, {len(label)} labels; as many of "
            "each are needed, at least one"
        )
    for name, column, scale in (
        ("mean", mean, 1.0),
        ("value", value, provenance.get("scale", 1.0)),
    ):
        for i in np.flatnonzero(~((column >= 0) & (column <= 1)))[:1]:
            most = np.max(column) * scale
            fits = name == "value" and column[i] > 1 and most <= LARGEST
            hint = f"; the key `scale: {most:g}` allows it" if fits else ""
            raise UserError(
                f"{where}, row {rows[i]}: {name} is {column[i] * scale:g}; allowed: "
                f"[0, {scale:g}]{hint}"
            )
        column[column < SMALLEST] = 0.0
    for name, column in further.items():
        if name in RESERVED or column.shape != mean.shape or not np.isfinite(column).all():
            raise UserError(f"{where}: column {name} must hold one finite number per arm")
    for name, texts in (("label", label), (KIND, kind or ())):
        for i, text in enumerate(texts):
            if not text or UNWRITABLE.search(text):
                raise UserError(f"{where}, row {rows[i]}: {name} is {text[:100]!r}; text is needed")
    kinds, number, shares = _kinds(kind, kind_shares, len(mean), where)
    first: dict[tuple[str, int], int] = {}
    for i, each in enumerate(zip(label, number.tolist(), strict=True)):
        if first.setdefault(each, i) != i:
            raise UserError(
                f"{where}, row {rows[i]}: label {each[0]!r} is that of row {rows[first[each]]} "
                f"already; labels must differ{' within a kind' if kinds else ''}"
            )
    arms = Arms(label, mean, value, further, kinds=kinds, kind=number, kind_shares=shares)
    return replace(arms, **provenance)


def _kinds(
    kind: Sequence[str] | None, shares: Mapping[str, float] | None, size: int, where: str
) -> tuple[tuple[str, ...], np.ndarray, np.ndarray]:
    """Names of the kinds, the kind of each row, and the share of each kind."""
    if kind is None and shares is not None:
        raise UserError(f"{where}: kinds have shares ({', '.join(shares)}), but no row has a kind")
    if kind is None:
        return (), np.zeros(size, np.int64), np.ones(1)
    kinds = tuple(dict.fromkeys(kind))
    if len(kind) != size:
        raise UserError(f"{where}: {len(kind)} kinds for {size} arms; one for each is needed")
    shares = dict.fromkeys(kinds, 1 / len(kinds)) if shares is None else shares
    if set(shares) != set(kinds):
        raise UserError(
            f"{where}: the rows are of the kinds {', '.join(kinds)}, but `kinds` names "
            f"{', '.join(shares)}; give each kind of the rows a share, and no other"
        )
    share = np.array([float(shares[name]) for name in kinds])
    for k in np.flatnonzero(~(share > 0))[:1]:
        raise UserError(f"{where}: the share of kind {kinds[k]} is {share[k]:g}; allowed: above 0")
    if abs(math.fsum(share) - 1) > 1e-9:
        raise UserError(f"{where}: the shares of kinds sum to {share.sum():g}; they must sum to 1")
    places = {name: k for k, name in enumerate(kinds)}
    return kinds, np.array([places[name] for name in kind], np.int64), share


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
    known |= {"per": str(arms.per)} if arms.per > 1 else {}
    if arms.kinds:
        names = [arms.kinds[k] for k in arms.kind.tolist()]
        table = table.append_column(KIND, pa.array(names, pa.string()))
        known["kinds"] = json.dumps(dict(zip(arms.kinds, arms.kind_shares.tolist(), strict=True)))
    write_table(path, table, known)


def read(path: str | os.PathLike[str], dataset: str = "") -> Arms:
    """The arms in a file; refused if they are of another dataset than the one asked for."""
    table = read_table(path, WHAT)
    try:
        # Not to_numpy, which imports pandas: a simulation does not need it.
        numbers = {
            name: np.from_dlpack(table[name].combine_chunks())
            for name in ("mean", "value", *(n for n in table.column_names if n not in RESERVED))
        }
        label = table["label"].to_pylist()
        metadata = {k.decode(): v.decode() for k, v in (table.schema.metadata or {}).items()}
        scale, per = float(metadata.get("scale", 1)), int(metadata.get("per", 1))
        kind = table[KIND].to_pylist() if KIND in table.column_names else None
        shares = json.loads(metadata["kinds"]) if kind else None
    except (KeyError, ValueError, TypeError, BufferError, pa.ArrowException) as error:
        raise UserError(damaged(path, WHAT, error)) from None
    texts = {key: metadata.get(key, "") for key in TEXTS}
    if dataset and texts["dataset"] != dataset:
        raise UserError(
            f"{path}: the dataset is {texts['dataset']} instead of {dataset}; delete the file that "
            "is in the wrong place and run again"
        )
    mean, value = numbers.pop("mean"), numbers.pop("value")
    kinds: dict[str, Any] = {"kind": kind, "kind_shares": shares}
    known = {"where": str(path), "scale": scale, "per": per, **kinds, **texts}
    return make(mean, value, label, numbers, **known)
