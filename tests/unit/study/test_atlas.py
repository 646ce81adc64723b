"""The grid of an atlas: its problems, their names and seeds, and what is refused."""

import pytest
import yaml

from lincon.errors import UserError
from lincon.study.atlas import atlases
from lincon.study.config import validate
from lincon.study.plan import plan
from tests.real_data import CONFIG, REPOSITORY
from tests.workflow.bench import changed

ENTRY = {
    "eta": 0.5,
    "arms": [5, 8],
    "slack": [0.1, 0.3],
    "correlation": [0],
    "near_optimal": [0],
    "problems": 3,
    "horizon": 200,
    "policies": ["lincon_ts", "lincon_kl_ucb"],
    "problems_per_job": 5,
}


def config(**changes):
    return validate(CONFIG | {"only": ["many"], "atlas": {"many": ENTRY | changes}})


def test_every_cell_has_its_problems_in_blocks():
    made = atlases(config())["many"]
    assert len(made.problems) == 2 * 2 * 3
    assert made.blocks == ["0-4", "5-9", "10-11"]
    numbers = [item["problem"] for block in made.blocks for item in made.problems_of(block)]
    assert numbers == list(range(12))
    assert plan(config()).experiments == {}
    item = made.problems_of("0-4")[0]
    seed = item["entry"]["seed"]
    expected = f"many@arms_5,slack_0.1,correlation_0,near_optimal_0,seed_{seed}"
    assert item["dataset"] == expected
    assert item["entry"]["floor"] == 0.5 and item["entry"]["recipe"] == "uniform"


def test_seeds_differ_and_do_not_depend_on_the_rest_of_the_grid():
    small, large = (atlases(config(arms=arms))["many"] for arms in ([8], [5, 8, 9]))
    assert len({item["seed"] for item in large.problems}) == len(large.problems)
    assert {tuple(p.items()) for p in small.problems} <= {tuple(p.items()) for p in large.problems}


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"slack": [0.6]}, "atlas.many.slack is 0.6 above a floor of 0.5"),
        ({"near_optimal": [3]}, "atlas.many.near_optimal is 3 of 5 arms"),
        ({"horizon": 6}, "atlas.many.horizon is 6, but 8 arms"),
        ({"recipe": "none"}, "atlas.many.recipe is 'none'; allowed: uniform"),
        ({"policies": ["lincon"]}, "atlas.many.policies: 'lincon' is not known"),
    ],
)
def test_mistakes_are_one_sentence(changes, sentence):
    with pytest.raises(UserError) as error:
        atlases(config(**changes))
    assert sentence in str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize(("name", "count"), [("atlas", 1000), ("atlas_quick", 100)])
def test_the_shipped_atlases_have_a_thousand_problems_and_a_tenth(name, count):
    more = yaml.safe_load((REPOSITORY / f"config/{name}.yaml").read_text(encoding="utf-8"))
    made = atlases(validate(changed(CONFIG, more)))["atlas"]
    assert len(made.problems) == count
    # OPB and what forgets are played densely only: of 300 arms, a belief each in every round.
    who_learns = set(CONFIG["policies"]) - {
        "oracle",
        "oracle_paced",
        "uniform",
        "opb",
        "ts_ledger_discounted",
    }
    assert sorted(player.policy for player in made.players) == sorted(who_learns)
