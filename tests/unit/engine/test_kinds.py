"""Kinds of request: the law of short runs by enumeration, one kind is none, Python policies."""

from dataclasses import replace

import numpy as np
import pytest

from lincon.data.arms import make
from lincon.engine.dense import DenseEngine
from lincon.engine.inputs import RunInputs
from lincon.engine.randomness import choice_stream, luck_key
from lincon.engine.simulate import simulate
from lincon.errors import UserError
from lincon.policies.registry import make_policy
from lincon.problem.goal import Constraint, Goal, as_goal
from lincon.problem.program import program
from lincon.problem.solve import solve_problem
from tests.unit.engine import twin
from tests.unit.engine.games import ARMS, KINDS, PROBLEMS, RATE, SPENDING, Problem
from tests.unit.policies.played import POLICIES

pytestmark = pytest.mark.slow

# The first arm serves code alone, the other two chat.
SMALL = make([0.6, 0.3, 0.8], [1.0, 1.0, 0.4], kind=["code", "chat", "chat"])
SMALL = replace(SMALL, kind_shares=np.array([0.4, 0.6]), dataset="small")


def enumerated(policy, arms, eta, horizon):
    """{(plays, events): probability} after T rounds: every kind, arm and event, one by one."""
    numbers, total = program(arms, as_goal(eta)), twin.Twin
    states = {((0,) * len(arms), (0,) * len(arms)): 1.0}
    for t in range(1, horizon + 1):
        after: dict = {}
        for (plays, events), probability in states.items():
            knows = total(policy, numbers, horizon)
            knows.plays, knows.events, knows.heard = np.array(plays), np.array(events), t - 1
            knows.amounts = numbers.a @ knows.events + numbers.b @ knows.plays
            for kind, share in enumerate(numbers.share):
                fresh = [i for i in knows.unplayed[kind] if plays[i] == 0]
                shares = {fresh[0]: 1.0} if fresh else knows.mixture(t, None, arms.mean, kind)[0]
                shares = shares or dict.fromkeys(knows.of[kind], 1 / len(knows.of[kind]))
                for arm, x in shares.items():
                    for event, chance in ((1, arms.mean[arm]), (0, 1 - arms.mean[arm])):
                        now = tuple(n + (i == arm) for i, n in enumerate(plays))
                        then = tuple(s + event * (i == arm) for i, s in enumerate(events))
                        more = probability * share * x * chance
                        after[now, then] = after.get((now, then), 0.0) + more
        states = after
    return states


@pytest.mark.parametrize("name", ["lincon_kl_ucb", "kl_ledger", "con_ucb", "oracle"])
def test_short_runs_have_the_law_of_their_enumeration(name):
    policy, eta, horizon, runs = POLICIES[name], 0.55, 8, 5_000
    expected, goal = enumerated(policy, SMALL, eta, horizon), as_goal(eta)
    assert sum(expected.values()) == pytest.approx(1.0)
    drawn: dict = {}
    for run in range(runs):
        rng = choice_stream(3, "small", eta, name, run)
        inputs = RunInputs(policy, SMALL.mean, goal, program(SMALL, goal), horizon,
                           luck_key(3, "small"), run, rng, seed=3, dataset="small")  # fmt: skip
        engine = DenseEngine(inputs)
        engine.advance(1, horizon)
        state = tuple(engine.tally.plays.tolist()), tuple(engine.tally.events.tolist())
        drawn[state] = drawn.get(state, 0) + 1
    assert set(drawn) <= set(expected)
    frequent = [state for state, p in expected.items() if p * runs > 15]
    deviation = [
        (drawn.get(state, 0) - runs * p) / np.sqrt(runs * p * (1 - p))
        for state in frequent
        for p in [expected[state]]
    ]
    assert len(frequent) > 20 and np.abs(deviation).max() < 4.5
    assert np.mean(np.square(deviation)) == pytest.approx(1.0, abs=5 / np.sqrt(len(frequent)))
    # The expected reward is the sum over all sequences of kinds, arms and events.
    reward = {state: float(SMALL.value @ state[1]) for state in expected}
    mean = sum(p * reward[state] for state, p in expected.items())
    spread = sum(p * (reward[state] - mean) ** 2 for state, p in expected.items())
    played = sum(count * reward[state] for state, count in drawn.items()) / runs
    assert abs(played - mean) < 4.5 * np.sqrt(spread / runs)


@pytest.mark.parametrize("policy", POLICIES)
def test_one_kind_is_no_kind(policy):
    """To the bit, whatever it is called."""
    for problem in (PROBLEMS["often infeasible"], PROBLEMS["three constraints"]):
        named = Problem(*ARMS, problem.goal, problem.horizon, kinds={"kind": ["all"] * 5})
        plain = Problem(*ARMS, problem.goal, problem.horizon)
        one, none = named.play(POLICIES[policy]), plain.play(POLICIES[policy])
        assert one.plays.equals(none.plays)
        assert one.series.select(none.series.column_names).equals(none.series)


def test_all_policies_of_a_run_meet_the_same_requests():
    problem = KINDS["two kinds"]
    met = [problem.arms.kind[problem.play(POLICIES[p], record="plays").chosen] for p in POLICIES]
    assert all((kinds == met[0]).all() for kinds in met)
    other = simulate(
        problem.setting(POLICIES["uniform"], run=9, record="plays"),
        problem.arms,
        solve_problem(problem.arms, problem.goal),
    )
    assert (problem.arms.kind[other.chosen] != met[0]).any()
    assert np.mean(met[0] == 0) == pytest.approx(0.3, abs=0.07)


def test_plays_are_counted_per_kind_and_arm_in_every_recorded_round():
    run = KINDS["two kinds"].play(POLICIES["lincon_ts"])
    counted = np.array([run.series[f"plays_{i}"].to_numpy() for i in range(6)])
    assert (counted.sum(axis=0) == run.series["t"].to_numpy()).all()
    assert counted[:, -1].tolist() == run.plays["plays"].to_pylist()
    assert "plays_0" not in PROBLEMS["two arms"].play(POLICIES["lincon_ts"]).series.column_names


@pytest.mark.parametrize("goal", [0.65, Goal((RATE, SPENDING), cost=0.1)])
def test_the_oracle_has_no_expected_regret_and_no_violation(goal):
    """Given the kinds that came, less their luck."""
    kinds = {"kind": ["a", "b", "a", "b", "a"], "kind_shares": {"a": 0.6, "b": 0.4}}
    problem = Problem(*ARMS, goal, 500, kinds=kinds)
    stated = solve_problem(problem.arms, goal)
    run = problem.play(POLICIES["oracle"])
    t = run.series["t"].to_numpy()
    later = t > 60  # each arm has been played once
    reward = run.series["expected_reward"].to_numpy()
    assert np.diff(reward[later]) == pytest.approx(np.diff(t[later]) * stated.optimum)
    for j in range(len(stated.goal.constraints)):
        amount = run.series[f"expected_amount_{j}"].to_numpy()
        assert np.diff(amount[later]) == pytest.approx(np.diff(t[later]) * stated.amounts[j])


# --- user-defined policies


class Mine:
    def __init__(self, problem, rng, answer=None):
        self.arms, self.answer, self.asked = problem.arms, answer, []
        assert problem.shares.tolist() == [0.3, 0.7]

    def choose(self, t, kind):
        if self.answer == "first":
            return int(self.arms[kind][0])
        return {int(i): 1 / 3 for i in self.arms[kind]} if self.answer is None else self.answer

    def update(self, t, arm, event): ...


class Blind(Mine):
    def choose(self, t):
        return 0


def played(answer=None, cls=Mine):
    problem = KINDS["two kinds"]
    entry = {"python": cls} | ({} if answer is None else {"answer": answer})
    return problem, problem.play(make_policy("mine", entry), engine="python", record="plays")


def test_a_class_is_told_the_kind():
    problem, run = played("first")
    assert set(run.chosen.tolist()) == {0, 3}
    _, mixed = played()
    kinds = problem.arms.kind
    assert (kinds[mixed.chosen] == kinds[run.chosen]).all()
    uniform = problem.play(POLICIES["uniform"], points=10)
    for name in ("expected_reward", "expected_amount_0"):
        assert mixed.series[name].to_numpy()[-1] == pytest.approx(
            uniform.series[name].to_numpy()[-1]
        )


@pytest.mark.parametrize(
    ("answer", "cls", "sentence"),
    [
        (0, Mine, r"round \d+: it chose arm 0; allowed: an arm of the request's kind, such as 3"),
        (None, Blind, r"mine\.python: requests come in kinds, so Blind\.choose must be choose\(t,"),
    ],
)
def test_what_a_class_may_not_do_with_kinds(answer, cls, sentence):
    with pytest.raises(UserError, match=sentence):
        played(answer, cls)


def test_the_lazy_engine_does_not_play_kinds():
    with pytest.raises(UserError, match=r"engine lazy does not play it with kinds of request"):
        KINDS["two kinds"].play(POLICIES["lincon_ts"], engine="lazy")


def test_a_floor_for_one_kind_counts_its_own_requests():
    """Short by what the requests of the kind are short of, however many came."""
    floor = Constraint("code", per_event=1.0, bound=0.8, kind="code")
    problem = Problem(
        *ARMS, Goal((RATE, floor)), 300, kinds={"kind": ["chat", "code"] * 2 + ["chat"]}
    )
    run = problem.play(POLICIES["lincon_ts"], record="plays")
    of_kind = np.isin(np.arange(5), [1, 3])
    plays, events = run.plays["plays"].to_numpy(), run.plays["events"].to_numpy()
    short = 0.8 * plays[of_kind].sum() - events[of_kind].sum()
    assert 300 * 0.8 - run.series["amount_1"].to_numpy()[-1] == pytest.approx(short)
    rate = solve_problem(problem.arms, problem.goal).rate(1, 0.8 - short / 300)
    assert rate == pytest.approx(0.8 - short / 150)
