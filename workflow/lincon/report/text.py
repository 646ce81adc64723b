"""Numbers, names and warnings as text: the same in tables, figures, sentences and on the page."""

import math
from collections.abc import Iterable, Sequence
from typing import Any

_GREEK = "alpha beta gamma delta epsilon eta theta kappa lambda mu nu xi pi rho sigma tau phi omega"
SIGNS = dict(zip("αβγδεηθκλμνξπρστφω", (rf"\{name}" for name in _GREEK.split()), strict=True))
SIGNS |= {"≤": r"\le", "≥": r"\ge", "√": r"\surd", "²": "^2", "ᵢ": "_i", "\u2212": "-"}
SIGNS |= {"\u00d7": r"\times", "\u00b1": r"\pm", "·": r"\cdot", "◂": r"\triangleleft"}
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
    """Four significant digits, whole from 1,000 on, a true minus sign; nothing for NaN."""
    if not math.isfinite(x):
        return "" if math.isnan(x) else "infinite" if x > 0 else "\u2212infinite"
    if x == int(x) or abs(x) >= 999.95:
        return rounded(x, 0)
    return (f"{x:.4g}" if abs(x) >= 1e-4 else f"{x:.2e}").replace("-", "\u2212")


def interval(value: float, low: float, high: float) -> str:
    """A number and half its 95% interval, with the digits that this supports: 718 \u00b1 39."""
    half = (high - low) / 2.0
    # Runs that differ in their rounding alone have no interval.
    if not (math.isfinite(value) and math.isfinite(half)) or half <= 1e-6 * abs(value):
        return number(value)
    return f"{rounded(value, decimals(half))} \u00b1 {rounded(half, decimals(half))}"


def supported(value: float, half: float) -> str:
    """The number alone, with the digits that half its interval supports."""
    return interval(value, value - half, value + half).split(" \u00b1 ")[0]


def decimals(half: float) -> int:
    """How many decimals the half width of an interval supports; below zero they are zeros.

    One digit of the half width is shown, or two where it begins with 1, 2 or 3.
    """
    first = math.floor(math.log10(half))
    return (1 if half < 4.0 * 10.0**first else 0) - first


def rounded(x: float, places: int) -> str:
    """A number with so many decimals, a true minus sign, and no sign before a zero."""
    text = f"{round(x, places):,.{max(0, places)}f}"
    return (text if text.strip("-0.,") else text.lstrip("-")).replace("-", "\u2212")


def share(count: int, runs: int) -> str:
    """`11/16`."""
    return f"{count}/{runs}"


def percent(x: float, half: float = math.nan) -> str:
    """Three digits, fewer where half the interval supports no more; 99.96% does not read 100%."""
    if math.isnan(x):
        return ""
    if not 0.0 < half < math.inf:
        digits = 4 if 0.9995 <= abs(x) < 1.0 else 3
        return f"{100.0 * x:.{digits}g}%".replace("-", "\u2212")
    most = 2 - math.floor(math.log10(max(abs(100.0 * x), 0.1)))
    return f"{rounded(100.0 * x, max(0, min(decimals(100.0 * half), most)))}%"


def p_value(p: float) -> str:
    return "" if math.isnan(p) else "< 0.001" if p < 1e-3 else f"{p:.2g}"


def counted(count: int, what: str) -> str:
    """`1 run`, `12 runs`, `2 policies`."""
    plural = f"{what[:-1]}ies" if what.endswith("y") else f"{what}s"
    return f"{count:,} {what if count == 1 else plural}"


def listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def banner(things: Iterable[Any]) -> str:
    """The one warning about arms that are not the real ones; `things` have a source and dataset."""
    names = sorted({thing.dataset for thing in things if thing.source == "standin"})
    listing = ", ".join(names)
    return f"Synthetic stand-in arms: {listing}. `make real` plays the real data." if names else ""


def one_line(text: str) -> str:
    """A label without line breaks and control characters."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def latex_text(text: str) -> str:
    """A label that LaTeX sets as it is and runs nothing of."""
    return "".join(LATEX.get(character, character) for character in one_line(text))


def markdown_text(text: str) -> str:
    """A label that no Markdown or HTML reader takes for markup."""
    return "".join("\\" + c if c in MARKDOWN else c for c in one_line(text))
