"""What an engine is built from.

Every engine has a `tally` and advance(first, last), which plays these rounds, counted from 1.
"""

from dataclasses import dataclass

import numpy as np

from lincon.engine.tally import Tally
from lincon.policies.registry import Policy
from lincon.problem.goal import Goal, Program


@dataclass(frozen=True)
class Game:
    """One policy against one set of arms: all that a run's rounds depend on.

    `key` and `run` decide the events, `rng` is the policy's own stream (lincon.engine.randomness);
    `recorded`: of how many rounds the arm that was played is kept. `world` says whether feedback
    is late and means drift (lincon.engine.world); `seed` and `dataset` key that.
    `history`: events and plays of each arm before round 1, where policies know them.
    """

    policy: Policy
    mean: np.ndarray
    goal: Goal
    program: Program
    horizon: int
    key: np.ndarray
    run: int
    rng: np.random.Generator
    recorded: int = 0
    world: str = ""
    seed: int = 0
    dataset: str = ""
    history: np.ndarray | None = None

    def tally(self) -> Tally:
        return Tally.new(self.mean, self.program, self.recorded)
