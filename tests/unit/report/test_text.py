"""Labels in files that others read are shown as they are, and nothing of them is run."""

import math
import re
from types import SimpleNamespace

import pytest

from lincon.report.text import (
    LATEX,
    banner,
    interval,
    latex_text,
    markdown_text,
    number,
    one_line,
    percent,
    supported,
)

HOSTILE = (
    r"\input{/etc/passwd}",
    r"\immediate\write18{touch pwned}",
    "$x^2$ & 100% #1 _a_ ~ {}",
    "a\nb\r\nc\td\x00e\x1b[31m",
    "<script>alert(1)</script>",
    "[x](javascript:alert(1)) ![y](http://x) `z` | a | b",
    "=cmd|' /C calc'!A0",
)


def test_numbers_have_four_digits_and_a_true_minus():
    values = (0.0, -0.0, 12.345, 12345.6, 999.96, -2.5, 0.00001234, math.inf, math.nan)
    texts = ["0", "0", "12.35", "12,346", "1,000", "\u22122.5", "1.23e\u221205", "infinite", ""]
    assert [number(value) for value in values] == texts
    # A share just below the whole is not called the whole.
    assert [percent(x) for x in (0.42, 0.9996, 1.0)] == ["42%", "99.96%", "100%"]


@pytest.mark.parametrize(
    ("value", "half", "text"),
    [
        (717.6, 39.2, "718 \u00b1 39"),
        (252.3, 6.71, "252 \u00b1 7"),
        (0.0585, 0.0031, "0.0585 \u00b1 0.0031"),
        (-2727.2, 84.9, "\u22122,730 \u00b1 80"),
        (3.0, 0.0, "3"),
        (624.81454, 9e-10, "624.8"),
        (3.14159, math.nan, "3.142"),
    ],
)
def test_an_interval_has_the_digits_that_it_supports(value, half, text):
    assert interval(value, value - half, value + half) == text
    assert supported(value, half) == text.split(" \u00b1 ")[0]


def test_per_cent_has_the_digits_that_the_runs_support():
    shares = ((0.42196, 0.0004), (0.42196, 0.004), (0.42196, 0.04), (-0.1346, 0.01))
    assert [percent(x, half) for x, half in shares] == ["42.2%", "42.2%", "42%", "\u221213.5%"]


def test_the_banner_names_each_stand_in_once():
    made = [SimpleNamespace(source=s, dataset=d) for s, d in (("standin", "b"), ("real", "c"))]
    assert banner(made * 2) == "Synthetic stand-in arms: b. `make real` plays the real data."
    assert banner(made[1:]) == ""


@pytest.mark.parametrize("text", HOSTILE)
def test_latex_has_no_command_but_our_own(text):
    made = latex_text(text)
    for known in sorted(set(LATEX.values()), key=len, reverse=True):
        made = made.replace(known, "")
    assert not set(made) & set("\\{}$&#%_^~<>|") and made.isprintable()


@pytest.mark.parametrize("text", HOSTILE)
def test_markdown_has_no_markup(text):
    made = markdown_text(text)
    assert "\n" not in made and made.isprintable()
    assert re.sub(r"\\(.)", r"\1", made) == one_line(text)
    assert not set(re.sub(r"\\.", "", made)) & set("`*_{}[]<>#|$~")
