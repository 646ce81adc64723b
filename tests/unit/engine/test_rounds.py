"""Whole runs: against the twin round by round, and against laws that their sums fulfil."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from lincon.engine.dense import DenseEngine
from lincon.engine.python_policy import draw_choice
from lincon.engine.randomness import choice_stream, luck_key
from lincon.engine.requests import Requests
from lincon.policies import selectors
from lincon.problem.record import gaps
from lincon.problem.solve import solve_problem
from tests.unit.engine import twin
from tests.unit.engine.games import (
    CHANGING,
    ENGINES,
    KINDS,
    PROBLEMS,
    Problem,
    assert_twin,
    game_of,
    paper_game,
)
from tests.unit.policies.played import POLICIES

pytestmark = pytest.mark.slow

ALL = PROBLEMS | CHANGING | KINDS
MAIN = ("lincon_ts", "lincon_kl_ucb", "ts_ledger", "uniform")
HARD = ("often infeasible", "a falling amount", "three constraints", "late, and drifting")
HARD = (*HARD, "two kinds", "a floor for one kind")


@pytest.mark.parametrize(
    ("policy", "problem"),
    [(policy, problem) for policy in POLICIES for problem in (ALL if policy in MAIN else HARD)],
)
def test_every_round_is_the_twins(policy, problem):
    assert_twin(POLICIES[policy], ALL[problem])


def optimal_arms(problem: Problem) -> np.ndarray:
    """The arms that cost nothing: all that are worth as much as the best at the price lambda*."""
    mean, reward, eta = problem.arms.mean, problem.arms.mean * problem.arms.value, problem.eta
    best = twin.best_pair(mean, reward, eta)
    optimum, below = sum(x * reward[i] for i, x in best.items()), mean < eta
    price = np.max((reward - optimum)[below] / (eta - mean[below]), initial=0.0)
    worth = reward + price * mean
    return np.flatnonzero(worth > worth.max() - 1e-9)


@pytest.mark.parametrize(
    "name", [name for name, one in PROBLEMS.items() if isinstance(one.eta, float)]
)
def test_plays_of_other_arms_are_suboptimal(name):
    problem = PROBLEMS[name]
    run = problem.play(POLICIES["uniform"], points=problem.horizon, record="plays")
    suboptimal = ~np.isin(run.chosen, optimal_arms(problem))
    np.testing.assert_array_equal(run.series["suboptimal"], suboptimal.cumsum())


# --- laws


def many_arms() -> Problem:
    """Some of them duplicates, exact zeros and an exact one."""
    rng = np.random.default_rng(9)
    mean = np.round(rng.beta(1, 3, 150), 2)
    mean[:4], mean[-1] = 0.0, 1.0
    return Problem(mean, np.round(rng.random(150), 1), 0.5, 2_000)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("policy", ["lincon_ts", "lincon_kl_ucb", "ts_ledger", "oracle"])
def test_composite_regret_is_the_sum_over_the_arms(policy, engine):
    """R + lambda* V = sum_i D_i k_i, signed and on the expected basis."""
    problem = many_arms()
    stated, horizon = solve_problem(problem.arms, problem.eta), problem.horizon
    run = problem.play(POLICIES[policy], engine=engine)
    last = {name: run.series[name].to_numpy()[-1] for name in run.series.column_names}
    regret = horizon * stated.optimum - last["expected_reward"]
    violation = horizon * problem.eta - last["expected_events"]
    by_arm = gaps(problem.arms, stated) @ run.plays["expected_plays"].to_numpy()
    assert regret + stated.prices[0] * violation == pytest.approx(by_arm, rel=1e-9)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("one", "other"), [("lincon_ts", "thompson"), ("lincon_kl_ucb", "kl_ucb")])
def test_without_a_floor_the_lp_is_the_unconstrained_policy(one, other, engine):
    runs = [
        PROBLEMS["unconstrained"].play(replace(POLICIES[name], name="same"), engine=engine)
        for name in (one, other)
    ]
    assert runs[0].series.equals(runs[1].series) and runs[0].plays.equals(runs[1].plays)


@given(st.lists(st.integers(1, 600), max_size=12), st.sampled_from(list(POLICIES)))
@settings(max_examples=20)
def test_blocks_of_any_size_give_the_same_bytes(cuts, name):
    problem, policy = PROBLEMS["often infeasible"], POLICIES[name]

    def engine() -> DenseEngine:
        rng, key = choice_stream(1, "data", 0.85, name, 0), luck_key(1, "data")
        arms = problem.arms
        return DenseEngine(paper_game(policy, arms.mean, arms.value, 0.85, 600, key, 0, rng))

    whole, pieces, before = engine(), engine(), 0
    whole.advance(1, 600)
    for cut in sorted({*cuts, 600}):
        pieces.advance(before + 1, cut)
        before = cut
    assert whole.tally.plays.sum() == 600
    for one, other in zip(whole.tally, pieces.tally, strict=True):
        assert one.tobytes() == other.tobytes()


def mixture_of(*shares: tuple[int, float]) -> selectors.Mixture:
    mixture = selectors.Mixture.new(len(shares) - 1)
    for k, (arm, share) in enumerate(shares):
        mixture.arm[k], mixture.share[k] = arm, share
    return mixture


def test_arms_are_drawn_by_their_shares():
    """Chi-square of `draw`, and its ends."""
    rng = np.random.default_rng(0)
    arms, shares = rng.permutation(9)[:6], rng.dirichlet(np.ones(6))
    mixture = mixture_of(*zip(arms, shares, strict=True))

    def draw_arm(mixture, size, arms, uniform):
        requests = Requests.new(twin.paper(np.zeros(arms), 0.5), 0, "d")
        return draw_choice(mixture, size, requests, 0, uniform)

    drawn = [draw_arm(mixture, 6, 9, u) for u in rng.random(20_000)]
    counts = np.bincount(drawn, minlength=9)
    assert counts.sum() == counts[arms].sum()
    assert scipy.stats.chisquare(counts[arms], 20_000 * shares).pvalue > 1e-3
    below_one = np.nextafter(1.0, 0.0)
    assert draw_arm(mixture_of((4, 0.0), (7, 1.0)), 2, 9, 0.0) == 7
    assert draw_arm(mixture_of((4, 1.0), (7, 0.0)), 2, 9, below_one) == 4
    for number in (1, 2, 3, 10, 290):
        assert draw_arm(mixture, 0, number, below_one) == number - 1
        assert draw_arm(mixture, 0, number, 0.0) == 0


def test_an_unknown_code_plays_no_other_policy():
    spec, rng = {"estimator": "kl_ucb"}, np.random.default_rng(0)
    mean, program = np.array([0.2, 0.9]), twin.paper([1.0, 0.1], 0.5)
    engine = DenseEngine(game_of(spec, mean, program, 9, luck_key(1, "d"), 0, rng))
    control = engine.policy.control._replace(estimator=99)
    engine.policy = engine.policy._replace(control=control)
    with pytest.raises(ValueError, match="no estimator has this code"):
        engine.advance(1, 9)
