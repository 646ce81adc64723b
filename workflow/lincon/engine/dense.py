"""The plain engine, and the specification of the others: the paper's Algorithm 1, in general.

A round is: beliefs of all means, the mixture that solves the LP at them, an arm of the mixture, its
event, and the update of what the policy knows. It plays any number of constraints and kinds of
request, delay and drift, and warm starts.
"""

from typing import NamedTuple, Self

import numpy as np

from lincon.engine.drift import Drift, move_means
from lincon.engine.feedback import Delay, Feedback, update
from lincon.engine.inputs import RunInputs
from lincon.engine.requests import Requests, kind_of_round
from lincon.engine.tally import Tally, count
from lincon.jit import borrowed, entry, lean
from lincon.policies.control import Control, set_targets
from lincon.policies.estimators import Beliefs, believe
from lincon.policies.parts import Estimator
from lincon.policies.prior import NEXT_FIT, refit
from lincon.policies.selectors import Mixture, Points, draw, put, set_points, solve_mixture, steer
from lincon.problem.program import Program


class Environment(NamedTuple):
    """A policy's environment: the problem, the key of its events, requests, means and feedback.

    mean float[N]: the true means, which drift in place.
    """

    mean: np.ndarray
    program: Program
    key: np.ndarray
    run: int
    requests: Requests
    drift: Drift
    delay: Delay

    @classmethod
    def new(cls, inputs: RunInputs) -> Self:
        return cls(
            mean=inputs.mean.copy(),
            program=inputs.program,
            key=inputs.key,
            run=inputs.run,
            requests=inputs.requests(),
            drift=Drift.new(inputs),
            delay=Delay.new(inputs),
        )


class Policy(NamedTuple):
    """A policy in play: its choices, random stream, counts, beliefs and mixture.

    `unplayed` int[K, 2]: from where to where in `Requests.arm` are the arms of each kind that are
    still to be played once first.
    """

    control: Control
    rng: np.random.Generator
    feedback: Feedback
    beliefs: Beliefs
    points: Points
    mixture: Mixture
    unplayed: np.ndarray

    @classmethod
    def new(cls, inputs: RunInputs) -> Self:
        control = Control.new(
            inputs.policy, inputs.program, inputs.horizon, inputs.history is not None
        )
        first = inputs.requests().first
        return cls(
            control=control,
            rng=inputs.rng,
            feedback=Feedback.new(inputs),
            beliefs=Beliefs.new(inputs.policy, inputs.program),
            points=Points.new(inputs.program),
            mixture=Mixture.new(inputs.program.e.size),
            unplayed=np.stack([first[:-1] if control.forced else first[1:], first[1:]], axis=1),
        )


@lean
def set_beliefs(policy, t, mean):
    """Set the policy's beliefs in round t, float[N], after its prior where that is due.

    `mean` float[N]: the true means, for the estimator `truth`.
    """
    control, feedback = policy.control, policy.feedback
    if t >= control.prior[NEXT_FIT]:
        refit(control.prior, control.parameters, feedback.plays, feedback.events, t)
    believe(control, feedback.plays, feedback.events, t, mean, policy.rng, policy.beliefs)


@lean
def solve_beliefs(policy, program, kind):
    """Set the policy's mixture for a kind of request: the LP at its beliefs.

    (Its size, whether the LP is infeasible.)
    """
    control, beliefs, points = policy.control, policy.beliefs, policy.points
    set_targets(control, policy.feedback.amounts, policy.feedback.rounds[0] + 1)
    set_points(program, beliefs.upper, beliefs.lower, points)
    return solve_mixture(control, points, policy.mixture, kind)


@lean
def choose_arm(policy, size, requests, kind):
    """An arm of the mixture, which the ledger may have cut to one; (the new size, the arm)."""
    size = steer(policy.control, policy.mixture, size)
    return size, draw_arm(policy.mixture, size, requests, kind, policy.rng.random())


@lean
def draw_arm(mixture, size, requests, kind, uniform):
    """The arm that `uniform` picks from the mixture, or of size 0 from all arms of the kind."""
    first = requests.first[kind]
    arm = draw(mixture, size, requests.first[kind + 1] - first, uniform)
    return arm if size > 0 else requests.arm[first + arm]


@lean
def dense_rounds(first, last, environment, policy, tally):
    """Play rounds first..last (both included, counted from 1) and add them to the tally."""
    mean, program, run = environment.mean, environment.program, environment.run
    requests, unplayed = environment.requests, policy.unplayed
    for t in range(first, last + 1):
        if environment.drift.moves:
            move_means(environment.drift, run, t, mean, program, tally)
        kind = kind_of_round(requests, run, t)
        if unplayed[kind, 0] < unplayed[kind, 1]:
            arm, size, infeasible = requests.arm[unplayed[kind, 0]], 1, False
            put(policy.mixture, 0, arm, 1.0, policy.points)
            unplayed[kind, 0] += 1
        else:
            set_beliefs(policy, t, mean)
            size, infeasible = solve_beliefs(policy, program, kind)
            size, arm = choose_arm(policy, size, requests, kind)
        mixture, key = policy.mixture, environment.key
        event = count(tally, t, arm, mixture, size, infeasible, mean, program, key, run)
        update(policy.feedback, environment.delay, program, run, t, arm, event)


@entry
def advance_dense(first, last, environment, policy, tally):
    dense_rounds(first, last, *borrowed((environment, policy, tally)))


@lean
def uniform_rounds(first, last, environment, rng, mixture, tally):
    """Play rounds first..last, each arm drawn uniformly."""
    mean, program, run = environment.mean, environment.program, environment.run
    requests = environment.requests
    for t in range(first, last + 1):
        if environment.drift.moves:
            move_means(environment.drift, run, t, mean, program, tally)
        kind = kind_of_round(requests, run, t)
        arm = draw_arm(mixture, 0, requests, kind, rng.random())
        count(tally, t, arm, mixture, 0, False, mean, program, environment.key, run)


@entry
def advance_uniform(first, last, environment, rng, mixture, tally):
    uniform_rounds(first, last, *borrowed((environment, rng, mixture, tally)))


class DenseEngine:
    """Plays one run from its first round on, a block of rounds at a time."""

    def __init__(self, inputs: RunInputs):
        self.tally: Tally = inputs.tally()
        self.environment, self.policy = Environment.new(inputs), Policy.new(inputs)

    def advance(self, first: int, last: int) -> None:
        policy, environment, tally = self.policy, self.environment, self.tally
        if policy.control.estimator == Estimator.NONE:
            advance_uniform(first, last, environment, policy.rng, policy.mixture, tally)
        else:
            advance_dense(first, last, environment, policy, tally)
