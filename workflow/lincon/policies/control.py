"""What a policy asks for in a round, from the amounts so far: targets, queues, weights, ledger.

The engines keep a `Control` beside the tally. Before a round `ask` fills in what the selector goes
by; after it `remember` is told what happened. The formulas and their sources are in
lincon.policies.parts.
"""

import math
from typing import NamedTuple, Self

import numpy as np

from lincon.jit import lean
from lincon.policies.parts import Belief, Estimator, Parameters, Selector, Steering, Target
from lincon.policies.prior import new_prior
from lincon.policies.registry import INDICES, UNFORCED, Policy
from lincon.policies.selectors import Sure
from lincon.problem.goal import Program


class Control(NamedTuple):
    """The policy in codes and numbers, the problem as it may know it, and what it remembers.

    Per constraint: `bound` e_j, `lowest` and `highest` amount that any arm can have, `budget` of
    primal_dual and the `consumption` of a unit of amount. Of the round: the `rate` that the LP
    asks for, how far the ledger is `behind`, the `tilt` of a queue, the `weight` of primal_dual.
    `recent`: plays and events, discounted. `known`: posteriors and rounds that the indices of
    `gittins` were last set for; `sure`: what the posterior means say, for `rationed`. In the first
    `forced` rounds each arm is played once.
    """

    estimator: int
    selector: int
    target: int
    steering: int
    belief: int
    greedy: bool
    two_ended: bool
    parameters: Parameters
    horizon: int
    arms: int
    forced: int
    bound: np.ndarray
    lowest: np.ndarray
    highest: np.ndarray
    consumption: np.ndarray
    budget: float
    least_gain: float
    rate: np.ndarray
    behind: np.ndarray
    tilt: np.ndarray
    weight: np.ndarray
    queue: np.ndarray
    log_weight: np.ndarray
    prior: np.ndarray
    recent: np.ndarray
    known: np.ndarray
    sure: Sure

    @classmethod
    def new(cls, policy: Policy, program: Program, horizon: int) -> Self:
        m, arms = program.a.shape
        lowest = np.min(np.minimum(program.b, program.a + program.b), axis=1)
        highest = np.max(np.maximum(program.b, program.a + program.b), axis=1)
        # Knapsacks count what is used: the largest amount minus that of a play, as a share of the
        # range, scaled so that all budgets are as large as the smallest.
        extent = np.where(highest > lowest, highest - lowest, 1.0)
        budgets = np.maximum(highest - program.e, 0.0) / extent
        budget = float(budgets.min(initial=1.0))
        scale = np.where(budgets > 0.0, budget / np.where(budgets > 0.0, budgets, 1.0), 1.0)
        pessimistic = policy.constraint_belief == "lower"
        falls = (program.a < 0.0).any() or (program.value < 0.0).any()
        rate, behind, tilt, queue, log_weight = np.zeros((5, m))
        return cls(
            int(Estimator[policy.estimator.upper()]),
            int(Selector[policy.selector.upper()]),
            int(Target[policy.target.upper()]),
            int(Steering[policy.steering.upper()]),
            int(Belief[policy.constraint_belief.upper()]),
            policy.fallback == "greedy",
            bool(policy.estimator in INDICES and (pessimistic or falls)),
            policy.numbers,
            horizon,
            arms,
            0 if policy.estimator in UNFORCED else arms,
            program.e,
            lowest,
            highest,
            scale / extent,
            budget,
            float(np.min(np.minimum(0.0, program.value) - program.cost)),
            rate,
            behind,
            tilt,
            np.zeros(m + 1),
            queue,
            log_weight,
            new_prior(policy, arms),
            np.zeros((2, arms if policy.estimator == "discounted_sample" else 0)),
            np.full((3, arms if policy.estimator == "gittins" else 0), -1.0),
            Sure.new(arms if policy.steering == "rationed" else 0),
        )


# --- before a round


@lean
def exploration(control, t):
    """The probability that round t is played uniformly, whatever is believed."""
    if control.selector == Selector.UNIFORM:
        return 1.0
    if control.selector == Selector.EPS_GREEDY:
        return min(1.0, control.parameters.uniform_rate * control.arms * math.log(t) / t)
    return 0.0


@lean
def ask(control, amounts, t):
    """Fill in what round t asks for; `amounts` are those of the rounds before it."""
    for j in range(control.rate.size):
        control.rate[j] = control.bound[j]
    if control.selector == Selector.AMOUNTS:
        for j in range(control.tilt.size):
            control.tilt[j] = 1.0 / control.tilt.size
    elif control.selector == Selector.QUEUE:
        set_tilts(control, t)
    elif control.selector == Selector.PRIMAL_DUAL:
        set_weights(control)
    elif control.selector == Selector.LP:
        for j in range(control.rate.size):
            control.rate[j] = target_rate(control, j, t, amounts[j])
            if control.steering != Steering.DRAW:
                reserve = control.parameters.reserve * math.log(t)
                control.behind[j] = control.bound[j] * t + reserve - amounts[j]


@lean
def clip(control, j, rate):
    """What arms can have: of the event rate 0 to 1."""
    return min(max(rate, control.lowest[j]), control.highest[j])


@lean
def target_rate(control, j, t, amount):
    """What is asked of constraint j in round t, where `amount` was had before it."""
    if control.target == Target.FIXED:
        return control.bound[j]
    if control.target == Target.PACED:
        missing = control.bound[j] * control.horizon - amount
        return clip(control, j, missing / (control.horizon - t + 1))
    if control.target == Target.CONTROLLED:
        ahead = amount - control.bound[j] * (t - 1)
        above = ahead < control.parameters.buffer * math.log(max(control.horizon - t, 1))
        margin = control.parameters.margin
        return clip(control, j, control.bound[j] + margin if above else control.bound[j] - margin)
    raise ValueError("no target has this code")


@lean
def set_tilts(control, t):
    """price_j / (1 + all prices), the price of an amount being Q_j / (v sqrt(t))."""
    total, scale = 0.0, control.parameters.v * math.sqrt(t)
    for j in range(control.tilt.size):
        control.tilt[j] = control.queue[j] / scale
        total += control.tilt[j]
    for j in range(control.tilt.size):
        control.tilt[j] /= 1.0 + total


@lean
def set_weights(control):
    """The weights of the constraints and, last, of time, divided by their sum.

    Only their ratios matter, and they would overflow in long runs: kept are the logarithms of the
    ratios to the weight of time.
    """
    weight, logs = control.weight, control.log_weight
    if logs.size == 1:
        small = math.exp(-abs(logs[0])) / (1.0 + math.exp(-abs(logs[0])))
        weight[0], weight[1] = (1.0 - small, small) if logs[0] > 0.0 else (small, 1.0 - small)
        return
    most, total = 0.0, 0.0
    for j in range(logs.size):
        most = max(most, logs[j])
    for j in range(weight.size):
        weight[j] = math.exp((logs[j] if j < logs.size else 0.0) - most)
        total += weight[j]
    for j in range(weight.size):
        weight[j] /= total


# --- after a round


@lean
def step_size(control):
    """e, at most 1: where the bound is the largest amount there is no budget."""
    budget = max(control.budget * control.horizon, 1e-9)
    return min(math.sqrt(math.log(control.bound.size + 1.0) / budget), 1.0)


@lean
def remember(control, program, t, arm, event, mixture):
    """Note what round t was played by and what it gave."""
    remember_choice(control, t, mixture)
    remember_event(control, program, t, arm, event)


@lean
def remember_event(control, program, t, arm, event):
    """Note what round t gave, once that is known."""
    if control.estimator == Estimator.DISCOUNTED_SAMPLE:
        # Counts of before weigh exp(-1 / memory) of what they did.
        weight = math.exp(-1.0 / control.parameters.memory)
        for i in range(control.arms):
            control.recent[0, i] *= weight
            control.recent[1, i] *= weight
        control.recent[0, arm] += 1.0
        control.recent[1, arm] += event
    if control.selector == Selector.QUEUE:
        more = control.parameters.epsilon / math.sqrt(t)
        for j in range(control.queue.size):
            amount = program.a[j, arm] * event + program.b[j, arm]
            control.queue[j] = max(control.queue[j] + control.bound[j] + more - amount, 0.0)


@lean
def remember_choice(control, t, mixture):
    """Note round t's mixture; where it was not forced, it has the chosen arm's belief first."""
    if control.selector == Selector.PRIMAL_DUAL and t > control.forced:
        step = math.log1p(step_size(control))
        for j in range(control.log_weight.size):
            missing = control.bound[j] - mixture.amount[j, 0]
            control.log_weight[j] += step * (missing * control.consumption[j])
