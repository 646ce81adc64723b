"""Engines, problems and games for tests."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from lincon.data import arms as arm_table
from lincon.engine.dense import DenseEngine
from lincon.engine.game import Game
from lincon.engine.lazy.engine import LazyEngine
from lincon.engine.simulate import Run, Setting, simulate
from lincon.policies.registry import Policy, make_policy
from lincon.problem.goal import Constraint, Goal, Program
from lincon.problem.solve import solve_problem
from tests.unit.engine.twin import paper

ENGINES = {"dense": DenseEngine, "lazy": LazyEngine}


def game_of(
    policy: Policy | dict, mean, program: Program, horizon: int, key, run: int, rng, recorded=0
) -> Game:
    """A game; the goal is only asked whether the lazy engine may play it."""
    policy = make_policy("p", policy) if isinstance(policy, dict) else policy
    lazy = program.e.size == 1 and (program.a >= 0.0).all() and (program.value >= 0.0).all()
    goal = Goal.floor(0.5) if lazy else Goal((Constraint("any", per_event=-1.0),))
    return Game(policy, mean, goal, program, horizon, key, run, rng, recorded)


def paper_game(policy, mean, value, eta, horizon, key, run, rng) -> Game:
    return game_of(policy, np.asarray(mean), paper(value, eta), horizon, key, run, rng)


class Problem:
    """Arms and a floor; an Arms object cannot be a parameter's id."""

    def __init__(self, mean, value, eta: float, horizon: int):
        self.arms, self.eta, self.horizon = arm_table.make(mean, value), eta, horizon

    def setting(self, policy: Policy, **change) -> Setting:
        setting = Setting("data", self.eta, self.horizon, policy, 3, 17, engine="dense")
        return replace(setting, **change)

    def play(self, policy: Policy, **change) -> Run:
        setting = self.setting(policy, **change)
        return simulate(setting, self.arms, solve_problem(self.arms, setting.goal))


def random_problem(seed: int, n: int, eta: float, horizon: int) -> Problem:
    rng = np.random.default_rng(seed)
    return Problem(rng.beta(1, 2, n), rng.random(n), eta, horizon)


PROBLEMS = {
    "one arm": Problem([0.4], [0.7], 0.3, 100),
    "two arms": Problem([0.2, 0.9], [1.0, 0.1], 0.5, 400),
    "twelve arms": random_problem(1, 12, 0.4, 1_000),
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
