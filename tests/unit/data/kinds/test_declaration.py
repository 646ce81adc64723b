"""What the declarations of the kinds must hold, whichever kinds there are."""

from __future__ import annotations

import math

import pytest
from jsonschema import Draft202012Validator

from lincon.data import kinds
from lincon.data.kinds import KINDS
from lincon.data.kinds.declaration import check_number
from lincon.errors import UserError

EACH = pytest.mark.parametrize("kind", KINDS.values(), ids=list(KINDS))
WIRELESS = KINDS["wireless"]


@EACH
def test_the_rows_are_a_schema_and_each_is_described(kind):
    schema = kinds.kind_schema(kind)
    Draft202012Validator.check_schema(schema)
    assert all(row["description"] for row in schema["properties"].values())
    assert set(kind.required) <= set(kind.keys)
    assert kind.description and kind.mean and kind.value


@EACH
def test_no_key_of_a_kind_is_one_that_all_have_or_that_an_experiment_has(kind):
    assert not set(kind.keys) & set(kinds.COMMON)
    assert not set(kind.swept) & {"label", "dataset", "eta", "horizon", "policies", "parameters"}


@EACH
def test_every_number_of_a_kind_has_bounds_on_both_sides(kind):
    for name, row in kind.swept.items():
        assert {"minimum", "exclusiveMinimum"} & set(row), name
        assert {"maximum", "exclusiveMaximum"} & set(row), name


def test_any_number_can_be_swept_but_a_fact_about_a_file():
    assert set(WIRELESS.swept) == {"snr", "rates.low", "rates.high", "rates.count"}
    assert "arms" not in KINDS["user"].swept
    assert {"snr", "rates.high"} <= set(kinds.swept_properties())


def test_a_swept_value_replaces_the_entry_and_leaves_it_as_it_was():
    entry = {"kind": "wireless", "rates": {"high": 5}}
    made = WIRELESS.replaced(entry, {"rates.low": 1, "snr": 3})
    assert made == {"kind": "wireless", "snr": 3, "rates": {"low": 1, "high": 5, "count": 24}}
    assert entry == {"kind": "wireless", "rates": {"high": 5}}
    assert WIRELESS.keys["rates"]["default"] == {}


def test_the_number_of_arms_is_known_without_a_file_where_it_can_be():
    assert kinds.arms_of({"kind": "wireless", "rates": {"count": 7}}) == 7
    assert kinds.arms_of({"kind": "wireless"}) == 24
    assert kinds.arms_of({"kind": "user", "path": "a.csv"}) is None
    assert kinds.arms_of({"kind": "user", "path": "a.csv", "arms": 5}) == 5


@pytest.mark.parametrize("value", [1, 1.0, 2, 2.5])
def test_numbers_within_their_row_pass(value):
    row = {"type": "number", "minimum": 1, "maximum": 2.5, "description": "x"}
    check_number("here", value, row)


@pytest.mark.parametrize("value", [0.5, 3, math.nan, -math.inf, True, "1", None, [1]])
def test_others_are_one_sentence(value):
    row = {"type": "integer", "minimum": 1, "exclusiveMaximum": 3, "description": "how many"}
    with pytest.raises(UserError, match=r"^here is .*: how many \(a whole number, at least 1, bel"):
        check_number("here", value, row)


def test_a_missing_key_is_named():
    with pytest.raises(UserError, match=r"here\.path is missing; kind user needs it"):
        KINDS["user"].check_entry({"kind": "user"}, "here")


def test_a_key_that_two_kinds_have_is_described_for_each():
    row = kinds.schema_properties()["arms"]
    assert (
        "user: how many arms the file is known to give; kind generated: how" in row["description"]
    )
    assert len(row["anyOf"]) == 2
    assert kinds.schema_properties()["snr"]["description"] == "kind wireless: mean SNR in dB"
