"""Named policy = estimator + selector + parameters, validated."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from lincon import estimators, selectors
from lincon.errors import UserError


@dataclass(frozen=True)
class Policy:
    """What the engine needs to know of a policy; its label and colour are the plots' business."""

    name: str
    estimator: str
    selector: str
    parameter: float = 0.0


def make(name: str, spec: Mapping[str, object]) -> Policy:
    """A policy from its config entry, e.g. {"estimator": "kl_ucb", "selector": "lp", "c": 3}."""
    where = f"policies.{name}"
    estimator = _known(spec.get("estimator"), estimators.CODES, f"{where}.estimator")
    selector = _known(spec.get("selector"), selectors.CODES, f"{where}.selector")
    allowed = estimators.PARAMETERS[estimator]
    given = {key: spec[key] for key in spec if key not in ("estimator", "selector")}
    for key in given:
        if key not in allowed:
            names = ", ".join(allowed) or "none"
            raise UserError(f"{where}.{key}: {estimator} has no such parameter (it has: {names})")
    parameter = 0.0
    for key, default in allowed.items():
        parameter = _number(given.get(key, default), f"{where}.{key}")
    return Policy(name, estimator, selector, parameter)


def _known(name: object, codes: Mapping[str, int], where: str) -> str:
    if name not in codes:
        raise UserError(f"{where}: {name!r} is not one of {', '.join(codes)}")
    return str(name)


def _number(given: object, where: str) -> float:
    try:
        number = float(given)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        number = math.nan
    if not 0.0 <= number < math.inf:
        raise UserError(f"{where}: {given!r} is not a number of at least 0")
    return number
