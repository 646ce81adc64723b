"""Policies for a service: plain classes that need NumPy and nothing else (docs/production.md)."""

from lincon.errors import UserError
from lincon.online.arms import Arm
from lincon.online.feedback import Decision, Outcome
from lincon.online.policies import GittinsLedger, LinConKLUCB, LinConTS, TSLedger
from lincon.online.tables import read_arms
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
]
