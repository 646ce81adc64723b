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
from lincon.files import damaged, sealed, unsealed
from lincon.problem.goal import Goal, program

# Two arms count as equally good when their gaps differ by less than this.
TIE = 1e-12


@dataclass(frozen=True)
class Problem:
    """The optimum, its level nu and, per constraint, its price and amount.

    `optimum`, `level`, `prices` and `amounts` are None or empty where no mixture is feasible.
    Amounts have the user's sign; prices are of the `at_least` form, so never negative.
    `reachable`: the best amount that any single arm has. `prices_left` and `prices_right`: what one
    unit of the bound is worth just below it and just above, where a missing amount is repaid; None
    where nothing beyond the bound is feasible.
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
    level: float | None
    prices: tuple[float, ...]
    amounts: tuple[float, ...]
    reachable: tuple[float, ...]
    binding: tuple[bool, ...]
    prices_left: tuple[float | None, ...]
    prices_right: tuple[float | None, ...]

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
        return json.dumps(sealed(asdict(self) | {"goal": self.goal.to_dict()}), indent=2) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Self:
        given = unsealed(json.loads(text))
        lists = {name: tuple(value) for name, value in given.items() if isinstance(value, list)}
        return cls(**given | lists | {"goal": Goal.from_dict(given["goal"])})


def gaps(arms: Arms, problem: Problem) -> np.ndarray:
    """What a play of each arm costs in composite regret, D_i = nu - g_i - sum_j lambda_j h_ij.

    NaN where there is no optimum. Exactly zero for the optimal arms: those in the support, and all
    that tie with them.
    """
    if problem.level is None:
        return np.full(len(arms), np.nan)
    gap = problem.level - worth(arms, problem.goal, problem.prices)
    return np.where(gap < TIE, 0.0, gap)


def worth(arms: Arms, goal: Goal, prices: tuple[float, ...]) -> np.ndarray:
    """g_i + sum_j lambda_j h_ij of every arm."""
    numbers = program(arms, goal)
    per_event, per_play = numbers.value, -numbers.cost
    for price, a, b in zip(prices, numbers.a, numbers.b, strict=True):
        per_event, per_play = per_event + price * a, per_play + price * b
    return arms.mean * per_event + per_play


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
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise UserError(damaged(path, "a problem", error)) from None
