"""Numbers as people write them: `0.5`, `0,5`, `12%`, `1,250`, `1.250,5`, `1 250`, `6,83 €`.

A comma or a point alone does not say whether it is the decimal sign, so all cells of a table are
looked at together: one that can be read in one way only decides for the others.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

# One group of three digits behind a number that does not begin with 0: 1,250 may be 1250 or 1.25.
AMBIGUOUS = re.compile(r"[1-9]\d{0,2}[.,]\d{3}")
# Blanks, apostrophes and underscores between groups of three digits.
GROUPING = re.compile(r"(?<=\d)[ \u00a0\u2009\u202f'\u2019_](?=\d{3}(?:\D|$))")
PERCENT = re.compile(r"\s*%$")
SIGN = r"[$\u00a2-\u00a5\u20a0-\u20c0]|[A-Z]{3}"
CURRENCY = re.compile(rf"^(?P<minus>[+-]?)\s*(?:{SIGN})\s*|\s*(?:{SIGN})$")


class Unclear(Exception):
    """The cells do not say which sign is the decimal one; the message says why."""


@dataclass(frozen=True)
class Style:
    """The decimal sign; the other of comma and point separates thousands."""

    decimal: str = "."

    @property
    def thousands(self) -> str:
        return "," if self.decimal == "." else "."

    def parse(self, cell: str) -> float:
        """The number in a cell; `ValueError` if there is none."""
        text = plain(cell)
        number = PERCENT.sub("", text)
        whole, sign, fraction = number.partition(self.decimal)
        if self.thousands in number:
            if not re.fullmatch(rf"[+-]?\d{{1,3}}(?:{re.escape(self.thousands)}\d{{3}})+", whole):
                raise ValueError(cell)
            whole = whole.replace(self.thousands, "")
        result = float(whole + sign.replace(",", ".") + fraction)
        return result / 100 if number != text else result


def plain(cell: str) -> str:
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


def find_style(cells: Iterable[str], whole: bool = False) -> Style:
    """The style in which all the cells can be read; `whole`: they are counts."""
    signs: dict[str, str] = {}  # decimal sign: the cell that shows it
    unsure = None
    for cell in cells:
        text = PERCENT.sub("", plain(cell)).lstrip("+-")
        decimal = _decimal(text)
        if decimal is not None:
            signs.setdefault(decimal, cell)
        elif unsure is None and "," in text:
            unsure = cell
    if len(signs) > 1:
        raise Unclear(f"{signs['.']!r} has a decimal point and {signs[',']!r} a decimal comma")
    if signs:
        return Style(*signs)
    if unsure is not None and not whole:
        raise Unclear(f"{unsure!r} may be {unsure.replace(',', '')} or {unsure.replace(',', '.')}")
    return Style()


def _decimal(text: str) -> str | None:
    """The decimal sign that a cell shows; None where it shows none."""
    commas, points = text.count(","), text.count(".")
    if commas and points:
        return "," if text.rindex(",") > text.rindex(".") else "."
    if commas > 1 or points > 1:
        groups = re.fullmatch(r"\d{1,3}(?:[.,]\d{3})+", text)
        return None if not groups else "." if commas else ","
    if not (commas or points) or AMBIGUOUS.fullmatch(text):
        return None
    return "," if commas else "."
