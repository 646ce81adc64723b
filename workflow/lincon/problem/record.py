"""The problem that arms and a floor pose, as numbers: what every later stage reads.

It loads without Numba; lincon.problem.solve makes it.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

from lincon.errors import UserError
from lincon.files import damaged


@dataclass(frozen=True)
class Problem:
    """The numbers are None where the arms cannot meet eta."""

    dataset: str
    source: str
    note: str
    arms: int
    eta: float
    largest_mean: float
    feasible: bool
    binding: bool
    unique: bool
    support: tuple[int, ...]
    shares: tuple[float, ...]
    optimum: float | None
    price: float | None
    level: float | None

    @property
    def slater_gap(self) -> float:
        """How far the best event rate is above eta; positive means strictly feasible."""
        return self.largest_mean - self.eta

    def to_json(self) -> str:
        return json.dumps(asdict(self), indent=2) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Problem:
        fields = json.loads(text)
        fields["support"], fields["shares"] = tuple(fields["support"]), tuple(fields["shares"])
        return cls(**fields)


def require_feasible(problem: Problem) -> None:
    if not problem.feasible:
        raise UserError(
            f"eta {problem.eta:g} cannot be met on {problem.dataset}: its largest mean is "
            f"{problem.largest_mean:.6g}, so eta must be at most that"
        )


def read_problem(path: str | os.PathLike[str]) -> Problem:
    """The problem in a file; a damaged one is named, with what makes it anew."""
    try:
        return Problem.from_json(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise UserError(damaged(path, "a problem", error)) from None
