"""Two constraints that bind, from runs to sentences: a success floor and a cap on one supplier.

Arms of means 0.4, 0.6, 0.5 cost 0.1, 0.3, 0.25 per play; the second is `mine`, which may have a
quarter of the plays. The cheapest mixture with a success rate of a half is 1/4, 1/4, 1/2, at 0.225
per play; a success is worth 1.5, a play of `mine` 0.1, and the level is 0.5.
"""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from lincon.analysis.measures import summarise
from lincon.analysis.results import Results, analyse
from lincon.analysis.theory import noise_floors
from lincon.data import arms
from lincon.problem.goal import Constraint, Goal
from lincon.problem.solve import solve_problem
from lincon.report import tables, view
from lincon.report.sentences import answer_of
from tests.unit.analysis.made_runs import plays_of, runs_of

T = np.array([1, 100, 1_000])
RUNS = 6
SPREAD = np.linspace(-0.001, 0.001, RUNS)
SUCCESS = Constraint("success", 1.0, 0.0, "at_least", 0.5)
GOAL = Goal((SUCCESS, Constraint("mine", 0.0, "mine", "at_most", 0.25)), value=0.0, cost="cost")
COLUMNS = {"cost": np.array([0.1, 0.3, 0.25]), "mine": np.array([0.0, 1.0, 0.0])}
KNOWN = {"dataset": "routing", "unit": "USD"}
ARMS = arms.make([0.4, 0.6, 0.5], np.zeros(3), ["A", "B", "C"], COLUMNS, **KNOWN)


def played(cost: float, success: float, mine: float) -> pd.DataFrame:
    made = runs_of(T, SPREAD - cost, np.full(RUNS, success))
    t = made["t"].to_numpy()
    amounts = {"amount_1": mine * t, "expected_amount_1": mine * t}
    short = np.maximum(mine - 0.25, 0.0) * t
    return made.assign(
        **amounts, worst_shortfall_1=short, last_shortfall_1=np.where(short > 0.0, t, 0)
    )


@pytest.fixture(scope="module")
def results() -> Results:
    problem = solve_problem(ARMS, GOAL)
    series = {
        "keeps": played(0.235, 0.5, 0.25),
        "capless": played(0.205, 0.5, 0.5),
        "short": played(0.2, 0.45, 0.25),
    }
    summary = summarise(series, ARMS, problem)
    looks = {name: {"label": name.title()} for name in series}
    plays = plays_of(list(series), 3)
    told = (series, plays, ARMS, problem, summary)
    return analyse(looks, *told, name="llm", title="Routing", compare=("keeps", "short"))


def test_joint_regret_prices_each_violation(results):
    league = results.league.set_index("policy")
    assert league.loc["keeps", "joint"] == pytest.approx(10.0)
    assert league.loc["capless", "joint"] == pytest.approx(0.1 * 250.0, abs=0.1)
    assert league.loc["short", "joint"] == pytest.approx(1.5 * 50.0, abs=0.1)
    assert league["group"].to_dict() == {"keeps": "kept", "short": "never", "capless": "never"}
    assert league.loc["capless", ["kept_0", "kept_1"]].tolist() == [RUNS, 0]
    assert league.loc["short", ["kept_0", "kept_1"]].tolist() == [0, RUNS]


def test_an_oracles_noise_is_per_constraint(results):
    floors = noise_floors(ARMS, results.problem, np.array([400.0]))
    # Successes: variance 1/4 per play; plays of `mine`: 3/16.
    expected = [np.sqrt(400.0 * v / (2.0 * np.pi)) for v in (0.25, 0.1875)]
    assert [floors[f"violation_{j}"][0] for j in (0, 1)] == pytest.approx(expected)
    # Both bind: the tolerance is 1.39 deviations instead of one, so that luck keeps both in 84%.
    assert results.tolerances[0] / np.sqrt(250.0) == pytest.approx(1.386, abs=0.01)


def test_the_answer_names_every_constraint_and_speaks_of_spending(results):
    answer = answer_of(results)
    assert answer.heading.startswith("Routing: success \u2265 50%, mine \u2264 25%, T = 1,000")
    assert answer.advice == [
        "The cheapest mixture is A (25%), B (25%) and C (50%): 0.225 USD per round at 50% success "
        "and 25% mine, 25% less than always using B (the best on success: 0.3 USD) and 10% less "
        "than always using C (the cheapest single arm that keeps the promise: 0.25 USD); Keeps, "
        "which had to learn it, spent 0.235 USD per round, 4.44% more.",
        "Use Keeps: of 3 policies it alone kept success \u2265 50% and mine \u2264 25% in 6 of 6 "
        "runs. Its joint regret is 10 (9.215 to 10.79) USD.",
        "Its joint regret of 10 USD is 10 (9.215 to 10.79) USD overspent.",
        "It has the lowest joint regret of all: keeping the promise costs nothing here.",
        "On the way it was never short of success and never over mine.",
    ]


def test_the_tables_have_columns_for_each(results):
    headings = set(tables.league(results).headings)
    assert headings >= {"success", "success: missing events", "mine", "mine: shortfall"}
    scaled = replace(results, arms=replace(ARMS, scale=10.0))
    cost = tables.arms(scaled).frame.set_index("label")["reward"]
    assert cost.to_dict() == pytest.approx({"A": 1.0, "B": 3.0, "C": 2.5}), "what is spent, scaled"
    regret, first, second = view.panels(results, ["regret", "violation"])
    assert regret == ("regret", "Regret", "cumulative regret, USD")
    assert first == ("violation_0", "Violation: success", "cumulative violation")
    assert second[:2] == ("violation_1", "Violation: mine")
    claims = results.claims
    assert set(claims["kind"]) == {"comparison"}, "the paper's theorems are of its problem alone"
    assert set(claims["quantity"]) <= {"regret", "violations", "cost", "joint"}
    assert all("nan" not in text for text in tables.texts(results).values())
