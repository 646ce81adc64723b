"""Named policy = estimator + selector + parameters, validated.

The names are kept here, apart from the kernels behind them, so that reading a config does not load
the compiler.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from lincon.errors import UserError

# The estimators, each with its parameter and the value where the config gives none.
ESTIMATORS: dict[str, dict[str, float]] = {
    "beta_sample": {},
    "kl_ucb": {"c": 0.0},
    "ucb1": {"alpha": 2.0},
    "truth": {},
}
# The selectors, in the same way.
SELECTORS: dict[str, dict[str, float]] = {
    "lp": {},
    "argmax": {},
    "queue": {"v": 1.0, "epsilon": 0.0},
}


@dataclass(frozen=True)
class Policy:
    """What the engine needs to know of a policy; its label and colour are the plots' business."""

    name: str
    estimator: str
    selector: str
    parameter: float = 0.0
    queue: tuple[float, float] = (0.0, 0.0)


def make(name: str, spec: Mapping[str, object]) -> Policy:
    """A policy from its config entry, e.g. {"estimator": "kl_ucb", "selector": "lp", "c": 3}."""
    where = f"policies.{name}"
    estimator = _known(spec.get("estimator"), ESTIMATORS, f"{where}.estimator")
    selector = _known(spec.get("selector"), SELECTORS, f"{where}.selector")
    allowed = ESTIMATORS[estimator] | SELECTORS[selector]
    given = {key: spec[key] for key in spec if key not in ("estimator", "selector")}
    for key in given:
        if key not in allowed:
            names = ", ".join(allowed) or "none"
            what = f"{estimator} with {selector}"
            raise UserError(f"{where}.{key}: {what} has no such parameter (it has: {names})")
    numbers = {key: _number(given.get(key, allowed[key]), f"{where}.{key}") for key in allowed}
    if numbers.get("v") == 0.0:
        raise UserError(f"{where}.v: 0 is not a number above 0")
    parameter = next((numbers[key] for key in ESTIMATORS[estimator]), 0.0)
    queue = (numbers.get("v", 0.0), numbers.get("epsilon", 0.0))
    return Policy(name, estimator, selector, parameter, queue)


def _known(name: object, names: Collection[str], where: str) -> str:
    if name not in names:
        raise UserError(f"{where}: {name!r} is not one of {', '.join(names)}")
    return str(name)


def _number(given: object, where: str) -> float:
    try:
        number = float(given)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        number = math.nan
    if not 0.0 <= number < math.inf:
        raise UserError(f"{where}: {given!r} is not a number of at least 0")
    return number
