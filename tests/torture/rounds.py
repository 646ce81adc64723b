"""The lazy engine against the dense one: random problems, policies and parameters."""

from typing import Any

import numpy as np

from lincon.data.supported import LARGEST, SMALLEST
from lincon.policies.parts import ESTIMATORS, TABLES, Parameter, Part
from tests.unit.engine.lazy.same_law import SPECS, p_value, selections
from tests.unit.engine.lazy.same_rounds import assert_same_rounds, problem

ROUNDS = 2_000
# Significance level 1e-8: equal laws are almost never rejected.
LEVEL = 1e-8
# A sampler's decisions are equal in law, those of all others bit for bit.
SAMPLED = "beta_sample"


def check(rng: np.random.Generator, number: int) -> None:
    """Three index policies, then a sampler."""
    if number % 4 == 3:
        asked = str(rng.choice(list(SPECS)))
        (lazy, _), (dense, _) = selections(int(rng.integers(2**32)), ROUNDS, asked)
        assert p_value(lazy, dense) > LEVEL, f"{SAMPLED} with {asked}: two laws"
        return
    spec = policy(rng)
    mean, value, eta, _ = problem(int(rng.integers(2**32)))
    mean, value = extreme(mean, rng), extreme(value, rng)
    eta = float(extreme(np.array([eta]), rng)[0])
    horizon = mean.size + int(rng.integers(1, ROUNDS))
    assert_same_rounds(spec, mean, value, eta, horizon, int(rng.integers(1000)))


def extreme(numbers: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Sometimes with numbers at the ends of what is supported: 0, 1e-12 and 1, and beside them."""
    if rng.random() < 0.7:
        return numbers
    ends = np.array([0.0, 1e-12, 1e-9, 1e-6, 1 - 1e-12, 1 - 2**-53, 1.0])
    return np.where(rng.random(numbers.size) < 0.3, rng.choice(ends, numbers.size), numbers)


def policy(rng: np.random.Generator) -> dict[str, Any]:
    """Any combination of parts that the lazy engine plays, with parameters within their bounds."""
    estimator = part(ESTIMATORS, rng, but=SAMPLED)
    parts = {"estimator": estimator, "target": part(TABLES["target"], rng)}
    if parts["target"].name != "none":
        parts |= {kind: part(TABLES[kind], rng) for kind in ("steering", "fallback")}
    spec: dict[str, Any] = {key: one.name for key, one in parts.items()}
    for one in parts.values():
        spec |= {each.name: value(each, rng) for each in one.parameters if rng.random() < 0.7}
    return spec


def part(table: dict[str, Part], rng: np.random.Generator, but: str = "") -> Part:
    names = [name for name, one in table.items() if one.lazy and name != but]
    return table[str(rng.choice(names))]


def value(parameter: Parameter, rng: np.random.Generator) -> float:
    """The default times a power of ten, or an end of what is allowed and supported."""
    if rng.random() < 0.2:
        return float(rng.choice([SMALLEST, LARGEST] if parameter.positive else [0.0, LARGEST]))
    return float((parameter.default or 1.0) * 10 ** rng.uniform(-3, 2))
