"""Numbers and labels as text: the same in tables, figures and sentences."""

from __future__ import annotations

import math

_GREEK = "alpha beta gamma delta epsilon eta theta kappa lambda mu nu xi pi rho sigma tau phi omega"
SIGNS = dict(zip("αβγδεηθκλμνξπρστφω", (rf"\{name}" for name in _GREEK.split()), strict=True))
SIGNS |= {"≤": r"\le", "≥": r"\ge", "√": r"\surd", "²": "^2", "ᵢ": "_i", "\u2212": "-"}
SIGNS |= {"\u00d7": r"\times", "·": r"\cdot", "◂": r"\triangleleft"}
LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{character: "\\" + character for character in "&%$#_{}"},
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "\u2013": "--",
    "\u2026": r"\ldots{}",
    # Signs for which pdfTeX has no letter.
    **{sign: rf"\ensuremath{{{name}}}" for sign, name in SIGNS.items()},
}
MARKDOWN = "\\`*_{}[]<>#|$~"


def number(x: float) -> str:
    """Three figures, whole above a thousand, with separators: 0.0123, 12.3, 12,346."""
    if math.isnan(x):
        return "undefined"
    if math.isinf(x):
        return "infinite" if x > 0 else "minus infinite"
    return f"{x:,.0f}" if abs(x) >= 999.5 else f"{x:.3g}"


def with_interval(value: float, low: float, high: float) -> str:
    ends = "" if math.isnan(low) else f" ({number(low)} to {number(high)})"
    return number(value) + ends


def percent(x: float) -> str:
    return "" if math.isnan(x) else f"{x:.0%}"


def one_line(text: str) -> str:
    """A label without line breaks and control characters."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def latex_text(text: str) -> str:
    """A label that LaTeX sets as it is and runs nothing of."""
    return "".join(LATEX.get(character, character) for character in one_line(text))


def markdown_text(text: str) -> str:
    """A label that no Markdown or HTML reader takes for markup."""
    return "".join("\\" + c if c in MARKDOWN else c for c in one_line(text))
