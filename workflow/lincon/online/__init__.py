"""Policies to use in production: plain classes that need NumPy and nothing else.

    from lincon.online import LearnedLedger

    policy = LearnedLedger({"a": 1.0, "b": 0.4}, eta=0.25)
    arm = policy.choose()
    policy.update(arm, True)

They play as the bench's own do (docs/production.md).
"""

from lincon.online.arms import read_arms
from lincon.online.policies import LearnedLedger, Ledger, LinConKLUCB, LinConTS
from lincon.online.service import Decision
from lincon.problem.goal import Constraint, Goal

__all__ = [
    "Constraint",
    "Decision",
    "Goal",
    "LearnedLedger",
    "Ledger",
    "LinConKLUCB",
    "LinConTS",
    "read_arms",
]
