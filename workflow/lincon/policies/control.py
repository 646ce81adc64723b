"""A policy's parameters for kernels, and the LP's targets: `Control` and `set_targets`.

The formulas and their sources are in lincon.policies.parts.
"""

import math
from typing import NamedTuple, Self

import numpy as np

from lincon.jit import lean
from lincon.policies.parts import REPAY, Estimator, Parameters
from lincon.policies.prior import new_prior
from lincon.policies.registry import Policy
from lincon.problem.program import Program


class Control(NamedTuple):
    """A policy in codes and numbers, and what it keeps of the problem and of the round.

    Per constraint, float[m]: the `threshold` e_j; the `lowest` and `highest` average amount that
    arms can have, whatever their means; and of a round the `target` of the LP and the ledger's
    `debt`. `prior` is described in lincon.policies.prior. Each arm is played once in the first
    `forced` rounds. `part` float[N]: of the requests that are of an arm's kind. `raised`: with
    kinds of request a shortfall raises the target, as the ledger steers only requests of the kinds
    that the mixture splits.
    """

    estimator: int
    constrained: bool
    paced: bool
    ledger: bool
    greedy: bool
    parameters: Parameters
    horizon: int
    forced: int
    threshold: np.ndarray
    lowest: np.ndarray
    highest: np.ndarray
    target: np.ndarray
    debt: np.ndarray
    prior: np.ndarray
    part: np.ndarray
    raised: bool

    @classmethod
    def new(cls, policy: Policy, program: Program, horizon: int, warm: bool = False) -> Self:
        """The policy before its first round on a problem of m constraints and N arms.

        `warm`: it knows counts of before, so that no arm is forced and a prior is learned at once.
        """
        constraints, arms = program.a.shape
        return cls(
            estimator=int(Estimator[policy.estimator.upper()]),
            constrained=policy.target != "none",
            paced=policy.target == "paced",
            ledger=policy.steering == "ledger",
            greedy=policy.fallback == "greedy",
            parameters=policy.numbers,
            horizon=horizon,
            forced=arms if policy.forces_plays and not warm else 0,
            threshold=program.e,
            lowest=program.extreme(np.minimum(program.b, program.a + program.b), np.minimum),
            highest=program.extreme(np.maximum(program.b, program.a + program.b), np.maximum),
            target=np.zeros(constraints),
            debt=np.zeros(constraints),
            # With kinds of request, one kind's arms may all have been played before others are.
            prior=new_prior(policy, arms if program.share.size == 1 else 0, warm),
            part=program.part,
            raised=program.share.size > 1
            and (policy.steering, policy.target) == ("ledger", "fixed"),
        )


@lean
def set_targets(control, amounts, t):
    """Fill in what the LP asks of round t, and what is missing before it.

    Parameters
    ----------
    control : Control
        Its `target` and `debt`, float[m], are set.
    amounts : float[m]
        What the rounds before t had of each constraint, as far as the policy knows.
    t : int
        The round, or with late feedback the first of which nothing is known.
    """
    for j in range(control.target.size):
        threshold = control.threshold[j]
        target = threshold if control.constrained else control.lowest[j]
        if control.paced:
            target = (threshold * control.horizon - amounts[j]) / (control.horizon - t + 1)
        elif control.raised:
            target = threshold + REPAY * max(threshold * t - amounts[j], 0.0) / t
        if control.paced or control.raised:
            target = min(max(target, control.lowest[j]), control.highest[j])
        control.target[j] = target
        if control.ledger:
            control.debt[j] = threshold * t + margin(control, j, t) - amounts[j]


@lean
def margin(control, j, t):
    """How far ahead of its threshold the ledger keeps constraint j: the reserve, less what it may
    be behind on the way to T.

    Early in a run a shortfall is mostly chance, and repaying it with a worse arm costs more than to
    wait (docs/limit.md). Amounts between `lowest` and `highest` with the mean e_j vary the most if
    they are one of both.
    """
    reserve = control.parameters.reserve * math.log(t)
    if control.parameters.allowance == 0.0:
        return reserve
    e = control.threshold[j]
    variance = max((e - control.lowest[j]) * (control.highest[j] - e), 0.0)
    left = max(1.0 - t / control.horizon, 0.0)
    return reserve - control.parameters.allowance * math.sqrt(variance * t) * left
