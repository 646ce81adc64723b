"""Numbers and labels as text: the same in tables, figures and sentences."""

from __future__ import annotations

import math

LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{character: "\\" + character for character in "&%$#_{}"},
    "<": r"\textless{}",
    ">": r"\textgreater{}",
}
MARKDOWN = "\\`*_{}[]<>#|$~"


def number(x: float) -> str:
    """Three figures, whole above a thousand, with separators: 0.0123, 12.3, 12,346."""
    if math.isnan(x):
        return "undefined"
    if math.isinf(x):
        return "infinite" if x > 0 else "minus infinite"
    return f"{x:,.0f}" if abs(x) >= 999.5 else f"{x:.3g}"


def percent(x: float) -> str:
    return "" if math.isnan(x) else f"{x:.0%}"


def one_line(text: str) -> str:
    """A label without line breaks and control characters."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def latex_text(text: str) -> str:
    return "".join(LATEX.get(character, character) for character in one_line(text))


def markdown_text(text: str) -> str:
    """A label that no Markdown or HTML reader takes for markup."""
    return "".join("\\" + c if c in MARKDOWN else c for c in one_line(text))
