"""What the declarations of the kinds must hold, whichever kinds there are."""

import json

import pytest
from jsonschema import Draft202012Validator

from lincon.data import kinds
from lincon.data.kinds import KINDS
from lincon.data.sources import extract
from lincon.errors import UserError
from tests.real_data import REPOSITORY
from tools.config_readme import schema


@pytest.mark.parametrize("kind", KINDS)
def test_each_key_is_described_and_each_number_has_bounds_on_both_sides(kind):
    rules = schema(KINDS[kind])
    Draft202012Validator.check_schema(rules)
    assert rules["description"]
    assert all(row.get("description") or "const" in row for row in rules["properties"].values())
    text = (REPOSITORY / "resources/README.md").read_text(encoding="utf-8")
    assert f"\n| `{kind}` | " in text
    for name in kinds.swept(kind):
        *above, key = name.split(".")
        model = KINDS[kind]
        for part in above:
            model = model.model_fields[part].annotation
        row = schema(model)["properties"][key]
        assert {"minimum", "exclusiveMinimum"} & set(row), name
        assert {"maximum", "exclusiveMaximum"} & set(row), name
        assert name not in {"label", "dataset", "eta", "horizon", "policies", "parameters"}


def test_any_number_can_be_swept_but_a_fact_about_a_file():
    world = {f"delay.{key}" for key in ("rounds", "mean", "lost", "timeout")}
    world |= {f"drift.{key}" for key in ("at", "size", "walk")}
    own = {"snr", "rates.low", "rates.high", "rates.count"}
    assert set(kinds.swept("wireless")) == own | world
    assert set(kinds.swept("user")) == set(kinds.swept("edx_courses")) == world


def test_delay_and_drift_go_with_the_arms():
    entry = {"kind": "wireless", "delay": {"mean": 5, "lost": 0.1}}
    assert kinds.parse({"kind": "wireless"}).world() == ""
    assert json.loads(extract(entry, [], "w").world) == {
        "delay": {"rounds": 0, "mean": 5.0, "lost": 0.1}
    }
    swept = kinds.replaced({"kind": "wireless"}, {"drift.walk": 0.01})
    assert json.loads(kinds.parse(swept).world()) == {"drift": {"size": 0.0, "walk": 0.01}}


def test_a_swept_value_replaces_the_entry_and_leaves_it_as_it_was():
    entry = {"kind": "wireless", "rates": {"high": 5}}
    made = kinds.replaced(entry, {"rates.low": 1, "snr": 3})
    assert made == {"kind": "wireless", "snr": 3, "rates": {"low": 1, "high": 5, "count": 24}}
    assert entry == {"kind": "wireless", "rates": {"high": 5}}
    assert kinds.replaced({"kind": "wireless"}, {})["rates"]["low"] == 0.25


def count(entry):
    return kinds.parse(entry).arm_count()


def test_the_number_of_arms_is_known_without_a_file_where_it_can_be():
    assert count({"kind": "wireless", "rates": {"count": 7}}) == 7
    assert count({"kind": "user", "path": "a.csv"}) is None
    assert count({"kind": "user", "path": "a.csv", "arms": 5}) == 5


@pytest.mark.parametrize(
    ("entry", "sentence"),
    [
        (
            {"kind": "wireless", "drift": {"at": 100}},
            "here.drift needs both at and size for a step, or neither of them",
        ),
        ({"kind": "user", "path": "a.csv", "unit": "x" * 21}, "at most 20 characters, as it stand"),
    ],
)
def test_a_mistake_is_one_sentence(entry, sentence):
    with pytest.raises(UserError) as error:
        kinds.parse(entry, "here")
    assert sentence in str(error.value)
