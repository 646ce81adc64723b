"""Numbers as people write them: `0.5`, `0,5`, `12%`, `1,250`, `1.250,5`, `1 250`, `6,83 €`.

A comma or a point alone does not say whether it is the decimal sign, so all cells of a table are
looked at together: one that can be read in one way only decides for the others.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import Any

# One group of three digits behind a number that does not begin with 0: 1,250 may be 1250 or 1.25.
AMBIGUOUS = re.compile(r"[1-9]\d{0,2}[.,]\d{3}")
# Blanks, apostrophes and underscores between groups of three digits.
GROUPING = re.compile(r"(?<=\d)[ \u00a0\u2009\u202f'\u2019_](?=\d{3}(?:\D|$))")
SIGN = r"[$\u00a2-\u00a5\u20a0-\u20c0]|[A-Z]{3}"
CURRENCY = re.compile(rf"^(?P<minus>[+-]?)\s*(?:{SIGN})\s*|\s*(?:{SIGN})$")


class Unclear(Exception):
    """The cells do not say which sign is the decimal one; the message says why."""


def number(cell: Any, decimal: str = ".") -> float:
    """The number in a cell, commas or points being its decimal sign; NaN where there is none."""
    try:
        return _parsed(_plain(cell), decimal) if isinstance(cell, str) else float(cell)
    except (TypeError, ValueError):
        return math.nan


def _parsed(text: str, decimal: str) -> float:
    thousands = "," if decimal == "." else "."
    digits = text.removesuffix("%").rstrip()
    whole, sign, fraction = digits.partition(decimal)
    if thousands in digits:
        if not re.fullmatch(rf"[+-]?\d{{1,3}}(?:{re.escape(thousands)}\d{{3}})+", whole):
            raise ValueError(text)
        whole = whole.replace(thousands, "")
    return float(whole + sign.replace(",", ".") + fraction) / (100 if "%" in text else 1)


def _plain(cell: str) -> str:
    """The cell without a currency and without blanks between groups of digits."""
    text = cell.strip()
    if currency(text):
        text = CURRENCY.sub(lambda found: found["minus"] or "", text, count=1)
    return GROUPING.sub("", text)


def currency(cell: str) -> str:
    """The currency that a cell names, as `€` or `EUR`; empty if none."""
    found = CURRENCY.search(cell.strip())
    # INF is not a currency, nor is a word.
    return found[0].strip(" \u00a0\u202f+-") if found and re.search(r"\d", cell) else ""


def decimal_sign(fractions: Iterable[str], counts: Iterable[str] = ()) -> str:
    """The decimal sign by which all the cells can be read; counts have groups of digits only."""
    fractions = list(fractions)
    shown = {_sign_of(cell): cell for cell in (*counts, *fractions)}
    unsure = next((cell for cell in fractions if "," in cell and _sign_of(cell) is None), None)
    if {".", ","} <= set(shown):
        raise Unclear(f"{shown['.']!r} has a decimal point and {shown[',']!r} a decimal comma")
    if unsure is not None and set(shown) == {None}:
        raise Unclear(f"{unsure!r} may be {unsure.replace(',', '')} or {unsure.replace(',', '.')}")
    return "," if "," in shown else "."


def _sign_of(cell: str) -> str | None:
    """The decimal sign that a cell shows; None where it shows none."""
    text = _plain(cell).removesuffix("%").rstrip().lstrip("+-")
    commas, points = text.count(","), text.count(".")
    if commas and points:
        return "," if text.rindex(",") > text.rindex(".") else "."
    if commas > 1 or points > 1:
        groups = re.fullmatch(r"\d{1,3}(?:[.,]\d{3})+", text)
        return None if not groups else "." if commas else ","
    if not (commas or points) or AMBIGUOUS.fullmatch(text):
        return None
    return "," if commas else "."
