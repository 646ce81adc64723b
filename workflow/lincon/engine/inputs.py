"""The inputs of an engine.

Every engine has a `tally` and advance(first, last), which plays these rounds, counted from 1.
"""

from dataclasses import dataclass

import numpy as np

from lincon.engine.requests import Requests
from lincon.engine.tally import Tally
from lincon.policies.registry import Policy
from lincon.problem.goal import Goal
from lincon.problem.program import Program


@dataclass(frozen=True)
class RunInputs:
    """Everything that a run's rounds depend on.

    Attributes
    ----------
    policy, goal, program, horizon
        What is played, and on which problem.
    mean : float[N]
        The true means.
    key, run
        Key the events (lincon.engine.randomness).
    rng
        The policy's own stream.
    recorded
        Of how many rounds the arm that was played is kept.
    surroundings
        Delay and drift, as JSON; empty where there is neither. `seed` and `dataset` key them.
    history : float[2, N] or None
        Events and plays of each arm before round 1, where policies know them.
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
    surroundings: str = ""
    seed: int = 0
    dataset: str = ""
    history: np.ndarray | None = None

    def tally(self) -> Tally:
        return Tally.new(self.mean, self.program, self.recorded)

    def requests(self) -> Requests:
        return Requests.new(self.program, self.seed, self.dataset)
