"""Policies for a service: plain classes that need NumPy and nothing else.

    from lincon.online import TSLedger

    policy = TSLedger({"basic": 0.2, "premium": 1.0}, floor=0.25)
    decision = policy.decide()
    policy.update(decision.id, True)

They play as the engines do (docs/production.md).
"""

from lincon.errors import UserError
from lincon.online.arms import Arm, read_arms
from lincon.online.policies import GittinsLedger, LinConKLUCB, LinConTS, TSLedger
from lincon.online.service import Decision, Outcome, worker_of
from lincon.problem.goal import Constraint, Goal

__all__ = [
    "Arm",
    "Constraint",
    "Decision",
    "GittinsLedger",
    "Goal",
    "LinConKLUCB",
    "LinConTS",
    "Outcome",
    "TSLedger",
    "UserError",
    "read_arms",
    "worker_of",
]
