"""A frame as a table: HTML that sorts, CSV that no spreadsheet executes, LaTeX with booktabs.

Texts come from configs and from users' files, so every format escapes what is special in it.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from numbers import Number
from typing import Any

import pandas as pd

from lincon.analysis.text import latex_text

# A spreadsheet takes a cell that begins with one of these for a formula; the last are the wide
# forms of the first, which some read alike.
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")


@dataclass(frozen=True)
class Table:
    """What a template shows: the columns `shown` of `frame` (all, if none), at most `rows`.

    Headings are those of `names`. The files have every column and every row.
    """

    key: str
    title: str
    frame: pd.DataFrame
    names: Mapping[str, str] = field(default_factory=dict)
    caption: str = ""
    rows: int = 1000
    folded: bool = False
    shown: Sequence[str] = ()

    @cached_property
    def view(self) -> pd.DataFrame:
        columns = [name for name in self.shown if name in self.frame] or list(self.frame.columns)
        return self.frame[columns].head(self.rows)

    @cached_property
    def headings(self) -> list[str]:
        return [self._heading(name) for name in self.view.columns]

    @cached_property
    def numeric(self) -> list[bool]:
        return [_is_numeric(self.view[name]) for name in self.view.columns]

    def _heading(self, name: object) -> str:
        return self.names.get(str(name), _words(str(name)))

    @property
    def cells(self) -> list[list[tuple[str, str]]]:
        """For each row its cells: the text to show and the value to sort by."""
        return [[(cell(x), sort_key(x)) for x in row] for row in self.view.itertuples(index=False)]

    @property
    def left_out(self) -> int:
        return max(0, len(self.frame) - self.rows)

    def csv(self) -> str:
        return to_csv(self.frame)

    def latex(self) -> str:
        return to_latex(self.frame, [self._heading(name) for name in self.frame], self.title)


def cell(value: Any) -> str:
    """A value as a person reads it: four digits, thousands apart, "" for nothing."""
    if _is_missing(value):
        return ""
    if isinstance(value, bool) or type(value).__name__ == "bool":
        return "yes" if value else "no"
    if isinstance(value, Number):
        return number(float(value))  # type: ignore[arg-type]
    return str(value)


def number(x: float) -> str:
    """Four significant digits and a true minus sign; whole numbers in full."""
    if not math.isfinite(x):
        return "" if math.isnan(x) else "infinite"
    if (x == int(x) and abs(x) < 1e12) or abs(x) >= 9999.5:
        text = f"{x:,.0f}"
    elif abs(x) >= 1e-4:
        text = f"{x:,.4g}"
    else:
        text = f"{x:.2e}"
    return text.replace("-", "\u2212") if text != "-0" else "0"


def sort_key(value: Any) -> str:
    """What a browser sorts by: plain numbers for numbers, nothing for what is missing."""
    if _is_missing(value):
        return ""
    return repr(float(value)) if isinstance(value, Number) else str(value)  # type: ignore[arg-type]


def to_csv(frame: pd.DataFrame) -> str:
    """Numbers in full; a text that a spreadsheet would execute gets an apostrophe before it."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow([harmless(str(name)) for name in frame.columns])
    for row in frame.itertuples(index=False):
        writer.writerow([_csv_cell(value) for value in row])
    return out.getvalue()


def harmless(text: str) -> str:
    return f"'{text}" if text.startswith(FORMULA) else text


def _csv_cell(value: Any) -> str:
    if _is_missing(value):
        return ""
    if isinstance(value, Number) and not isinstance(value, bool):
        return f"{value:.10g}"
    return harmless(cell(value) if isinstance(value, bool) else str(value))


def to_latex(frame: pd.DataFrame, headings: Sequence[str], caption: str) -> str:
    """A tabular with booktabs' rules; numbers to the right."""
    sides = "".join("r" if _is_numeric(frame[name]) else "l" for name in frame.columns)
    lines = [
        "% needs \\usepackage{booktabs}",
        "\\begin{table}",
        f"\\caption{{{latex_text(caption)}}}",
        f"\\begin{{tabular}}{{{sides}}}",
        "\\toprule",
        " & ".join(latex_text(name) for name in headings) + " \\\\",
        "\\midrule",
        *(
            " & ".join(latex_text(cell(value)) for value in row) + " \\\\"
            for row in frame.itertuples(index=False)
        ),
        "\\bottomrule",
        "\\end{tabular}",
        "\\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _is_missing(value: Any) -> bool:
    return value is None or value is pd.NA or (isinstance(value, float) and math.isnan(value))


def _is_numeric(column: pd.Series) -> bool:
    return pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column)


def _words(name: str) -> str:
    return name.replace("_", " ")
