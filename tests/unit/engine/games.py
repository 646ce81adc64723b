"""Engines and games for tests."""

from __future__ import annotations

import numpy as np

from lincon.engine.dense import DenseEngine
from lincon.engine.game import Game
from lincon.engine.lazy.engine import LazyEngine
from lincon.policies.registry import Policy, make_policy
from lincon.problem.goal import Constraint, Goal, Program
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
