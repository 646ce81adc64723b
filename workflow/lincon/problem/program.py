"""The arrays of the linear program that a goal poses on arms."""

from typing import NamedTuple

import numpy as np

from lincon.data.arms import Arms
from lincon.errors import UserError
from lincon.problem.goal import Goal


class Program(NamedTuple):
    """The linear program's numbers for kernels; every constraint is in its `at_least` form.

    value[N], cost[N], a[m, N], b[m, N], e[m]: reward value * event - cost, amount a * event + b.
    Where requests come in K kinds, `kind` int[N] is that of each row, and `share` float[K] that of
    each kind in all requests; where there is one kind, nobody looks at `kind`.
    """

    value: np.ndarray
    cost: np.ndarray
    a: np.ndarray
    b: np.ndarray
    e: np.ndarray
    kind: np.ndarray = np.zeros(0, np.int64)
    share: np.ndarray = np.ones(1)

    @property
    def rows(self) -> list[np.ndarray]:
        """The arms of each kind."""
        if self.share.size == 1:
            return [np.arange(self.value.size)]
        return [np.flatnonzero(self.kind == k) for k in range(self.share.size)]

    @property
    def part(self) -> np.ndarray:
        """float[N]: the share of an arm's kind in all requests."""
        return self.share[self.kind] if self.share.size > 1 else np.ones(self.value.size)

    def points(self, mean: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The gain float[N] and the amounts float[m, N] of a play of each arm at these means."""
        return mean * self.value - self.cost, mean * self.a + self.b

    def extreme(self, amount: np.ndarray, extreme: np.ufunc) -> np.ndarray:
        """float[m]: what a request has on average of amounts[m, N], with the arm of the largest
        (`np.maximum`) or smallest (`np.minimum`) in each kind."""
        best = [extreme.reduce(np.take(amount, rows, axis=1), axis=1) for rows in self.rows]
        return np.sum([x * share for x, share in zip(best, self.share, strict=True)], axis=0)


def program(arms: Arms, goal: Goal) -> Program:
    """The arrays of a goal on arms.

    A constraint on one kind of request is met exactly by every request of another kind, so that
    its average over all requests is short by what those of its kind are short of.
    """

    def column(amount: float | str, where: str) -> np.ndarray:
        if not isinstance(amount, str):
            return np.full(len(arms), float(amount))
        try:
            return np.array(arms.column(amount), dtype=float)
        except KeyError:
            known = ", ".join(("mean", "value", *arms.columns))
            raise UserError(
                f"{where}: {arms.dataset or 'the arms'} has no column {amount!r}; allowed: a "
                f"number, or one of {known}"
            ) from None

    def reward(amount: float | str, where: str) -> np.ndarray:
        """What a play pays or costs; rewards are counted in units of the arms' scale."""
        return arms.value.copy() if amount == "value" else column(amount, where) / arms.scale

    shape = (len(goal.constraints), len(arms))
    a, b, e = np.zeros(shape), np.zeros(shape), np.zeros(shape[0])
    for j, one in enumerate(goal.constraints):
        a[j] = one.sign * column(one.per_event, f"constraints.{one.name}.per_event")
        b[j] = one.sign * column(one.per_play, f"constraints.{one.name}.per_play")
        e[j] = one.sign * one.bound
        if one.kind is not None:
            others = arms.kind != kind_number(arms, one.kind, f"constraints.{one.name}.kind")
            a[j, others], b[j, others] = 0.0, e[j]
    known = "cost" if "cost" in arms.columns else 0.0
    cost = reward(known if goal.cost is None else goal.cost, "objective.cost")
    # -0.0 is a 0 that prints with a sign.
    value = reward(goal.value, "objective.value")
    return Program(value, cost, a + 0.0, b + 0.0, e + 0.0, arms.kind, arms.kind_shares)


def kind_number(arms: Arms, kind: str, where: str) -> int:
    if kind not in arms.kinds:
        raise UserError(
            f"{where}: {arms.dataset or 'the arms'} has no kind {kind!r}; allowed: "
            f"{', '.join(arms.kinds) or 'none, as it has no kinds'}"
        )
    return arms.kinds.index(kind)
