"""Numbers as people write them: text and whole floats become what the schema asks for.

`--config 'experiments={"edx":{"eta":0.4}}'` gives text where a number is meant, and YAML reads
1e-3 as text and 16.0 as a float. What is plainly a number is taken as one; the rest is left as it
is for the schema to refuse.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

Rules = Mapping[str, Any]


def coerced(value: Any, rules: Rules, root: Rules) -> Any:
    """The value with every number in it of the type that the rules ask for."""
    rules = _resolved(rules, value, root)
    kind = rules.get("type")
    if isinstance(value, Mapping):
        known, others = rules.get("properties", {}), rules.get("additionalProperties")
        others = others if isinstance(others, Mapping) else {}
        return {key: coerced(item, known.get(key, others), root) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [coerced(item, rules.get("items", {}), root) for item in value]
    if kind in ("number", "integer") and not isinstance(value, bool):
        return _number(value, kind)
    return value


def _resolved(rules: Rules, value: Any, root: Rules) -> Rules:
    """The rules behind a reference, and of several the ones that suit the value's shape."""
    while "$ref" in rules:
        rules = root["$defs"][rules["$ref"].rpartition("/")[2]]
    shape = "object" if isinstance(value, Mapping) else "array"
    for option in rules.get("anyOf", ()):
        option = _resolved(option, value, root)
        plain = not isinstance(value, Mapping | list | tuple)
        if (option.get("type") in ("number", "integer")) if plain else option.get("type") == shape:
            return option
    return rules


def _number(value: Any, kind: str) -> Any:
    if isinstance(value, str):
        try:
            value = float(value) if "_" not in value else value
        except ValueError:
            return value
        if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
            value = int(value)
    if kind == "integer" and isinstance(value, float) and value.is_integer():
        return int(value)
    return value + 0.0 if isinstance(value, float) else value  # -0.0 is 0


def not_finite(value: Any, where: str = "") -> str | None:
    """The key of the first number that is infinite or no number; None if all are finite."""
    if isinstance(value, Mapping):
        items = [(f"{where}.{key}".lstrip("."), item) for key, item in value.items()]
    elif isinstance(value, list | tuple):
        items = [(where, item) for item in value]
    else:
        return where if isinstance(value, float) and not math.isfinite(value) else None
    return next((found for key, item in items if (found := not_finite(item, key))), None)
