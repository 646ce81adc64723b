"""Means that drift.

logit(mean) moves by a normal step of standard deviation `walk` in every round after the first, and
of `size` in round `at`. All draws are keyed, so every policy of a run has the same means.
"""

import json
import math
from typing import NamedTuple, Self

import numpy as np

from lincon.engine.inputs import RunInputs
from lincon.engine.randomness import luck, luck_key
from lincon.engine.tally import expect_uniform
from lincon.jit import entry, lean
from lincon.policies.control import Control
from lincon.policies.registry import make_policy
from lincon.policies.selectors import Mixture, Points, set_points, solve_mixture


class Drift(NamedTuple):
    """How means drift; `start` float[N]: those of round 1, `shift` float[N]: how far each has moved
    since, as a logit."""

    moves: bool
    at: int
    size: float
    walk: float
    key: np.ndarray
    start: np.ndarray
    shift: np.ndarray

    @classmethod
    def new(cls, inputs: RunInputs) -> Self:
        drift = json.loads(inputs.surroundings or "{}").get("drift", {})
        return cls(
            moves=bool(drift),
            at=int(drift.get("at", 0)),
            size=float(drift.get("size", 0.0)),
            walk=float(drift.get("walk", 0.0)),
            key=luck_key(inputs.seed, f"{inputs.dataset}: drift"),
            start=inputs.mean.copy(),
            shift=np.zeros(inputs.mean.size),
        )


@lean
def normal(key, run, t, arm):
    """A standard normal by Box and Muller, keyed as events are."""
    radius = math.sqrt(-2.0 * math.log(1.0 - luck(key, run, t, 2 * arm)))
    return radius * math.cos(2.0 * math.pi * luck(key, run, t, 2 * arm + 1))


@entry
def move_means(drift, run, t, mean, program, tally):
    """Bring `mean`, float[N], to round t; whether it has moved."""
    spread = math.hypot(drift.walk, drift.size) if t == drift.at else drift.walk
    if t == 1 or spread == 0.0:
        return False
    for i in range(mean.size):
        drift.shift[i] += spread * normal(drift.key, run, t, i)
        start = drift.start[i]
        mean[i] = start / (start + (1.0 - start) * math.exp(-drift.shift[i]))
    expect_uniform(tally, program, mean)
    return True


@entry
def sum_optima(drift, run, mean, program, tally, control, points, mixture, sums):
    """sums[t - 1]: what the optimal mixtures of the means of rounds 1..t earn in expectation."""
    best, total = 0.0, 0.0
    control.target[:] = control.threshold
    for t in range(1, sums.size + 1):
        if move_means(drift, run, t, mean, program, tally) or t == 1:
            set_points(program, mean, mean, points)
            best = 0.0
            for kind in range(program.share.size):
                size, _ = solve_mixture(control, points, mixture, kind)
                for k in range(size):
                    best += program.share[kind] * mixture.share[k] * mixture.gain[k]
        total += best
        sums[t - 1] = total


def cumulative_optimum(inputs: RunInputs) -> np.ndarray | None:
    """The sum of each round's optimum, float[T]; None where means stay.

    In a round in which no mixture is feasible it is what the arm closest to the constraints earns.
    """
    drift, program = Drift.new(inputs), inputs.program
    if not drift.moves:
        return None
    oracle = make_policy("oracle", {"estimator": "truth", "fallback": "greedy"})
    control = Control.new(oracle, program, inputs.horizon)
    points, mixture = Points.new(program), Mixture.new(program.e.size)
    mean, tally, sums = inputs.mean.copy(), inputs.tally(), np.zeros(inputs.horizon)
    sum_optima(drift, inputs.run, mean, program, tally, control, points, mixture, sums)
    return sums
