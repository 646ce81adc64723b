"""Policies to use in production: plain classes that need NumPy and nothing else.

    from lincon.online import LinConTS

    policy = LinConTS(values={"a": 1.0, "b": 0.4}, eta=0.25)
    arm = policy.choose()
    policy.update(arm, True)

They play as the bench's own do (docs/policies.md, "Use the winner").
"""

from __future__ import annotations

from lincon.policies.online.policies import LinConKLUCB, LinConTS, SafeGreedyTS, SafePacedTS

__all__ = ["LinConKLUCB", "LinConTS", "SafeGreedyTS", "SafePacedTS"]
