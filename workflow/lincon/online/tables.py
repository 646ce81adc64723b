"""A CSV file of arms, as the workflow reads it, without pandas."""

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lincon.errors import UserError
from lincon.online.arms import Arm, Key
from lincon.online.checks import is_number


def read_arms(
    path: str | Path,
    *,
    where: Mapping[str, Any] | None = None,
    kind_column: str = "kind",
    sep: str = ",",
    decimal: str = ".",
    thousands: str = "",
) -> tuple[list[Arm], dict[Key, tuple[float, float]]]:
    """Arms and their history from a CSV file.

    Parameters
    ----------
    path
        A file with a header. `label` names the arms, otherwise they are 0, 1, 2. `successes` and
        `trials` are the history, `mean` is left to be learnt, every other cell is a column.
    where
        Keep the rows that have these texts in these columns.
    kind_column
        The column with the kinds of request, if there are any.
    sep, decimal, thousands
        The characters between cells and in numbers.

    Returns
    -------
    arms, history
        The history is (events, plays) by (kind, name); the kind is None without kinds.

    Examples
    --------
    >>> from lincon.online import read_arms
    >>> arms, history = read_arms("config/examples/links.csv")
    >>> arms[0].name, history[None, "link-01"][1] > 0
    ('link-01', True)
    """
    chosen = {column: str(text) for column, text in (where or {}).items()}
    arms: dict[Key, Arm] = {}
    history: dict[Key, tuple[float, float]] = {}
    with open(path, newline="", encoding="utf-8-sig") as file:
        rows = list(enumerate(csv.DictReader(file, delimiter=sep), 2))
    for line, row in rows:
        texts = {column.strip(): (text or "").strip() for column, text in row.items() if column}
        if not any(texts.values()) or not chosen.items() <= texts.items():
            continue
        key = kind, name = texts.pop(kind_column, None), texts.pop("label", len(arms))
        if "" in key or key in arms:
            raise UserError(f"{path}, row {line}: each arm needs its own label, not {name!r}")
        cells: dict[str, Any] = {
            column: _cell(text, decimal, thousands)
            for column, text in texts.items()
            if text and column not in chosen
        }
        trials, events = (cells.pop(column, 0.0) for column in ("trials", "successes"))
        cells.pop("mean", None)
        if trials:
            history[key] = events, trials
        arms[key] = Arm(name, cells, kind)
    if not arms:
        raise UserError(f"{path} has no row" + (f" with {chosen}" if chosen else ""))
    return list(arms.values()), history


def _cell(text: str, decimal: str, thousands: str) -> float | str:
    plain = text.replace(thousands, "") if thousands else text
    try:
        number = float(plain.replace(decimal, "."))
    except ValueError:
        return text
    return number if is_number(number) else text
