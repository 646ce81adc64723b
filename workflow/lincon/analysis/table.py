"""A table of plain text, as Markdown and as LaTeX: what is printed is written down once."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from lincon.analysis.text import latex_text, markdown_text, one_line
from lincon.problem.record import Problem


@dataclass(frozen=True)
class Table:
    """`aligned` has a letter a column, l for words and r for numbers; `strong` is a column in bold.

    Cells are text as people read it: escapes are made here, and nowhere else.
    """

    headings: Sequence[str]
    aligned: str
    rows: Sequence[Sequence[str]]
    strong: int | None = None

    def __post_init__(self) -> None:
        wrong = [row for row in (self.headings, *self.rows) if len(row) != len(self.aligned)]
        assert not wrong, f"{len(self.aligned)} columns, but {wrong[0]}"

    def markdown(self) -> list[str]:
        """The lines of the table."""
        marks = ["---:" if letter == "r" else "---" for letter in self.aligned]
        cells = [self._cells(row, markdown_text, "**{}**") for row in self.rows]
        lines = [f"| {' | '.join(self.headings)} |", f"|{'|'.join(marks)}|"]
        return lines + [f"| {' | '.join(row)} |" for row in cells]

    def latex(self) -> str:
        """A booktabs table, to be put into a paper as it is."""
        lines = [rf"\begin{{tabular}}{{{self.aligned}}}", r"\toprule"]
        lines += [" & ".join(map(latex_text, self.headings)) + r" \\", r"\midrule"]
        lines += [
            " & ".join(self._cells(row, _latex, r"\textbf{{{}}}")) + r" \\" for row in self.rows
        ]
        return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])

    def _cells(self, row: Sequence[str], escaped: Callable[[str], str], bold: str) -> list[str]:
        cells = [escaped(cell) for cell in row]
        if self.strong is not None and cells[self.strong]:
            cells[self.strong] = bold.format(cells[self.strong])
        return cells


def _latex(cell: str) -> str:
    """What is before a number is a minus, not a hyphen."""
    return re.sub(r"(?<![\w-])-(?=\d)", "$-$", latex_text(cell))


def latex_file(tables: Mapping[str, Table], problem: Problem | None = None) -> str:
    """Tables one after the other, each under a comment that says what it is, and of what arms."""
    note = ""
    if problem is not None and problem.source == "standin":
        note = f"% {one_line(problem.note)}\n"
    return "\n".join(f"% {title}\n{note}{table.latex()}" for title, table in tables.items())
