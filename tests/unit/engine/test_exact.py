"""Exact answers on small problems: the whole tree of (arm, event), with its probabilities.

The tree of the formulas (tests/unit/engine/twin.py) is walked, and along every path the engine
is made to meet the same events and draws; its mixtures must be the tree's, and so the expectations.
Policies that sample are in test_exact_sampling.py.
"""

from __future__ import annotations

import copy
import functools
from collections import defaultdict
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest

from lincon.engine.dense import DenseEngine
from lincon.engine.game import Game
from lincon.engine.randomness import luck_key
from lincon.engine.tally import AMOUNT, EVENTS, REWARD
from lincon.policies.parts import TABLES
from lincon.policies.registry import make_policy
from lincon.problem.goal import Program
from tests.unit.engine.games import ENGINES, game_of
from tests.unit.engine.twin import Twin, paper
from tests.unit.policies.played import of

pytestmark = pytest.mark.slow

KEY = luck_key(0, "exact")
Interval = tuple[float, float]

# --- the tree of an index policy


class Branch(NamedTuple):
    """One arm of a round: its probability, the mixture it is from, and which draws lead to it."""

    probability: float
    arm: int
    shares: np.ndarray
    draws: tuple[Interval, ...]
    belief: Any


class Leaf(NamedTuple):
    """One path through all rounds; `shares` is the sum of its mixtures."""

    probability: float
    path: tuple[tuple[int, bool, tuple[Interval, ...]], ...]
    shares: np.ndarray


def branches(plain: Twin) -> Iterator[Branch]:
    n, t = plain.n, plain.t
    uniform = np.full(n, 1 / n)
    bins = [(i / n, (i + 1) / n) for i in range(n)]
    if t <= n:
        yield Branch(1.0, t - 1, np.eye(n)[t - 1], (), None)
        return
    chance = plain.exploration()
    coin: tuple[Interval, ...] = ((0.0, chance),) if chance < 1.0 else ()
    if chance > 0.0:
        for arm in range(n):
            yield Branch(chance / n, arm, uniform, (*coin, bins[arm]), None)
    if chance >= 1.0:
        return
    coin = ((chance, 1.0),) if chance > 0.0 else ()
    belief = plain.believe()
    mixture = plain.mixture(belief)
    played = mixture or dict.fromkeys(range(n), 1 / n)
    shares, end = np.array([played.get(i, 0.0) for i in range(n)]), 0.0
    for arm, share in played.items():
        draws = bins[arm] if mixture is None else (end, end + share)
        end += share
        yield Branch((1 - chance) * share, arm, shares, (*coin, draws), belief)


def leaves(plain: Twin, horizon: int) -> Iterator[Leaf]:
    if plain.t > horizon:
        yield Leaf(1.0, (), np.zeros(plain.n))
        return
    for branch in branches(plain):
        for event in (False, True):
            after = copy.deepcopy(plain)
            after.update(branch.arm, event, branch.belief)
            mean = plain.mean[branch.arm]
            weight = branch.probability * (mean if event else 1 - mean)
            step = (branch.arm, event, branch.draws)
            for leaf in leaves(after, horizon):
                yield Leaf(
                    weight * leaf.probability, (step, *leaf.path), branch.shares + leaf.shares
                )


@functools.cache
def streams() -> tuple[list[dict], np.ndarray]:
    """States of a generator, and the two uniforms that each gives first."""
    bits = [np.random.PCG64(seed) for seed in range(20_000)]
    states = [one.state for one in bits]
    return states, np.array([np.random.Generator(one).random(2) for one in bits])


@functools.cache
def state_for(draws: tuple[Interval, ...]) -> dict:
    """A state whose first uniforms are inside the intervals."""
    states, uniforms = streams()
    fits = np.ones(len(states), bool)
    for column, (low, high) in enumerate(draws):
        fits &= (low <= uniforms[:, column]) & (uniforms[:, column] < high)
    assert fits.any(), f"no state draws from {draws}"
    return states[int(np.argmax(fits))]


def follow(engine_class, game: Game, leaf: Leaf):
    """Play the path: a mean of 1 or 0 decides an event, the generator's state a draw."""
    engine = engine_class(game)
    for t, (_, event, draws) in enumerate(leaf.path, 1):
        game.mean[:] = event
        game.rng.bit_generator.state = state_for(draws)
        engine.advance(t, t)
    return engine.tally


INDEX_POLICIES = {
    "lincon_kl_ucb": of("kl_ucb", "lp"),
    "con_ucb": of("ucb1", "lp", explore=0.05),
    "kl_ucb": of("kl_ucb", "argmax"),
    "kl_amounts": of("kl_ucb", "amounts"),
    "kl_paced": of("kl_ucb", "lp", target="paced", fallback="greedy"),
    "kl_ledger": of("kl_ucb", "lp", steering="ledger", reserve=0.2),
    "opb": of("kl_ucb", "lp", constraint_belief="lower"),
    "kl_mean": of("kl_ucb", "lp", constraint_belief="mean"),
    # Its low indices leave rounds in which no mixture meets the floor.
    "ucb_greedy": of("ucb1", "lp", fallback="greedy", explore=0.05),
    "ucb_controlled": of("ucb1", "lp", target="controlled", explore=0.05, margin=0.1),
    "pess_opt": of("ucb1", "queue", explore=0.05, epsilon=0.2),
    "bwk_primal_dual": of("kl_ucb", "primal_dual"),
    "eps_greedy_lp": of("empirical", "eps_greedy", uniform_rate=0.3),
    "uniform": of("empirical", "uniform"),
}

MEANS = {2: [0.35, 0.8], 3: [0.3, 0.5, 0.9], 4: [0.2, 0.4, 0.6, 0.9]}
VALUES = {2: [1.0, 0.3], 3: [1.0, 0.7, 0.2], 4: [0.9, 1.0, 0.5, 0.3]}
# Two arms branch at most fourfold in a round.
SMALL = [(2, 6), (3, 6)]
LARGE = [(2, 8), (3, 8), (4, 8)]


def test_every_lazy_part_that_can_be_walked_is_in_a_tree():
    """The means are the tree's own, so `truth` cannot be; what samples, and its prior, has none."""
    for kind in TABLES.keys() - {"prior"}:
        found = {getattr(make_policy(name, spec), kind) for name, spec in INDEX_POLICIES.items()}
        lazy = {name for name, part in TABLES[kind].items() if part.lazy}
        assert found >= lazy - {"truth", "beta_sample"}


def check_tree(
    name: str, engine: str, arms: int, horizon: int, program: Program | None = None
) -> None:
    policy = make_policy(name, INDEX_POLICIES[name])
    mean, program = np.array(MEANS[arms]), program or paper(VALUES[arms], 0.6)
    if name in ("eps_greedy_lp", "uniform"):
        horizon = min(horizon, arms + 3)  # these branch three or five times as much
    game = game_of(policy, mean.copy(), program, horizon, KEY, 0, np.random.default_rng(0))
    total, plays = 0.0, np.zeros((3, arms))
    realised, amounts = np.zeros(2), np.zeros(program.e.size)
    for leaf in leaves(Twin(policy, mean, program, horizon), horizon):
        tally = follow(ENGINES[engine], game, leaf)
        counts = np.bincount([arm for arm, *_ in leaf.path], minlength=arms)
        np.testing.assert_array_equal(tally.plays, counts)
        total += leaf.probability
        plays += leaf.probability * np.array([leaf.shares, tally.expected_plays(), tally.plays])
        realised += leaf.probability * tally.totals[[REWARD, EVENTS]]
        amounts += leaf.probability * tally.amounts[AMOUNT]
    assert total == pytest.approx(1.0, abs=1e-12)
    exact, *found = plays
    for expectation in found:
        np.testing.assert_allclose(expectation, exact, rtol=0, atol=1e-12)
    gain, amount = mean * program.value - program.cost, mean * program.a + program.b
    np.testing.assert_allclose(realised, [exact @ gain, exact @ mean], rtol=0, atol=1e-12)
    np.testing.assert_allclose(amounts, amount @ exact, rtol=0, atol=1e-12)


def cases(sizes: list[tuple[int, int]]) -> list:
    dense = ("eps_greedy_lp", "uniform", "opb", "kl_mean")
    lazy = [name for name in INDEX_POLICIES if name not in dense]
    return [
        pytest.param(name, engine, *size, id=f"{name}-{engine}-{size[0]} arms, T = {size[1]}")
        for engine, names in (("dense", INDEX_POLICIES), ("lazy", lazy))
        for name in names
        for size in sizes
    ]


@pytest.mark.parametrize(("name", "engine", "arms", "horizon"), cases(SMALL))
def test_index_policies_play_the_whole_tree(name, engine, arms, horizon):
    check_tree(name, engine, arms, horizon)


# An event rate of at least .5 at a cost of at most .55 per play, and a share of the last arm.
COSTS = {2: [0.3, 0.7], 3: [0.2, 0.5, 0.9]}
BOUNDS = {2: [0.5, -0.62, -0.9], 3: [0.5, -0.6, -0.55]}


def several(arms: int, constraints: int) -> Program:
    zeros, last = np.zeros(arms), np.eye(arms)[-1]
    a = np.stack([zeros + 1.0, zeros, zeros])[:constraints]
    b = np.stack([zeros, -np.array(COSTS[arms]), -last])[:constraints]
    cost = 0.1 * np.array(COSTS[arms])
    return Program(np.array(VALUES[arms]), cost, a, b, np.array(BOUNDS[arms][:constraints]))


@pytest.mark.parametrize("constraints", [2, 3])
@pytest.mark.parametrize(("arms", "horizon"), SMALL)
@pytest.mark.parametrize("name", INDEX_POLICIES)
def test_several_constraints_play_the_whole_tree(name, arms, horizon, constraints):
    check_tree(name, "dense", arms, horizon, several(arms, constraints))


@pytest.mark.long
@pytest.mark.parametrize(("name", "engine", "arms", "horizon"), cases(LARGE))
def test_index_policies_play_a_larger_tree(name, engine, arms, horizon):
    check_tree(name, engine, arms, horizon)


# --- further: policies that remember nothing but their counts, by the law of the counts

BY_COUNTS = [
    name
    for name, spec in INDEX_POLICIES.items()
    if spec["selector"] not in ("queue", "primal_dual", "eps_greedy")
]
Counts = tuple[tuple[int, ...], tuple[int, ...]]


def expected_plays(mixture, mean: list[float], horizon: int) -> np.ndarray:
    """The expected plays of a policy whose mixture is a function of (t, plays, events)."""
    n = len(mean)
    plays = np.ones(n)
    states: dict[Counts, float] = {((0,) * n, (0,) * n): 1.0}
    for t in range(1, horizon + 1):
        after: dict[Counts, float] = defaultdict(float)
        for (counts, events), probability in states.items():
            shares = np.eye(n)[t - 1] if t <= n else mixture(t, counts, events)
            plays += probability * shares * (t > n)
            for arm in np.flatnonzero(shares):
                for event in (0, 1):
                    weight = shares[arm] * (mean[arm] if event else 1 - mean[arm])
                    after[one_more(counts, arm, 1), one_more(events, arm, event)] += (
                        probability * weight
                    )
        states = dict(after)
    return plays


def one_more(counts: tuple[int, ...], arm: int, by: int) -> tuple[int, ...]:
    return tuple(count + by * (i == arm) for i, count in enumerate(counts))


@pytest.mark.parametrize("arms", MEANS)
@pytest.mark.parametrize("name", BY_COUNTS)
def test_expected_plays_of_index_policies(name, arms, eta=0.6):
    """T = 12 for two and three arms, 9 for four, where the counts are many more."""
    policy, horizon = make_policy(name, INDEX_POLICIES[name]), 9 if arms == 4 else 12
    mean, program = np.array(MEANS[arms]), paper(VALUES[arms], eta)
    rng = np.random.default_rng(0)
    engine = DenseEngine(game_of(policy, mean, program, horizon, KEY, 0, rng))

    def by_engine(t: int, plays: tuple[int, ...], events: tuple[int, ...]) -> np.ndarray:
        tally = engine.tally
        tally.plays[:], tally.events[:] = plays, events
        for sums in (tally.totals, tally.shares, tally.lost_totals, tally.lost_shares):
            sums[:] = 0.0
        tally.amounts[AMOUNT] = sum(events)
        engine.advance(t, t)
        return tally.expected_plays()

    def by_formula(t: int, plays: tuple[int, ...], events: tuple[int, ...]) -> np.ndarray:
        plain = Twin(policy, mean, program, horizon)
        plain.plays, plain.events = np.array(plays), np.array(events)
        plain.amounts = np.array([float(sum(events))])
        mixture = None if plain.exploration() >= 1.0 else plain.mixture(plain.believe())
        found = np.zeros(arms)
        for arm, share in (mixture or dict.fromkeys(range(arms), 1 / arms)).items():
            found[arm] = share
        return found

    exact = expected_plays(by_formula, MEANS[arms], horizon)
    assert exact.sum() == pytest.approx(horizon, abs=1e-12)
    found = expected_plays(by_engine, MEANS[arms], horizon)
    np.testing.assert_allclose(found, exact, rtol=0, atol=1e-12)
