"""A table of texts, and how each reader gets it: Markdown, LaTeX, a terminal's lines.

HTML is in page/page.html. Texts come from configs and from users' files, so every format escapes
what is special in it.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import pandas as pd

from lincon.report.text import interval, latex_text, markdown_text, number, supported


class Number(str):
    """A number as a person reads it; a table sorts by `value`."""

    value: float

    def __new__(cls, value: float, text: str | None = None) -> Self:
        made = super().__new__(cls, number(float(value)) if text is None else text)
        made.value = float(value)
        return made


def interval_of(row: Mapping[str, Any] | pd.Series, name: str, factor: float = 1.0) -> Number:
    """The columns `name`, `name_low` and `name_high` as one cell: 718 \u00b1 39."""
    value, low, high = (factor * row[f"{name}{end}"] for end in ("", "_low", "_high"))
    return Number(value, interval(value, min(low, high), max(low, high)))


def half_of(row: Mapping[str, Any] | pd.Series, name: str) -> float:
    """Half the 95% interval of a column."""
    return float(row[f"{name}_high"] - row[f"{name}_low"]) / 2.0


def digits_of(row: Mapping[str, Any] | pd.Series, name: str, factor: float = 1.0) -> str:
    """A column's value alone, with the digits that its interval supports."""
    return supported(factor * row[name], factor * half_of(row, name))


@dataclass(frozen=True)
class Table:
    """Rows of texts and Numbers under `headings`.

    `policies` are those of the rows, for the page to highlight.
    """

    title: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""
    policies: Sequence[str] = ()

    @property
    def numeric(self) -> list[bool]:
        """Which columns hold numbers: these go to the right."""
        columns = zip(*self.rows, strict=True) if self.rows else [()] * len(self.headings)
        return [bool(column) and all(isinstance(x, Number) for x in column) for column in columns]

    def markdown(self) -> str:
        marks = ["---:" if right else "---" for right in self.numeric]
        head, *lines = (
            f"| {' | '.join(map(markdown_text, row))} |" for row in (self.headings, *self.rows)
        )
        return "\n".join([head, f"|{'|'.join(marks)}|", *lines, ""])

    def latex(self) -> str:
        """A booktabs tabular, to be put into a paper as it is."""
        frame = pd.DataFrame(list(self.rows), columns=list(self.headings), dtype=object)
        sides = "".join("r" if right else "l" for right in self.numeric)
        escaped = frame.map(latex_text).rename(columns=latex_text)
        return escaped.to_latex(index=False, column_format=f"@{{}}{sides}@{{}}")

    def lines(self, longest: int) -> list[str]:
        """For a terminal, the first column to the left and at most so long."""
        rows = [[row[0][:longest], *row[1:]] for row in (self.headings, *self.rows)]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        first = f"{{:<{widths[0]}}}"
        form = "  ".join([first, *(f"{{:>{wide}}}" for wide in widths[1:])])
        return [form.format(*row).rstrip() for row in rows]


def sort_key(cell: str) -> str:
    """What a browser sorts by: plain numbers for numbers, nothing for what is missing."""
    if not isinstance(cell, Number):
        return cell
    return "" if math.isnan(cell.value) else f"{cell.value:.7g}"
