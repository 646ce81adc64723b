"""Numbers as people write them: the style is found from all cells, and each is read by it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lincon.data.numbers import Style, Unclear, find_style

NUMBER = st.integers(0, 10**7).map(lambda n: n / 1000)


@given(st.lists(NUMBER, min_size=1))
def test_decimal_commas_are_read_as_points_are(numbers):
    points = [f"{number:.4f}" for number in numbers]
    commas = [text.replace(".", ",") for text in points]
    assert find_style(points) == Style(".")
    assert find_style(commas) == Style(",")
    assert [Style(",").parse(text) for text in commas] == [float(text) for text in points]


@given(st.lists(NUMBER, min_size=1))
def test_thousands_are_read_in_both_worlds(numbers):
    english = [f"{number:,.2f}" for number in numbers]
    german = [text.translate(str.maketrans(",.", ".,")) for text in english]
    expected = [float(f"{number:.2f}") for number in numbers]
    assert [find_style(english).parse(text) for text in english] == expected
    assert [find_style(german).parse(text) for text in german] == expected


@pytest.mark.parametrize("text", ["", "x", "1,2,3", "12,34", "1..2", "--1", "1 2", "%", "1,000,00"])
def test_what_is_not_a_number(text):
    with pytest.raises(ValueError):
        Style(".").parse(text)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        *(("12%", 0.12), ("12,5 %", 0.125), ("1e-3", 0.001), ("+0,5", 0.5), ("-2", -2)),
        *(("1\u202f250", 1250), ("1_000", 1000), ("1.250.000", 1250000), (" 7 ", 7)),
    ],
)
def test_numbers_in_many_dresses(text, number):
    assert find_style(["0,5", text]).parse(text) == number


def test_one_group_of_three_says_nothing_alone():
    with pytest.raises(Unclear, match=r"may be 1250 or 1\.250"):
        find_style(["1,250"])
    assert find_style(["1,250"], whole=True) == Style(".")
    assert find_style(["1,250", "0,5"]) == Style(",")
    assert find_style(["1,250", "0.5"]) == Style(".")
