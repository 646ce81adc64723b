"""One table for every reader: Markdown, LaTeX, HTML that sorts, CSV that no spreadsheet executes.

Cells are values; how they look is decided here and nowhere else. Texts come from configs and from
users' files, so every format escapes what is special in it.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Number
from typing import Any, NamedTuple, Self

import numpy as np
import pandas as pd

from lincon.report.text import html_text, interval, latex_text, markdown_text, number

# A spreadsheet takes a cell that begins with one of these for a formula; the last are the wide
# forms of the first, which some read alike.
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")


class Interval(NamedTuple):
    """A number with its 95% interval: one cell, which sorts by the number."""

    value: float
    low: float
    high: float

    @classmethod
    def of(cls, row: pd.Series, name: str, factor: float = 1.0) -> Self:
        """Of the columns `name`, `name_low`, `name_high`; a factor below zero swaps the ends."""
        low, high = (factor * row[f"{name}{end}"] for end in ("_low", "_high"))
        return cls(factor * row[name], *((low, high) if factor > 0.0 else (high, low)))

    def __str__(self) -> str:
        return interval(*self)


class Shown(NamedTuple):
    """A number that is not to be shown by its digits alone: `12 of 50`, `42%`."""

    text: str
    value: float

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Table:
    """At most `limit` rows are shown; the CSV has all, and every column of `frame` if given.

    `strong` is a column in bold; `ids` are the policies of the rows, for the page to highlight.
    A cell is a text, a number, a bool, None, Interval or Shown.
    """

    headings: Sequence[str]
    rows: Sequence[Sequence[Any]]
    title: str = ""
    key: str = ""
    caption: str = ""
    strong: int | None = None
    frame: pd.DataFrame | None = None
    limit: int = 1000
    ids: Sequence[str] = ()

    @classmethod
    def of(
        cls,
        frame: pd.DataFrame,
        names: Mapping[str, str] | None = None,
        shown: Sequence[str] = (),
        **rest: Any,
    ) -> Self:
        """A frame: its columns `shown` (all, if none), under the headings of `names`."""
        columns = [name for name in shown if name in frame] or [str(name) for name in frame.columns]
        headings = [(names or {}).get(name, name.replace("_", " ")) for name in columns]
        rows = frame[columns].itertuples(index=False, name=None)
        return cls(headings, list(rows), frame=frame, **rest)

    @classmethod
    def of_pairs(cls, rows: Sequence[Sequence[tuple[str, Any]]], **rest: Any) -> Self:
        """Rows of headings with their cells; every row has the headings of the first."""
        headings = [heading for heading, _ in rows[0]]
        return cls(headings, [[cell for _, cell in row] for row in rows], **rest)

    @cached_property
    def numeric(self) -> list[bool]:
        """Which columns hold numbers: these go to the right."""
        columns = zip(*self.rows, strict=True) if self.rows else [()] * len(self.headings)
        known = [[each for x in column if (each := plain(x)) is not None] for column in columns]
        return [bool(each) and all(isinstance(x, float) for x in each) for each in known]

    @property
    def left_out(self) -> int:
        return max(0, len(self.rows) - self.limit)

    def markdown(self) -> str:
        marks = ["---:" if right else "---" for right in self.numeric]
        rows = [list(map(markdown_text, self.headings)), *self._rows(markdown_text, "**{}**")]
        head, *lines = (f"| {' | '.join(row)} |" for row in rows)
        return "\n".join([head, f"|{'|'.join(marks)}|", *lines, ""])

    def latex(self) -> str:
        """A booktabs tabular, to be put into a paper as it is."""
        sides = "".join("r" if right else "l" for right in self.numeric)
        lines = [rf"\begin{{tabular}}{{{sides}}}", r"\toprule"]
        lines += [" & ".join(map(latex_text, self.headings)) + r" \\", r"\midrule"]
        rows = self._rows(latex_text, r"\textbf{{{}}}")
        lines += [" & ".join(row) + r" \\" for row in rows]
        return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])

    def html(self) -> str:
        """The table alone: headings are buttons that sort, by the text or by what `data-v` says."""
        sides = [' class="num"' if right else "" for right in self.numeric]
        heads = "".join(
            f'<th scope="col"{side}><button type="button" data-sort="{place}">'
            f"{html_text(name)}</button></th>"
            for place, (name, side) in enumerate(zip(self.headings, sides, strict=True))
        )
        cells = [
            "".join(_html_cell(x, side) for x, side in zip(row, sides, strict=True))
            for row in self.rows[: self.limit]
        ]
        marks = [f' data-policy="{html_text(policy)}"' for policy in self.ids] or [""] * len(cells)
        rows = "\n".join(f"<tr{m}>{row}</tr>" for m, row in zip(marks, cells, strict=False))
        return f"<table>\n<thead><tr>{heads}</tr></thead>\n<tbody>\n{rows}\n</tbody>\n</table>"

    def csv(self) -> str:
        frame = self.frame
        if frame is None:
            frame = pd.DataFrame(list(self.rows), columns=list(self.headings), dtype=object)
        cells = frame.astype(object).map(_csv_cell).set_axis(map(_csv_cell, frame.columns), axis=1)
        return cells.to_csv(index=False, lineterminator="\r\n")

    def _rows(self, escaped: Callable[[str], str], bold: str) -> Iterator[list[str]]:
        for row in self.rows:
            cells = [escaped(cell(value)) for value in row]
            if self.strong is not None and cells[self.strong]:
                cells[self.strong] = bold.format(cells[self.strong])
            yield cells


def plain(value: Any) -> float | str | None:
    """A value without how it looks: a number, a text, or nothing for what is missing."""
    value = float(value.value) if isinstance(value, Interval | Shown) else value
    if value is None or value is pd.NA or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    return float(value) if isinstance(value, Number) else str(value)  # type: ignore[arg-type]


def cell(value: Any) -> str:
    """A value as a person reads it; nothing for what is missing."""
    if isinstance(value, Interval | Shown):
        return str(value)
    found = plain(value)
    return number(found) if isinstance(found, float) else found or ""


def sort_key(value: Any) -> str:
    """What a browser sorts by: plain numbers for numbers, nothing for what is missing."""
    found = plain(value)
    return f"{found:.7g}" if isinstance(found, float) else found or ""


def document(title: str, warning: str, *parts: str) -> str:
    """A Markdown file: its heading, the warning about its arms, what it says."""
    said = [f"# {title}", f"**{warning}**" if warning else "", *parts]
    return "\n\n".join(part.rstrip() for part in said if part) + "\n"


def latex_file(tables: Sequence[Table], warning: str = "") -> str:
    """Tables one after the other, each under a comment that says what it is, and of what arms."""
    note = f"% {warning}\n" if warning else ""
    return "\n".join(f"% {table.title}\n{note}{table.latex()}" for table in tables)


def _html_cell(value: Any, side: str) -> str:
    text, key = cell(value), sort_key(value)
    by = "" if key == text else f' data-v="{html_text(key)}"'
    return f"<td{side}{by}>{html_text(text)}</td>"


def _csv_cell(value: Any) -> str:
    """A number in full; a text that a spreadsheet would execute gets an apostrophe before it."""
    found = plain(value)
    if isinstance(found, float):
        return f"{found:.10g}"
    return f"'{found}" if found and found.startswith(FORMULA) else found or ""
