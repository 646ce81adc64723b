"""The recorder of a run: which rounds, which columns, and what is refused."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lincon.engine import simulate
from lincon.engine.simulate import recorded_rounds
from lincon.errors import UserError
from lincon.problem.solve import solve_problem
from tests.unit.engine.games import ENGINES, PROBLEMS
from tests.unit.policies.played import POLICIES

pytestmark = pytest.mark.slow

TS, TWO = POLICIES["lincon_ts"], PROBLEMS["two arms"]


@given(st.integers(1, 10**6), st.integers(1, 2_000))
def test_recorded_rounds(horizon, points):
    rounds = recorded_rounds(horizon, points)
    assert rounds.dtype == np.int64
    assert rounds[0] == 1 and rounds[-1] == horizon
    assert (np.diff(rounds) > 0).all()
    assert rounds.size <= max(points, 4)
    assert points < horizon or rounds.size == horizon


def test_columns_and_types():
    run = TWO.play(TS)
    types = {field.name: str(field.type) for field in run.series.schema}
    counts = ["run", "t", "events", "infeasible", "suboptimal", "last_shortfall_0"]
    sums = ["reward", "expected_reward", "expected_events", "amount_0", "expected_amount_0"]
    assert types == dict.fromkeys(counts, "int64") | dict.fromkeys(
        [*sums, "worst_shortfall_0"], "double"
    )
    types = {field.name: str(field.type) for field in run.plays.schema}
    counts = dict.fromkeys(["run", "arm", "plays", "events"], "int64")
    assert types == counts | {"expected_plays": "double"}
    assert set(run.series["run"].to_pylist()) == set(run.plays["run"].to_pylist()) == {3}


def test_fewer_points_record_the_same_run_and_progress_is_told_them():
    problem, told = PROBLEMS["twelve arms"], []
    full = problem.play(TS, points=2 * problem.horizon)
    setting, stated = problem.setting(TS, points=30), solve_problem(problem.arms, problem.eta)
    few = simulate.simulate(setting, problem.arms, stated, told.append)
    assert full.series.take(few.series["t"].to_numpy() - 1).equals(few.series)
    assert full.plays.equals(few.plays)
    assert told == few.series["t"].to_pylist()


def test_the_arm_of_every_round_is_kept_only_on_request():
    with pytest.raises(UserError, match="it is to be plays"):
        TWO.play(TS).rounds()
    for engine in ENGINES:
        run = TWO.play(TS, engine=engine, record="plays")
        rounds = run.rounds()
        assert rounds.schema.field("arm").type == pa.int32()
        np.testing.assert_array_equal(rounds["t"], np.arange(1, TWO.horizon + 1))
        np.testing.assert_array_equal(np.bincount(rounds["arm"]), run.plays["plays"])


def test_a_horizon_too_short_for_the_arms_is_refused():
    with pytest.raises(UserError) as refusal:
        PROBLEMS["twelve arms"].play(TS, horizon=11)
    assert str(refusal.value) == (
        "horizon 11 is too short for data: each of its 12 arms is played once first, "
        "so at least 12 rounds are needed"
    )
    plays = PROBLEMS["twelve arms"].play(TS, horizon=12).plays
    assert plays["plays"].to_pylist() == [1] * 12


def test_an_engine_that_does_not_play_the_policy_is_refused():
    sentence = "policies.lincon_ts: engine steam does not play it; allowed: lazy, dense"
    with pytest.raises(UserError, match=sentence):
        TWO.play(TS, engine="steam")


def test_the_problem_of_another_floor_or_of_other_arms_is_refused():
    other = PROBLEMS["one arm"]
    for stated in (solve_problem(TWO.arms, 0.4), solve_problem(other.arms, TWO.eta)):
        with pytest.raises(UserError, match="they must be the same"):
            simulate.simulate(TWO.setting(TS), TWO.arms, stated)
