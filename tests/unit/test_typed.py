"""Typed records: numbers as people write them, and a mistake as one sentence with its key."""

from __future__ import annotations

from typing import Annotated, Literal

import pytest
from pydantic import Field, model_validator

from lincon.errors import UserError
from lincon.typed import Distinct, Name, PathText, Real, Record, Text, Whole, parsed, schema


class Table(Record):
    kind: Literal["table"] = Field(description="where arms come from")
    path: PathText = Field(description="a table of your own")


class Radio(Record):
    kind: Literal["radio"] = Field(description="where arms come from")
    low: Real = Field(1, ge=0, le=100, description="lowest rate")
    high: Real = Field(2, ge=0, le=100, description="highest rate")

    @model_validator(mode="after")
    def ordered(self):
        if self.low >= self.high:
            raise ValueError(f".low is {self.low:g}; it must be below high")
        return self


class Study(Record):
    runs: Whole = Field(1, ge=1, le=100, description="how many runs")
    block: Annotated[Whole, Field(ge=1)] | Literal["auto"] = Field(1, description="runs, or auto")
    rates: Distinct[Annotated[Real, Field(gt=0)]] = Field([], description="rates to try")
    label: Text = Field(None, description="its title")
    data: Literal["auto", "real"] = Field("auto", description="which data")
    datasets: dict[Name, Annotated[Table | Radio, Field(discriminator="kind")]] = Field(
        {}, description="datasets by name"
    )


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ({"runs": "4"}, {"runs": 4}),
        ({"runs": 4.0}, {"runs": 4}),
        ({"runs": "1e1"}, {"runs": 10}),
        ({"block": "8"}, {"block": 8}),
        ({"block": "auto"}, {"block": "auto"}),
        ({"rates": ["1e-3", 2, 3.0]}, {"rates": [0.001, 2, 3.0]}),
        ({"datasets": {"r": {"kind": "radio", "low": -0.0}}}, None),
    ],
)
def test_numbers_are_taken_as_people_write_them(given, meant):
    found = parsed(Study, given).model_dump(exclude_unset=True)
    assert repr(found) == repr(meant or {"datasets": {"r": {"kind": "radio", "low": 0.0}}})


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"runs": "1_0"}, "runs is '1_0'; allowed: how many runs (a whole number, at least 1, at"),
        ({"runs": 10**400}, "characters); allowed: how many runs"),
        ({"block": 0}, "block is 0; allowed: runs, or auto (a whole number, at least 1)"),
        ({"rates": [1, 0]}, "rates.1 is 0; allowed: rates to try (a number, above 0)"),
        ({"rates": [1, 1.0]}, "rates is [1, 1.0]; no item may be listed twice"),
        ({"datasets": {"x": 5}}, "datasets.x is 5; allowed: a mapping"),
        ({"datasets": {"x": {"kind": "table", "pat": "a"}}}, "x.pat is not a key of kind table ("),
        (
            {"datasets": {"x": {"kind": "radio", "low": 3}}},
            "datasets.x.low is 3; it must be below high",
        ),
    ],
)
def test_a_mistake_is_one_sentence(given, sentence):
    with pytest.raises(UserError) as error:
        parsed(Study, given)
    text = str(error.value)
    assert text.startswith("config: ") and sentence in text and "\n" not in text


def test_a_mistake_below_a_place_is_named_from_the_top():
    with pytest.raises(UserError, match=r"^config: experiments\.a\.low is -1; allowed: lowest"):
        parsed(Radio, {"kind": "radio", "low": -1}, "experiments.a")


def test_the_schema_has_bounds_and_descriptions_and_no_titles():
    rules = schema(Study)
    assert rules["properties"]["rates"]["items"] == {"type": "number", "exclusiveMinimum": 0}
    assert rules["properties"]["label"]["description"] == "its title"
    assert "default" not in rules["properties"]["label"] and "'title'" not in repr(rules)
