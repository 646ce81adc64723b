"""The problem that arms and a goal pose, as numbers: what every later stage reads.

It loads without Numba; lincon.problem.solve makes it.
"""

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Self

import numpy as np

from lincon.data.arms import Arms
from lincon.errors import UserError
from lincon.files import damaged
from lincon.problem.goal import Goal
from lincon.problem.program import Program, program

WAYS = ("one floor over all kinds", "the floor in every kind", "one mixture for all")
Point = tuple[float | None, ...]
# A gap counts as none where it is smaller than this part of the numbers that it is the sum of.
TIE = 1e-12


@dataclass(frozen=True)
class Problem:
    """The optimum, the level nu of each kind and, per constraint, its price and amount.

    `optimum` is None and `levels`, `prices` and `amounts` are empty where no mixture is feasible.
    `support` and `shares`: the arms of the optimal mixture (rows of the arms), and the share of
    each in the requests of its kind. Amounts have the user's sign, and are per request of the kind
    that a constraint concerns; prices are of the `at_least` form, so never negative.
    `reachable`: the best amount of all mixtures, one constraint at a time. `frontier`, with kinds
    of request: by the bound of the dearest constraint, the best reward per request of WAYS.
    """

    dataset: str
    source: str
    note: str
    arms: int
    goal: Goal
    feasible: bool
    unique: bool
    support: tuple[int, ...]
    shares: tuple[float, ...]
    optimum: float | None
    levels: tuple[float, ...]
    prices: tuple[float, ...]
    amounts: tuple[float, ...]
    reachable: tuple[float, ...]
    binding: tuple[bool, ...]
    kinds: tuple[str, ...] = ()
    kind_shares: tuple[float, ...] = (1.0,)
    frontier: tuple[Point, ...] = ()

    @property
    def level(self) -> float | None:
        """The level, averaged over all requests: the optimum plus sum_j lambda_j e_j."""
        pairs = zip(self.levels, self.kind_shares, strict=True)
        return sum(nu * share for nu, share in pairs) if self.levels else None

    def rate(self, j: int, average: float) -> float:
        """The average amount of the requests that constraint j concerns, from that of all."""
        shares = dict(zip(self.kinds, self.kind_shares, strict=False))
        return self.goal.constraints[j].per_concerned(average, shares)

    @property
    def binds(self) -> bool:
        """Whether any constraint costs something."""
        return any(self.binding)

    @property
    def slater_gaps(self) -> tuple[float, ...]:
        """How far the best amount of each constraint is inside its bound."""
        pairs = zip(self.goal.constraints, self.reachable, strict=True)
        return tuple(one.sign * (best - one.bound) for one, best in pairs)

    def to_json(self) -> str:
        return json.dumps(asdict(self) | {"goal": self.goal.to_dict()}, indent=2) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Self:
        content = json.loads(text, parse_constant=_refuse)
        lists = {name: tuple(value) for name, value in content.items() if isinstance(value, list)}
        lists["frontier"] = tuple(map(tuple, content.get("frontier", [])))
        return cls(**content | lists | {"goal": Goal.from_dict(content["goal"])})


def _refuse(text: str) -> None:
    raise ValueError(f"{text} is not a number")


def gaps(arms: Arms, problem: Problem) -> np.ndarray:
    """What a play of each arm costs in composite regret, D_i = nu_k - g_i - sum_j lambda_j h_ij.

    float[N], k being the arm's kind; NaN where there is no optimum. Exactly zero for the optimal
    arms: those in the support, and all that tie with them.
    """
    if not problem.feasible:
        return np.full(len(arms), np.nan)
    numbers = program(arms, problem.goal)
    return gaps_at(numbers, arms, problem.prices, problem.support)[0]


def gaps_at(
    numbers: Program, arms: Arms, prices: tuple[float, ...], support: tuple[int, ...]
) -> tuple[np.ndarray, np.ndarray]:
    """The gap of every arm at these prices, and the level nu_k of every kind.

    Amounts are counted from their bounds: where they differ little, so do the terms.
    """
    gain, amount = numbers.points(arms.mean)
    priced = np.array(prices)[:, None] * (amount - numbers.e[:, None])
    worth, size = gain + priced.sum(axis=0), abs(gain) + abs(priced).sum(axis=0)
    optimal, kinds = list(support), len(arms.kind_shares)
    best, noise = np.full(kinds, -np.inf), np.zeros(kinds)
    np.maximum.at(best, arms.kind, worth)
    np.maximum.at(noise, arms.kind[optimal], size[optimal])
    gap = best[arms.kind] - worth
    gap[gap <= TIE * (size + noise[arms.kind])] = 0.0
    gap[optimal] = 0.0
    return gap, best + np.dot(prices, numbers.e)


def require_arms(
    problem: Problem, arms: Arms, where: str = "the problem", constraints: str = ""
) -> None:
    """Refuse a problem that is not of these arms, or not of the constraints that were asked for."""
    for what, stated, needed in (
        ("the dataset is", problem.dataset, arms.dataset),
        ("the number of arms is", problem.arms, len(arms)),
        ("the constraints are", problem.goal.text, constraints or problem.goal.text),
    ):
        if stated != needed:
            raise UserError(
                f"{where}: {what} {stated} instead of {needed}; delete the file that is in the "
                "wrong place and run again"
            )


def require_feasible(problem: Problem) -> None:
    if problem.feasible:
        return
    constraints = problem.goal.constraints
    for one, best, gap in zip(constraints, problem.reachable, problem.slater_gaps, strict=True):
        if gap < 0.0:
            name = "eta" if problem.goal.eta is not None else f"constraints.{one.name}"
            raise UserError(
                f"{name} {one.bound:g} cannot be met on {problem.dataset}: it must be "
                f"{'at most' if one.sign > 0.0 else 'at least'} {best:.6g}, what the best arm has"
            )
    names = ", ".join(one.name for one in constraints)
    raise UserError(f"constraints: {names} can be met alone, but not together on {problem.dataset}")


def read_problem(path: str | os.PathLike[str]) -> Problem:
    """The problem in a file; a damaged one is named, with how to make it again."""
    try:
        return Problem.from_json(Path(path).read_text(encoding="utf-8"))
    except (
        OSError,
        ValueError,
        LookupError,
        UserError,
        TypeError,
        AttributeError,
        RecursionError,
    ) as error:
        raise UserError(damaged(path, "a problem", error)) from None
