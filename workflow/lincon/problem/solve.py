"""(arms, eta) -> the stationary optimum, its dual price, whether the paper's assumptions hold."""

from __future__ import annotations

import numpy as np

from lincon.data.arms import Arms
from lincon.problem.gaps import gaps
from lincon.problem.lp import solve
from lincon.problem.record import Problem


def solve_problem(arms: Arms, eta: float) -> Problem:
    """Solve LP(mean) and describe the problem; an eta out of reach is described, not refused."""
    low, high, share = solve(arms.mean, arms.value, eta)
    feasible = low >= 0
    support: dict[int, float] = {}
    if feasible:
        support = {arm: x for arm, x in ((low, share), (high, 1.0 - share)) if x > 0.0}
    price = _price(arms, support) if feasible else None
    optimum = sum(x * arms.mean[i] * arms.value[i] for i, x in support.items())
    level = None if price is None else float(max(arms.mean * (arms.value + price)))
    return Problem(
        dataset=arms.dataset,
        source=arms.source,
        note=arms.note,
        arms=len(arms),
        eta=eta,
        largest_mean=float(arms.mean.max()),
        feasible=feasible,
        binding=price is not None and price > 0.0,
        unique=price is not None
        and level is not None
        and _unique(arms, eta, price, level, support),
        support=tuple(int(i) for i in support),
        shares=tuple(float(x) for x in support.values()),
        optimum=float(optimum) if feasible else None,
        price=price,
        level=level,
    )


def _unique(arms: Arms, eta: float, price: float, level: float, support: dict[int, float]) -> bool:
    """Whether x* is the only optimum: no arm outside its support is as good as those inside.

    One arm exactly at eta is on the edge of what is feasible: an equally good arm below eta could
    only be mixed with one above eta that is as good too.
    """
    tied = gaps(arms, price, level) == 0.0
    if len(support) == 1 and arms.mean[next(iter(support))] == eta:
        tied &= arms.mean >= eta
    return int(np.sum(tied)) <= len(support)


def _price(arms: Arms, support: dict[int, float]) -> float:
    """lambda*: the slope of the envelope at eta, the smallest one where it has a corner there."""
    mean, reward = arms.mean, arms.mean * arms.value
    if len(support) == 2:
        low, high = support
        return float((reward[low] - reward[high]) / (mean[high] - mean[low]))
    (only,) = support
    left = mean < mean[only]
    if not left.any():
        return 0.0
    return max(0.0, float(np.max((reward[left] - reward[only]) / (mean[only] - mean[left]))))
