"""Policies for a service: plain classes that need NumPy and nothing else (docs/production.md)."""

from lincon.errors import UserError
from lincon.online.arms import Arm, read_arms
from lincon.online.policies import GittinsLedger, LinConKLUCB, LinConTS, TSLedger
from lincon.online.policy import Decision, Outcome, worker_of
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
