"""LinConTS: the lazy engine has the law of the dense one."""

import numpy as np
import pytest
from scipy import stats

from lincon.engine.lazy.thompson.decision import SamplingState, observe, tune
from lincon.engine.randomness import choice_stream, luck_key
from lincon.engine.tally import EXPECTED_EVENTS, EXPECTED_REWARD, INFEASIBLE
from lincon.policies.estimators import Beliefs
from lincon.policies.selectors import Mixture, Points
from lincon.problem.program import Program
from tests.unit.engine.games import ENGINES, paper_game
from tests.unit.engine.lazy.same_law import (
    TS,
    both_ways,
    control_of,
    p_value,
    select_densely,
    select_lazily,
    selections,
    state_of,
    tally_of,
)
from tests.unit.engine.lazy.same_rounds import OTHERS
from tests.unit.engine.twin import paper

pytestmark = pytest.mark.slow


def check_states(seeds, rounds):
    worst = {}
    for seed in seeds:
        (lazy, lazy_shares), (dense, dense_shares) = selections(seed, rounds)
        assert lazy.sum() == dense.sum() == rounds
        worst[seed] = p_value(lazy, dense)
        # A share is in [0, 1]: its sum over rounds has a variance of a quarter a round at most.
        assert np.abs(lazy_shares - dense_shares).max() < 5.0 * np.sqrt(0.5 * rounds)
    level = 0.01 / len(worst)
    assert min(worst.values()) > level, {k: p for k, p in worst.items() if p <= level}


def test_selections_have_the_dense_law():
    check_states(range(40), 10_000)


@pytest.mark.long
def test_selections_have_the_dense_law_at_full_size():
    check_states(range(1000, 1200), 200_000)


def test_the_first_rounds_after_a_tuning_have_the_dense_law():
    """Many fresh states, and of each only these rounds: what starts wrong must not fade away."""
    plays = np.r_[2_000, 3_000, np.full(28, 60)]
    events = np.r_[1_000, 2_700, np.arange(28)]
    program, rounds = paper(np.r_[0.9, 0.2, np.full(28, 0.5)], 0.6), 3_000
    control, points, mixture = control_of("lp", program), Points.new(program), Mixture.new(1)
    beliefs = Beliefs.new(TS, program)
    rng, shares = np.random.default_rng(2), np.zeros(30)
    lazy, dense = np.zeros(32, np.int64), np.zeros(32, np.int64)
    for _ in range(rounds // 2):
        state, warm_up = SamplingState.new(program), np.zeros(32, np.int64)
        play = (control, program, rng, state, mixture)
        for arm in range(30):
            observe(state, arm, plays[arm], events[arm], control.prior)
        first = select_lazily(31, 100, *play, warm_up, shares)
        tune(state, control, tally_of(program, plays, events), first)
        assert select_lazily(first, first + 1, *play, lazy, shares) == first + 2
    dense[-1] = rounds
    select_densely(*(plays, events, program, control, rng, beliefs, points, mixture), dense, shares)
    assert p_value(lazy[:-1], dense[:-1]) > 1e-4


GIVEN = {"prior": "beta", "explore": 0.3}
ASKED = [
    *({"asked": asked} for asked in ("argmax", "greedy")),
    {"explore": 2.0},
    *({**GIVEN, "prior_a": a, "prior_b": b} for a, b in ((0.2, 3.0), (0.4, 0.3), (7.5, 2.0))),
]


@pytest.mark.parametrize("asked", ASKED, ids=str)
def test_other_demands_priors_and_divided_counts_have_the_dense_law(asked):
    for seed in range(300, 306):
        (lazy, _), (dense, _) = selections(seed, 10_000, **asked)
        assert p_value(lazy, dense) > 1e-4


@pytest.mark.parametrize("asked", ["lp", "greedy", "argmax"])
def test_costs_and_any_amounts_have_the_dense_law(asked):
    for seed in range(400, 406):
        plays, events, value, _ = state_of(seed)
        rng = np.random.default_rng(seed)
        cost, a, b = rng.random((3, value.size)) * rng.integers(0, 2, (3, 1))
        e = float(rng.uniform(b.min(), (a + b).max()))
        program = Program(value, cost, a[None], b[None], np.array([e]))
        control = control_of(asked, program)
        (lazy, _), (dense, _) = both_ways(seed, 10_000, control, program, plays, events)
        assert p_value(lazy, dense) > 1e-5, seed


PROBLEMS = {
    "binding": (np.linspace(0.05, 0.9, 20), np.linspace(1.0, 0.1, 20) ** 2, 0.5),
    "nearly infeasible": (np.r_[np.full(12, 0.3), 0.62, 0.6], np.linspace(0.2, 1.0, 14), 0.6),
}


# Whole runs: what is asked for moves with the events.
POLICIES = {
    **{name: other for name, other in OTHERS.items() if name not in ("argmax", "explore")},
    "lp": {},
    "learned": {"prior": "learned", "ramp": 1},
    "ledger, learned": {"steering": "ledger", "fallback": "greedy", "prior": "learned"},
}


def engine(kind, problem, run, policy="lp", horizon=20_000):
    mean, value, eta = PROBLEMS[problem]
    rng, key = choice_stream(5, problem, eta, kind, run), luck_key(5, problem)
    spec = {"estimator": "beta_sample", **POLICIES[policy]}
    return ENGINES[kind](paper_game(spec, mean, value, eta, horizon, key, run, rng))


def final(kind, problem, run, horizon, policy):
    """Expected reward and events, that is regret and violation; and the infeasible rounds."""
    played = engine(kind, problem, run, policy, horizon)
    played.advance(1, horizon)
    return played.tally.totals[[EXPECTED_REWARD, EXPECTED_EVENTS, INFEASIBLE]]


def check_runs(problem, runs, horizon, policy="lp"):
    lazy, dense = (
        np.array([final(kind, problem, first + run, horizon, policy) for run in range(runs)])
        for kind, first in (("lazy", 0), ("dense", runs))
    )
    for column in range(lazy.shape[1]):
        assert stats.ks_2samp(lazy[:, column], dense[:, column], method="asymp").pvalue > 1e-3


@pytest.mark.parametrize("policy", POLICIES)
def test_runs_end_as_the_dense_ones(policy):
    """The problems in turn."""
    problem = list(PROBLEMS)[list(POLICIES).index(policy) % 2]
    check_runs(problem, 200, 1_500, policy)


@pytest.mark.long
@pytest.mark.parametrize("problem", PROBLEMS)
def test_runs_end_as_the_dense_ones_at_full_size(problem):
    check_runs(problem, 400, 20_000)


def test_blocks_do_not_matter():
    whole, pieces = (engine("lazy", "binding", 3) for _ in range(2))
    whole.advance(1, 5_000)
    ends = [*range(1, 60), 500, 501, 2_000, 4_999, 5_000]
    for first, last in zip([1, *(end + 1 for end in ends)], ends, strict=False):
        pieces.advance(first, last)
    for ours, theirs in zip(pieces.tally, whole.tally, strict=True):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("values", [[0.0, 0.0, 0.0], [1.0], [0.5, 0.5]])
@pytest.mark.parametrize("eta", [0.0, 0.4, 1.0])
def test_degenerate_problems_end(values, eta):
    mean, value = np.linspace(0.0, 1.0, len(values)), np.array(values)
    spec, rng = {"estimator": "beta_sample"}, choice_stream(1, "x", 0, "p", 0)
    inputs = paper_game(spec, mean, value, eta, 3_000, luck_key(1, "x"), 0, rng)
    played = ENGINES["lazy"](inputs)
    played.advance(1, 3_000)
    assert played.tally.plays.sum() == 3_000
    assert np.isfinite(played.tally.totals).all()
    assert played.tally.expected_plays(inputs.program).sum() == pytest.approx(3_000)
