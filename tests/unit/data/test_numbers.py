"""Numbers as people write them: the decimal sign is found from all cells together."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lincon.data.numbers import Unclear, decimal_sign, number

NUMBERS = st.lists(st.integers(0, 10**7).map(lambda n: n / 1000), min_size=1)


@given(NUMBERS)
def test_commas_and_points_are_read_in_both_worlds(numbers):
    points = [f"{number:.4f}" for number in numbers]
    assert decimal_sign(points) == "."
    assert decimal_sign(text.replace(".", ",") for text in points) == ","
    english = [f"{number:,.2f}" for number in numbers]
    german = [text.translate(str.maketrans(",.", ".,")) for text in english]
    expected = [float(f"{number:.2f}") for number in numbers]
    for texts in (english, german):
        decimal = decimal_sign(texts)
        assert [number(text, decimal) for text in texts] == expected


@pytest.mark.parametrize("text", ["", "x", "1,2,3", "12,34", "1..2", "--1", "1 2", "%", "1,000,00"])
def test_what_is_not_a_number(text):
    assert math.isnan(number(text))


@pytest.mark.parametrize(
    ("text", "read"),
    [
        *(("12%", 0.12), ("12,5 %", 0.125), ("1e-3", 0.001), ("+0,5", 0.5), ("-2", -2)),
        *(("1\u202f250", 1250), ("1_000", 1000), ("1.250.000", 1250000), (" 7 ", 7), (7, 7)),
    ],
)
def test_numbers_in_many_dresses(text, read):
    assert decimal_sign(["0,5", str(text)]) == ","
    assert number(text, ",") == read


def test_one_group_of_three_says_nothing_alone():
    with pytest.raises(Unclear, match=r"may be 1250 or 1\.250"):
        decimal_sign(["1,250"])
    assert decimal_sign([], ["1,250"]) == "."
    assert decimal_sign(["1,250", "0,5"]) == ","
    assert decimal_sign(["1,250", "0.5"]) == "."
