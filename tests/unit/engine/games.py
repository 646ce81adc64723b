"""Engines, problems and their inputs for tests, and runs held against the twin round by round."""

import json
import math
from dataclasses import replace

import numpy as np

from lincon.data import arms as arm_table
from lincon.engine.dense import DenseEngine
from lincon.engine.inputs import RunInputs
from lincon.engine.lazy.engine import LazyEngine
from lincon.engine.randomness import choice_stream
from lincon.engine.simulate import Run, Setting, simulate
from lincon.policies.registry import Policy, make_policy
from lincon.problem.goal import Constraint, Goal, as_goal
from lincon.problem.program import Program, program
from lincon.problem.solve import solve_problem
from tests.unit.engine import twin
from tests.unit.engine.plain_luck import luck, luck_key

ENGINES = {"dense": DenseEngine, "lazy": LazyEngine}
SEED, RUN = 17, 3


def game_of(policy, mean, numbers: Program, horizon: int, key, run: int, rng) -> RunInputs:
    policy = make_policy("p", policy) if isinstance(policy, dict) else policy
    return RunInputs(
        policy=policy,
        mean=np.asarray(mean),
        goal=Goal.floor(0.5),
        program=numbers,
        horizon=horizon,
        key=key,
        run=run,
        rng=rng,
    )


def paper_game(policy, mean, value, eta, horizon, key, run, rng) -> RunInputs:
    return game_of(policy, mean, twin.paper(value, eta), horizon, key, run, rng)


class Problem:
    """Arms, a floor or a goal, perhaps kinds of request, late feedback and drift."""

    def __init__(self, mean, value, goal, horizon: int, kinds=None, **surroundings):
        text = json.dumps(surroundings) if surroundings else ""
        columns = {"price": [0.31, 0.72, 0.23, 0.94, 0.55]} if isinstance(goal, Goal) else {}
        made = arm_table.make(mean, value, None, columns, **kinds or {})
        self.arms = replace(made, world=text)
        self.eta = self.goal = goal
        self.horizon, self.surroundings = horizon, surroundings

    def setting(self, policy: Policy, **change) -> Setting:
        setting = Setting("data", self.goal, self.horizon, policy, RUN, SEED, engine="dense")
        return replace(setting, **change)

    def play(self, policy: Policy, **change) -> Run:
        setting = self.setting(policy, **change)
        return simulate(setting, self.arms, solve_problem(self.arms, setting.goal))


def random_problem(seed: int, n: int, eta: float, horizon: int) -> Problem:
    rng = np.random.default_rng(seed)
    return Problem(rng.beta(1, 2, n), rng.random(n), eta, horizon)


RATE = Constraint("rate", per_event=1.0, bound=0.6)
SPENDING = Constraint("spending", per_play="price", sense="at_most", bound=0.55)
FALLING = Constraint("falling", per_event=-0.5, per_play=1.0, bound=0.55)
ARMS = [0.1, 0.5, 0.86, 0.3, 0.95], [1.0, 0.8, 0.3, 0.9, 0.05]
DELAY = {"rounds": 1, "mean": 8.0, "lost": 0.2, "timeout": 10}
DRIFT = {"at": 90, "size": 1.0, "walk": 0.05}
PROBLEMS = {
    "one arm": Problem([0.4], [0.7], 0.3, 60),
    "two arms": Problem([0.2, 0.9], [1.0, 0.1], 0.5, 300),
    "twelve arms": random_problem(1, 12, 0.4, 500),
    "unconstrained": random_problem(3, 10, 0.0, 200),
    "often infeasible": Problem([0.1, 0.5, 0.86, 0.3], [1.0, 0.8, 0.3, 0.9], 0.85, 600),
    "zeros and ones": Problem([0, 1, 0, 0.5, 1, 0.25], [1, 0.1, 0.5, 0.9, 0, 0.7], 0.7, 200),
    "duplicate arms": Problem([0.3, 0.8, 0.3, 0.8, 0.3], [0.9, 0.2, 0.9, 0.2, 0.9], 0.6, 200),
    "a falling amount": Problem(*ARMS, Goal((FALLING,)), 150),
    "three constraints": Problem(*ARMS, Goal((RATE, SPENDING, FALLING), cost=0.1), 150),
}
CHANGING = {
    "late": Problem(*ARMS, 0.7, 300, delay={"rounds": 7}),
    "late or lost": Problem(*ARMS, 0.7, 300, delay=DELAY),
    "step": Problem(*ARMS, 0.7, 300, drift={"at": 150, "size": 1.5}),
    "late, and drifting": Problem(*ARMS, 0.7, 300, delay=DELAY, drift=DRIFT),
    "two constraints": Problem(*ARMS, Goal((RATE, SPENDING)), 150, delay=DELAY, drift=DRIFT),
}
SIX = [0.2, 0.55, 0.9, 0.4, 0.7, 0.95], [1.0, 0.8, 0.1, 0.9, 0.5, 0.05]
TWO = {"kind": ["code"] * 3 + ["chat"] * 3, "kind_shares": {"code": 0.3, "chat": 0.7}}
MIXED = {"kind": ["code", "chat", "code", "chat", "code"]}
CODE = Constraint("code", per_event=1.0, bound=0.5, kind="code")
KINDS = {
    "two kinds": Problem(*SIX, 0.75, 400, kinds=TWO),
    "kinds, often infeasible": Problem(*SIX, 0.92, 400, kinds=TWO),
    "a floor for one kind": Problem(*ARMS, Goal((RATE, CODE)), 150, kinds=MIXED),
    "kinds, late and drifting": Problem(*SIX, 0.7, 200, kinds=TWO, delay=DELAY, drift=DRIFT),
}


def plain_means(start, horizon: int, at=0, size=0.0, walk=0.0) -> np.ndarray:
    """The means of every round, by the formula."""
    key, shift, means = luck_key(SEED, "data: drift"), np.zeros(len(start)), []
    for t in range(1, horizon + 1):
        spread = math.sqrt(walk**2 + (size**2 if t == at else 0.0)) if t > 1 else 0.0
        for i in range(len(start)):
            one, two = (luck(key, RUN, t, 2 * i + k) for k in (0, 1))
            shift[i] += spread * math.sqrt(-2 * math.log(1 - one)) * math.cos(2 * math.pi * two)
        odds = np.exp(shift) * start / np.where(start < 1, 1 - start, 1.0)
        means.append(np.where(start < 1, odds / (1 + odds), 1.0))
    return np.array(means)


def plain_kinds(arms, horizon: int) -> list[int]:
    """The kind of every request, by the formula."""
    key, last = luck_key(SEED, "data: kind"), len(arms.kind_shares) - 1
    upto = np.cumsum(arms.kind_shares)[:last]
    return [int((luck(key, RUN, t, 0) >= upto).sum()) for t in range(1, horizon + 1)]


def plain_arrival(rounds=0, mean=0.0, lost=0.0, timeout=math.inf):
    key = luck_key(SEED, "data: delay")

    def arrival(t: int, arm: int) -> tuple[float, bool]:
        uniform, wait = luck(key, RUN, t, arm), math.inf
        if uniform >= lost:
            rest = (uniform - lost) / (1 - lost)
            failures = math.log(1 - rest) / math.log(mean / (1 + mean)) if mean else 0.0
            wait = rounds + math.floor(failures)
        return (t + wait, True) if wait <= timeout else (t + timeout, False)

    return arrival


def assert_twin(policy: Policy, problem: Problem) -> None:
    """Every round of a dense run, and all that is counted of it, against the twin's."""
    arms, goal, horizon, around = problem.arms, problem.goal, problem.horizon, problem.surroundings
    run = problem.play(policy, points=horizon, record="plays")
    goal, key = as_goal(goal), goal.text if isinstance(goal, Goal) else goal
    numbers, rng = program(arms, goal), choice_stream(SEED, "data", key, policy.name, RUN)
    means = np.tile(arms.mean, (horizon, 1))
    if "drift" in around:
        means = plain_means(arms.mean, horizon, **around["drift"])
    arrival = plain_arrival(**around["delay"]) if "delay" in around else None
    kinds = plain_kinds(arms, horizon)
    expected = twin.play(policy, means, numbers, luck_key(SEED, "data"), RUN, rng, arrival, kinds)
    np.testing.assert_array_equal(run.chosen, expected.arm)

    series = {name: run.series[name].to_numpy() for name in run.series.column_names}
    np.testing.assert_array_equal(series["t"], np.arange(1, horizon + 1))
    np.testing.assert_array_equal(series["events"], expected.event.cumsum())
    np.testing.assert_array_equal(series["infeasible"], expected.infeasible.cumsum())
    gains, arm, paid = means * numbers.value - numbers.cost, expected.arm, expected.event
    optimal = solve_problem(arms, goal)

    def given_requests(gives: np.ndarray) -> np.ndarray:
        """Of every round, less what the optimal mixture has by the luck of its kind."""
        luck = np.zeros(numbers.share.size)
        for i, x in zip(optimal.support, optimal.shares, strict=True):
            luck[arms.kind[i]] += x * (arms.mean * gives[0] + gives[1])[i]
        luck = (luck - numbers.share @ luck)[kinds] if numbers.share.size > 1 else 0.0
        return (expected.shares * (means * gives[0] + gives[1])).sum(axis=1) - luck

    sums = {
        "reward": paid * numbers.value[arm] - numbers.cost[arm],
        "expected_events": given_requests(np.array([numbers.value * 0.0 + 1, numbers.value * 0.0])),
        "expected_reward": given_requests(np.array([numbers.value, -numbers.cost])),
    }
    for j, constraint in enumerate(goal.constraints):
        realised = paid * numbers.a[j, arm] + numbers.b[j, arm]
        sums[f"amount_{j}"] = constraint.sign * realised
        amount = given_requests(np.array([numbers.a[j], numbers.b[j]]))
        sums[f"expected_amount_{j}"] = constraint.sign * amount
        # A bound that is met exactly is not missed.
        short = np.round(numbers.e[j] * series["t"] - realised.cumsum(), 9)
        worst, last = series[f"worst_shortfall_{j}"], series[f"last_shortfall_{j}"]
        np.testing.assert_allclose(worst, np.maximum.accumulate(np.maximum(short, 0)), atol=1e-8)
        missed = np.where(short > 0, series["t"], 0)
        np.testing.assert_array_equal(last, np.maximum.accumulate(missed))
    # The twin's prior is fitted to six digits, and the shares of its mixtures follow it.
    near = 1e-6 if policy.prior == "learned" else 1e-9
    for name, each in sums.items():
        np.testing.assert_allclose(series[name], each.cumsum(), rtol=near, atol=near)
    assert ("optimum" in series) == ("drift" in around)
    if "drift" in around:
        best = []
        for mean, gain in zip(means, gains, strict=True):
            amount, one = mean * numbers.a + numbers.b, np.ones((1, len(arms)))
            of_kind = one if numbers.share.size == 1 else np.eye(numbers.share.size)[arms.kind].T
            shares = twin.best_vertex(amount, gain, numbers.e, of_kind, numbers.share)
            best.append(sum(share * gain[i] for i, share in shares.items()))
        np.testing.assert_allclose(series["optimum"], np.cumsum(best), rtol=1e-9)
    counts = {"plays": np.bincount(arm, minlength=len(arms)), "expected_plays": expected.shares}
    counts["events"] = np.bincount(arm, paid, minlength=len(arms))
    np.testing.assert_array_equal(run.plays["plays"], counts["plays"])
    np.testing.assert_array_equal(run.plays["events"], counts["events"])
    np.testing.assert_allclose(run.plays["expected_plays"], expected.shares.sum(axis=0), rtol=near)
