"""Whole runs: against the twin round by round, and against what their sums must fulfil."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from lincon.data import arms as arm_table
from lincon.data.arms import Arms
from lincon.engine import simulate
from lincon.engine.dense import DenseEngine
from lincon.engine.lazy.index.index_bound import new_round
from lincon.engine.randomness import choice_stream, luck_key
from lincon.engine.simulate import Setting, recorded_rounds
from lincon.engine.tally import AMOUNT, LAST_SHORTFALL, WORST_SHORTFALL, Tally, count_shortfall
from lincon.errors import UserError
from lincon.policies import control, estimators, selectors
from lincon.policies import registry as policies
from lincon.policies.registry import Policy
from lincon.problem import lp
from lincon.problem.solve import solve_problem
from tests.unit.engine import twin
from tests.unit.engine.games import game_of, paper_game

pytestmark = pytest.mark.slow

# The engines that play policies of parts; the third plays classes.
KERNEL_ENGINES = ("lazy", "dense")
POLICIES = {
    name: policies.make_policy(name, spec)
    for name, spec in {
        "lincon_ts": {"estimator": "beta_sample", "selector": "lp"},
        "lincon_kl_ucb": {"estimator": "kl_ucb", "selector": "lp"},
        "lincon_kl_ucb_c3": {"estimator": "kl_ucb", "selector": "lp", "c": 3},
        "con_ucb": {"estimator": "ucb1", "selector": "lp"},
        "con_ucb_half": {"estimator": "ucb1", "selector": "lp", "explore": 0.25},
        "thompson": {"estimator": "beta_sample", "selector": "argmax"},
        "kl_ucb": {"estimator": "kl_ucb", "selector": "argmax"},
        "truth": {"estimator": "truth", "selector": "lp"},
        "primal_dual_ts": {"estimator": "beta_sample", "selector": "queue"},
        "pessimistic": {"estimator": "ucb1", "selector": "queue", "v": 2, "epsilon": 0.5},
        "truth_queue": {"estimator": "truth", "selector": "queue", "v": 3},
        "ts_paced": {
            "estimator": "beta_sample",
            "selector": "lp",
            "target": "paced",
            "fallback": "greedy",
        },
        "ts_greedy": {"estimator": "beta_sample", "selector": "lp", "fallback": "greedy"},
        "ts_ledger_learned": {
            "estimator": "beta_sample",
            "selector": "lp",
            "prior": "learned",
            "steering": "ledger",
            "fallback": "greedy",
        },
        "max_theta": {"estimator": "beta_sample", "selector": "amounts"},
        "ts_controlled": {
            "estimator": "beta_sample",
            "selector": "lp",
            "target": "controlled",
            "margin": 0.1,
            "buffer": 0.5,
        },
        "oracle_paced": {
            "estimator": "truth",
            "selector": "lp",
            "target": "paced",
            "fallback": "uniform",
        },
        "ts_ledger": {
            "estimator": "beta_sample",
            "selector": "lp",
            "steering": "ledger",
            "fallback": "greedy",
            "explore": 0.5,
        },
        "kl_ledger": {
            "estimator": "kl_ucb",
            "selector": "lp",
            "steering": "ledger",
            "reserve": 0.5,
            "explore": 0.3,
        },
        "optimistic_pessimistic": {
            "estimator": "kl_ucb",
            "selector": "lp",
            "constraint_belief": "lower",
            "explore": 0.2,
        },
        "kl_mean": {"estimator": "kl_ucb", "selector": "lp", "constraint_belief": "mean"},
        "bwk_primal_dual": {"estimator": "ucb1", "selector": "primal_dual"},
        "bwk_ts": {"estimator": "beta_sample", "selector": "primal_dual"},
        "eps_greedy_lp": {"estimator": "empirical", "selector": "eps_greedy"},
        "uniform": {"estimator": "truth", "selector": "uniform"},
    }.items()
}


class Problem:
    """Arms and a floor; an Arms object cannot be a parameter's id."""

    def __init__(self, mean, value, eta: float, horizon: int):
        self.arms, self.eta, self.horizon = arm_table.make(mean, value), eta, horizon


def random_problem(seed: int, n: int, eta: float, horizon: int) -> Problem:
    rng = np.random.default_rng(seed)
    return Problem(rng.beta(1, 2, n), rng.random(n), eta, horizon)


def coupon_like() -> Problem:
    """Prices in round numbers, most means small, few large."""
    rng = np.random.default_rng(8)
    return Problem(rng.beta(0.6, 1.5, 60), rng.integers(1, 101, 60) / 100, 0.45, 2_000)


def edx_like() -> Problem:
    """Many arms, some of them duplicates, exact zeros and an exact one."""
    rng = np.random.default_rng(9)
    mean = np.round(rng.beta(1, 3, 150), 2)
    mean[:4], mean[-1] = 0.0, 1.0
    return Problem(mean, np.round(rng.random(150), 1), 0.5, 2_000)


PROBLEMS = {
    "one arm": Problem([0.4], [0.7], 0.3, 100),
    "two arms": Problem([0.2, 0.9], [1.0, 0.1], 0.5, 400),
    "twelve arms": random_problem(1, 12, 0.4, 1_500),
    "forty arms": random_problem(2, 40, 0.6, 400),
    "unconstrained": random_problem(3, 10, 0.0, 400),
    "floor of one, met": Problem([0.3, 1.0, 0.8, 1.0], [0.9, 0.2, 0.5, 0.3], 1.0, 200),
    "floor of one, not met": random_problem(4, 6, 1.0, 200),
    "often infeasible": Problem([0.1, 0.5, 0.86, 0.3], [1.0, 0.8, 0.3, 0.9], 0.85, 600),
    "zeros and ones": Problem([0, 1, 0, 0.5, 1, 0.25], [1, 0.1, 0.5, 0.9, 0, 0.7], 0.7, 400),
    "worthless arms": Problem([0.2, 0.9, 0.6, 0.7], [0.8, 0.0, 0.0, 0.3], 0.65, 400),
    "duplicate arms": Problem([0.3, 0.8, 0.3, 0.8, 0.3], [0.9, 0.2, 0.9, 0.2, 0.9], 0.6, 400),
    "floor at a mean": Problem([0.1, 0.5, 0.9, 0.7], [0.95, 0.4, 0.1, 0.25], 0.5, 400),
}


def setting_of(problem: Problem, policy: Policy, **change) -> Setting:
    setting = Setting("data", problem.eta, problem.horizon, policy, 3, 17, engine="dense")
    return replace(setting, **change)


def played(problem: Problem, policy: Policy, **change) -> simulate.Run:
    setting = setting_of(problem, policy, **change)
    return simulate.simulate(setting, problem.arms, solve_problem(problem.arms, setting.goal))


def column(table: pa.Table, name: str) -> np.ndarray:
    return table[name].to_numpy()


# --- round by round


@pytest.mark.parametrize("problem", PROBLEMS.values(), ids=PROBLEMS)
@pytest.mark.parametrize("policy", POLICIES.values(), ids=POLICIES)
def test_every_round_is_the_twins(problem, policy):
    arms, eta, horizon = problem.arms, problem.eta, problem.horizon
    setting = setting_of(problem, policy)
    run = played(problem, policy, points=horizon, record="plays")
    rng = choice_stream(setting.seed, setting.dataset, eta, policy.name, setting.run)
    key = twin.luck_key(setting.seed, setting.dataset)
    program = twin.paper(arms.value, eta)
    expected = twin.play(policy, arms.mean, program, horizon, key, setting.run, rng)

    assert run.chosen.dtype == np.int32
    np.testing.assert_array_equal(run.chosen, expected.arm)

    series = {name: column(run.series, name) for name in run.series.column_names}
    np.testing.assert_array_equal(series["t"], np.arange(1, horizon + 1))
    np.testing.assert_array_equal(series["events"], expected.event.cumsum())
    np.testing.assert_array_equal(series["infeasible"], expected.infeasible.cumsum())
    rewards = expected.event * arms.value[expected.arm]
    np.testing.assert_allclose(series["reward"], rewards.cumsum(), rtol=1e-10)
    chances = expected.shares @ arms.mean
    np.testing.assert_allclose(series["expected_events"], chances.cumsum(), rtol=1e-10)
    worth = expected.shares @ (arms.mean * arms.value)
    np.testing.assert_allclose(series["expected_reward"], worth.cumsum(), rtol=1e-10)

    np.testing.assert_array_equal(series["amount_0"], series["events"])
    np.testing.assert_array_equal(series["expected_amount_0"], series["expected_events"])
    deficit = twin.shortfalls(expected.event, eta)
    worst = np.maximum.accumulate(deficit)
    np.testing.assert_allclose(series["worst_shortfall_0"], worst, rtol=1e-10, atol=1e-9)
    last = np.maximum.accumulate(np.where(deficit > 0, series["t"], 0))
    np.testing.assert_array_equal(series["last_shortfall_0"], last)

    best = twin.best_pair(arms.mean, arms.mean * arms.value, eta)
    suboptimal = ~np.isin(expected.arm, optimal_arms(problem) if best else [])
    np.testing.assert_array_equal(series["suboptimal"], suboptimal.cumsum())

    paid = np.bincount(expected.arm, expected.event, minlength=len(arms))
    np.testing.assert_array_equal(column(run.plays, "events"), paid)
    shares = column(run.plays, "expected_plays")
    np.testing.assert_allclose(shares, expected.shares.sum(axis=0), rtol=1e-10)


def infeasible_rounds(problem: str, policy: str) -> int:
    return int(column(played(PROBLEMS[problem], POLICIES[policy]).series, "infeasible")[-1])


def test_the_problems_have_the_phases_they_promise():
    assert infeasible_rounds("twelve arms", "truth") == 0
    assert 50 < infeasible_rounds("often infeasible", "lincon_ts") < 500
    assert infeasible_rounds("floor of one, met", "lincon_kl_ucb") == 0
    assert infeasible_rounds("floor of one, met", "lincon_ts") == 200 - 4
    assert infeasible_rounds("floor of one, not met", "truth") == 200 - 6
    assert infeasible_rounds("often infeasible", "thompson") == 0


def test_sure_arms_always_pay_and_hopeless_ones_never():
    problem = PROBLEMS["zeros and ones"]
    for policy in POLICIES.values():
        plays = played(problem, policy).plays
        rate = column(plays, "events") / column(plays, "plays")
        assert set(rate[problem.arms.mean == 0.0]) == {0.0}
        assert set(rate[problem.arms.mean == 1.0]) == {1.0}


# --- the recorder


@given(st.integers(1, 10**6), st.integers(1, 2_000))
def test_recorded_rounds(horizon, points):
    rounds = recorded_rounds(horizon, points)
    assert rounds.dtype == np.int64
    assert rounds[0] == 1 and rounds[-1] == horizon
    assert (np.diff(rounds) > 0).all()
    assert rounds.size <= max(points, 4)
    assert points < horizon or rounds.size == horizon


def test_recorded_rounds_start_log_spaced_and_go_on_evenly():
    rounds = recorded_rounds(50_000, 200)
    assert 180 <= rounds.size <= 200
    assert set(range(1, 9)) <= set(rounds)
    # No step beyond the tenth round is longer than that of either grid.
    ratio, step = 50_000 ** (1 / 99), 50_000 / 99
    assert (rounds[1:] <= np.maximum(rounds[:-1] * ratio + 1, 10)).all()
    assert np.diff(rounds).max() <= step + 1


@pytest.mark.parametrize("points", [2_000, 2_001, 4_000])
def test_as_many_points_as_rounds_are_all_rounds(points):
    np.testing.assert_array_equal(recorded_rounds(2_000, points), np.arange(1, 2_001))
    assert recorded_rounds(2_000, 1_999).size < 2_000


def test_columns_and_types():
    run = played(PROBLEMS["two arms"], POLICIES["lincon_ts"])
    integer, real = pa.int64(), pa.float64()
    assert dict(zip(run.series.schema.names, run.series.schema.types, strict=True)) == {
        "run": integer,
        "t": integer,
        "reward": real,
        "events": integer,
        "expected_reward": real,
        "expected_events": real,
        "infeasible": integer,
        "suboptimal": integer,
        "amount_0": real,
        "expected_amount_0": real,
        "worst_shortfall_0": real,
        "last_shortfall_0": integer,
    }
    assert dict(zip(run.plays.schema.names, run.plays.schema.types, strict=True)) == {
        "run": integer,
        "arm": integer,
        "plays": integer,
        "events": integer,
        "expected_plays": real,
    }
    assert set(column(run.series, "run")) == set(column(run.plays, "run")) == {3}
    assert column(run.plays, "arm").tolist() == [0, 1]
    np.testing.assert_array_equal(column(run.series, "t"), recorded_rounds(400, 200))


def test_progress_is_told_the_recorded_rounds():
    problem, told = PROBLEMS["two arms"], []
    setting = setting_of(problem, POLICIES["lincon_ts"], points=20)
    stated = solve_problem(problem.arms, problem.eta)
    run = simulate.simulate(setting, problem.arms, stated, told.append)
    assert told == column(run.series, "t").tolist()


def test_fewer_points_record_the_same_run():
    problem, policy = PROBLEMS["twelve arms"], POLICIES["lincon_ts"]
    full = played(problem, policy, points=2 * problem.horizon)
    few = played(problem, policy, points=30)
    assert full.series.take(column(few.series, "t") - 1).equals(few.series)
    assert full.plays.equals(few.plays)


# --- sums


BENCH = {"coupon": coupon_like(), "edx": edx_like()} | {
    name: PROBLEMS[name]
    for name in ("twelve arms", "unconstrained", "often infeasible", "floor at a mean")
}


def bench_runs(problem: Problem, policy: Policy):
    return [played(problem, policy, run=run, points=25) for run in range(3)]


@pytest.mark.parametrize("problem", BENCH.values(), ids=BENCH)
@pytest.mark.parametrize("policy", POLICIES.values(), ids=POLICIES)
def test_totals_add_up(problem, policy):
    mean, value, horizon = problem.arms.mean, problem.arms.value, problem.horizon
    for run in bench_runs(problem, policy):
        plays, events, shares = (
            column(run.plays, name) for name in ("plays", "events", "expected_plays")
        )
        last = {name: column(run.series, name)[-1] for name in run.series.column_names}
        assert plays.sum() == last["t"] == horizon
        assert (plays >= 1).all() and (events <= plays).all()
        assert events.sum() == last["events"]
        assert shares.sum() == pytest.approx(horizon, rel=1e-9)
        assert (shares >= 1 - 1e-9).all()
        assert last["infeasible"] <= horizon - len(problem.arms)
        assert last["reward"] == pytest.approx(events @ value, rel=1e-9)
        assert last["expected_reward"] == pytest.approx(shares @ (mean * value), rel=1e-9)
        assert last["expected_events"] == pytest.approx(shares @ mean, rel=1e-9)
        for name in run.series.column_names[1:]:
            assert (np.diff(column(run.series, name)) >= 0).all()


def optimum_and_price(problem: Problem) -> tuple[float, float]:
    """r*, and lambda* as the lowest price at which no arm below eta is worth more than r*."""
    mean, reward = problem.arms.mean, problem.arms.mean * problem.arms.value
    low, high, share = lp.solve(mean, reward, problem.eta)
    best = share * reward[low] + (1 - share) * reward[high]
    below = mean < problem.eta
    return best, np.max((reward - best)[below] / (problem.eta - mean[below]), initial=0.0)


def optimal_arms(problem: Problem) -> np.ndarray:
    """The arms that cost nothing: all that are worth as much as the best at the price lambda*."""
    worth = (problem.arms.value + optimum_and_price(problem)[1]) * problem.arms.mean
    return np.flatnonzero(worth > worth.max() - 1e-9)


def test_plays_of_arms_that_tie_are_not_suboptimal():
    """Lemma 2 bounds the plays of arms with D_i > 0; here there are none."""
    duplicates = PROBLEMS["duplicate arms"]
    assert optimal_arms(duplicates).tolist() == [0, 1, 2, 3, 4]
    run = played(duplicates, POLICIES["lincon_ts"])
    assert not column(run.series, "suboptimal").any()


@pytest.mark.parametrize("problem", BENCH.values(), ids=BENCH)
@pytest.mark.parametrize("policy", POLICIES.values(), ids=POLICIES)
def test_composite_regret_is_the_sum_over_the_arms(problem, policy):
    """DESIGN section 5: R + lambda* V = sum_i D_i m_i, signed and on the expected basis."""
    mean, value, eta, horizon = (
        problem.arms.mean,
        problem.arms.value,
        problem.eta,
        problem.horizon,
    )
    best, price = optimum_and_price(problem)
    worth = (value + price) * mean
    gaps = worth.max() - worth
    assert worth.max() == pytest.approx(best + price * eta, rel=1e-12)
    for run in bench_runs(problem, policy):
        regret = horizon * best - column(run.series, "expected_reward")[-1]
        violation = horizon * eta - column(run.series, "expected_events")[-1]
        by_arm = gaps @ column(run.plays, "expected_plays")
        assert regret + price * violation == pytest.approx(by_arm, rel=1e-9)
        assert by_arm > 0


# --- mixtures


def mixture_of(*shares: tuple[int, float]) -> selectors.Mixture:
    mixture = selectors.Mixture.new(len(shares) - 1)
    for k, (arm, share) in enumerate(shares):
        mixture.arm[k], mixture.share[k] = arm, share
    return mixture


@pytest.mark.parametrize("seed", range(10))
def test_arms_are_drawn_by_their_shares(seed):
    """Chi-square of `draw` for mixtures of up to five arms."""
    rng = np.random.default_rng(seed)
    size = int(rng.integers(1, 6))
    arms, shares = rng.permutation(9)[:size], rng.dirichlet(np.ones(size))
    mixture = mixture_of(*zip(arms, shares, strict=True))
    drawn = [selectors.draw(mixture, size, 9, u) for u in rng.random(20_000)]
    counts = np.bincount(drawn, minlength=9)
    assert counts.sum() == counts[arms].sum()
    if size > 1:
        assert scipy.stats.chisquare(counts[arms], 20_000 * shares).pvalue > 1e-3


@pytest.mark.parametrize("arms", [1, 2, 3, 10, 290])
def test_the_largest_uniform_draws_the_last_arm(arms):
    below_one, nobody = np.nextafter(1.0, 0.0), mixture_of((0, 1.0))
    assert selectors.draw(nobody, 0, arms, below_one) == arms - 1
    assert selectors.draw(nobody, 0, arms, 0.0) == 0


def test_shares_of_zero_and_one_are_certain():
    assert selectors.draw(mixture_of((4, 0.0), (7, 1.0)), 2, 9, 0.0) == 7
    assert selectors.draw(mixture_of((4, 1.0), (7, 0.0)), 2, 9, np.nextafter(1.0, 0.0)) == 4


def test_the_optimal_policy_plays_its_mixture():
    """Chi-square through the whole engine: after the first rounds, theta is fixed."""
    problem = replace_horizon(PROBLEMS["two arms"], 20_000)
    plays = column(played(problem, POLICIES["truth"]).plays, "plays") - 1
    low, high, share = lp.solve(
        problem.arms.mean, problem.arms.mean * problem.arms.value, problem.eta
    )
    assert (low, high) == (0, 1)
    assert scipy.stats.chisquare(plays, 19_998 * np.array([share, 1 - share])).pvalue > 1e-3


def test_infeasible_rounds_are_uniform():
    problem = replace_horizon(PROBLEMS["floor of one, not met"], 20_000)
    plays = column(played(problem, POLICIES["truth"]).plays, "plays") - 1
    assert scipy.stats.chisquare(plays).pvalue > 1e-3


def replace_horizon(problem: Problem, horizon: int) -> Problem:
    return Problem(problem.arms.mean, problem.arms.value, problem.eta, horizon)


@pytest.mark.parametrize("problem", ["twelve arms", "two arms", "floor at a mean"])
@pytest.mark.parametrize("engine", KERNEL_ENGINES)
def test_the_oracle_has_no_composite_regret_after_the_first_rounds(problem, engine):
    problem = PROBLEMS[problem]
    stated, n = solve_problem(problem.arms, problem.eta), len(problem.arms)
    series = played(problem, POLICIES["truth"], points=problem.horizon, engine=engine).series
    t = column(series, "t")
    regret = t * stated.optimum - column(series, "expected_reward")
    violation = t * problem.eta - column(series, "expected_events")
    composite = regret + stated.price * violation
    np.testing.assert_allclose(composite[n - 1 :], composite[n - 1], rtol=0, atol=1e-9)


@pytest.mark.parametrize("target", ["fixed", "paced"])
@pytest.mark.parametrize("estimator", ["beta_sample", "kl_ucb", "ucb1"])
def test_without_a_floor_the_lp_is_the_unconstrained_policy(estimator, target):
    problem = PROBLEMS["unconstrained"]
    specs = {"selector": "lp", "target": target, "fallback": "greedy"}, {"selector": "argmax"}
    lp_run, argmax_run = (
        played(problem, policies.make_policy("same", {"estimator": estimator, **spec}))
        for spec in specs
    )
    assert lp_run.series.equals(argmax_run.series)
    assert lp_run.plays.equals(argmax_run.plays)


def test_argmax_does_not_look_at_the_floor():
    problem = PROBLEMS["twelve arms"]
    first, second = (
        engine_for(problem, POLICIES["thompson"], eta=eta, seed_eta=0.4) for eta in (0.0, 1.0)
    )
    for engine in (first, second):
        engine.advance(1, 500)
    np.testing.assert_array_equal(first.tally.plays, second.tally.plays)


# --- the same bytes


def engine_for(problem: Problem, policy: Policy, eta=None, seed_eta=None) -> DenseEngine:
    arms: Arms = problem.arms
    eta = problem.eta if eta is None else eta
    rng = choice_stream(1, "data", eta if seed_eta is None else seed_eta, policy.name, 0)
    key = luck_key(1, "data")
    return DenseEngine(paper_game(policy, arms.mean, arms.value, eta, problem.horizon, key, 0, rng))


@given(st.lists(st.integers(1, 600), max_size=12), st.sampled_from(list(POLICIES)))
@settings(max_examples=40)
def test_blocks_of_any_size_give_the_same_bytes(cuts, name):
    problem = PROBLEMS["often infeasible"]
    whole, pieces = (engine_for(problem, POLICIES[name]) for _ in range(2))
    whole.advance(1, 600)
    before = 0
    for cut in sorted({*cuts, 600}):
        pieces.advance(before + 1, cut)
        before = cut
    for one, other in zip(whole.tally, pieces.tally, strict=True):
        assert one.tobytes() == other.tobytes()


@pytest.mark.parametrize("policy", POLICIES.values(), ids=POLICIES)
def test_the_same_setting_gives_the_same_tables(policy):
    problem = PROBLEMS["twelve arms"]
    one, other = (played(problem, policy) for _ in range(2))
    assert one.series.equals(other.series) and one.plays.equals(other.plays)


@pytest.mark.parametrize("change", [{"run": 4}, {"seed": 18}, {"dataset": "other"}], ids=str)
def test_another_key_gives_another_run(change):
    problem, policy = PROBLEMS["twelve arms"], POLICIES["lincon_ts"]
    one, other = played(problem, policy), played(problem, policy, **change)
    assert not one.plays.drop(["run"]).equals(other.plays.drop(["run"]))


def test_policies_of_a_run_share_their_random_events():
    """Two names for one deterministic rule differ only in their choices, which it hardly makes."""
    problem = PROBLEMS["unconstrained"]
    policy = POLICIES["kl_ucb"]
    one, other = played(problem, policy), played(problem, replace(policy, name="another"))
    assert one.series.equals(other.series)
    # Forced rounds are the same for all policies, and so are their events.
    forced = [
        played(problem, policy, horizon=len(problem.arms)).plays for policy in POLICIES.values()
    ]
    assert all(table.equals(forced[0]) for table in forced)


def test_a_whole_number_for_the_floor_changes_nothing():
    problem, policy = PROBLEMS["floor of one, met"], POLICIES["lincon_kl_ucb"]
    assert played(problem, policy, goal=1).series.equals(played(problem, policy, goal=1.0).series)


# --- what is refused


def test_a_horizon_too_short_for_the_arms_is_refused():
    problem, policy = PROBLEMS["twelve arms"], POLICIES["lincon_ts"]
    with pytest.raises(UserError) as refusal:
        played(problem, policy, horizon=11)
    assert str(refusal.value) == (
        "horizon 11 is too short for data: each of its 12 arms is played once first, "
        "so at least 12 rounds are needed"
    )
    assert played(problem, policy, horizon=12).plays["plays"].to_pylist() == [1] * 12


@pytest.mark.parametrize("key", ["engine", "record"])
def test_an_unknown_engine_or_record_is_refused(key):
    with pytest.raises(UserError, match=f"{key}: 'steam' is not one of"):
        played(PROBLEMS["two arms"], POLICIES["lincon_ts"], **{key: "steam"})


def test_the_problem_of_another_floor_or_of_other_arms_is_refused():
    problem, other = PROBLEMS["two arms"], PROBLEMS["one arm"]
    setting = setting_of(problem, POLICIES["lincon_ts"])
    for stated in (solve_problem(problem.arms, 0.4), solve_problem(other.arms, problem.eta)):
        with pytest.raises(UserError, match="they must be the same"):
            simulate.simulate(setting, problem.arms, stated)


@pytest.mark.parametrize("engine", simulate.ENGINES)
@pytest.mark.parametrize("part", list(policies.TABLES))
def test_a_part_that_no_engine_knows_is_refused(engine, part):
    policy = replace(POLICIES["lincon_ts"], **{part: "steam"})
    with pytest.raises(UserError, match=f"{part}: 'steam' is not one of"):
        played(PROBLEMS["two arms"], policy, engine=engine)


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        ("estimator", "no estimator has this code"),
        ("selector", "no selector has this code"),
        ("target", "no target has this code"),
        ("steering", "no steering has this code"),
    ],
)
def test_an_unknown_code_plays_no_other_policy(code, sentence):
    mean, spec = np.array([0.2, 0.9]), {"estimator": "truth", "selector": "lp"}
    made = DenseEngine(
        game_of(spec, mean, twin.paper([1.0, 0.1], 0.5), 9, luck_key(1, "d"), 0, None)
    )
    arguments = list(made._arguments)
    place = next(k for k, one in enumerate(arguments) if isinstance(one, control.Control))
    arguments[place] = arguments[place]._replace(**{code: 99})
    made._arguments = (*arguments[:4], np.random.default_rng(0), *arguments[5:])
    with pytest.raises(ValueError, match=sentence):
        made.advance(1, 9)
    now = policies.make_policy("p", {"estimator": "ucb1", "selector": "lp"}).numbers
    with pytest.raises(ValueError, match="no index has this code"):
        new_round(99, now, 3)
    with pytest.raises(ValueError, match="no index has this code"):
        estimators.believe_lower(99, now, *np.ones((2, 2), np.int64), 3, np.zeros(2))


# --- how far the floor was missed


def test_a_floor_met_to_rounding_is_no_shortfall():
    tally = Tally.new(np.array([0.5]), twin.paper([1.0], 0.07))
    amounts = tally.amounts[:, 0]
    amounts[AMOUNT] = 7.0
    assert 100 * 0.07 > 7.0
    count_shortfall(tally, 0, 100, 0.07)
    assert amounts[WORST_SHORTFALL] == amounts[LAST_SHORTFALL] == 0.0
    count_shortfall(tally, 0, 101, 0.07)
    assert amounts[WORST_SHORTFALL] == pytest.approx(0.07)
    assert amounts[LAST_SHORTFALL] == 101


def test_the_worst_round_counts_even_if_it_is_not_recorded():
    problem, policy = PROBLEMS["two arms"], POLICIES["lincon_ts"]
    every, few = (played(problem, policy, points=points) for points in (400, 2))
    deficit = problem.eta * np.arange(1, 401) - column(every.series, "events")
    for run in (every, few):
        assert column(run.series, "worst_shortfall_0")[-1] == pytest.approx(deficit.max())
        assert column(run.series, "last_shortfall_0")[-1] == np.flatnonzero(deficit > 1e-9)[-1] + 1


def test_the_arm_of_every_round_is_kept_only_on_request():
    problem, policy = PROBLEMS["twelve arms"], POLICIES["lincon_kl_ucb"]
    without = played(problem, policy)
    assert without.chosen is None
    with pytest.raises(UserError, match="it is to be plays"):
        without.rounds()
    for engine in KERNEL_ENGINES:
        run = played(problem, policy, engine=engine, record="plays")
        assert run.chosen.shape == (problem.horizon,)
        rounds = run.rounds()
        assert rounds.schema.field("arm").type == pa.int32()
        np.testing.assert_array_equal(column(rounds, "arm"), run.chosen)
        np.testing.assert_array_equal(column(rounds, "t"), np.arange(1, problem.horizon + 1))
        np.testing.assert_array_equal(np.bincount(run.chosen), column(run.plays, "plays"))
