"""Equal arms: the first of them stands for all.

Idea. Arms with the same counts and the same numbers in the program have the same index for good, so
of equal arms only the lowest can be chosen, until it is played. The others follow it in a ring, in
their order, without a cap of their own; when the first is played, it leaves the ring and the next
one leads. Arms are found to be equal when both are in a working set. Two rings that would
interleave stay apart, which costs time alone.

Invariant. A ring holds equal arms in ascending order; only its first, the leader, is ever opened.
Held by tests/unit/engine/lazy/test_index.py.
"""

from typing import NamedTuple, Self

import numpy as np

from lincon.jit import lean


class EqualArms(NamedTuple):
    """Rings: the arm after each arm, and the one before it, int[N]."""

    after: np.ndarray
    before: np.ndarray

    @classmethod
    def new(cls, arms: int) -> Self:
        return cls(*np.tile(np.arange(arms, dtype=np.int32), (2, 1)))


@lean
def are_equal(program, plays, events, first, second):
    """Whether two arms have the same counts and the same numbers in the program."""
    return (
        plays[first] == plays[second]
        and events[first] == events[second]
        and program.value[first] == program.value[second]
        and program.cost[first] == program.cost[second]
        and program.a[0, first] == program.a[0, second]
        and program.b[0, first] == program.b[0, second]
    )


@lean
def join(equal, first, second):
    """Let the ring that `second` leads follow that of `first`, a lower arm; False if it cannot."""
    last, end = equal.before[first], equal.before[second]
    if last > second:
        return False
    equal.after[last], equal.before[second] = second, last
    equal.after[end], equal.before[first] = first, end
    return True


@lean
def leave(equal, arm):
    """Take an arm out of its ring; the arm that leads in its place, -1 if there is none."""
    after, before = equal.after[arm], equal.before[arm]
    equal.after[before], equal.before[after] = after, before
    equal.after[arm], equal.before[arm] = arm, arm
    return np.int64(after) if before > arm else -1
