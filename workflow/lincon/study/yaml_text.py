"""A config file, read with care for what a YAML reader does not say: keys given twice, 010 read as
8, an alias that holds itself, text in no encoding."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

from lincon.errors import UserError

# Python itself refuses to read numbers that are far longer; none of a config comes near.
DECIMAL = re.compile(r"[-+]?(0|[1-9][0-9_]{,400})")


class _Loader(yaml.SafeLoader):
    """SafeLoader, without what it would read as something else than was meant."""


def _mapping(loader: _Loader, node: yaml.MappingNode) -> dict[Any, Any]:
    seen: set[str] = set()
    for key, _ in node.value:
        # YAML readers keep the last of two equal keys and say nothing.
        if not isinstance(key, yaml.ScalarNode) or key.value in seen:
            plain = isinstance(key, yaml.ScalarNode)
            problem = f"{key.value} is given twice" if plain else "a key must be a plain name"
            raise yaml.MarkedYAMLError(problem=problem, problem_mark=key.start_mark)
        seen.add(key.value)
    return loader.construct_mapping(node, deep=True)


def _sequence(loader: _Loader, node: yaml.SequenceNode) -> list[Any]:
    return loader.construct_sequence(node, deep=True)


def _number(loader: _Loader, node: yaml.ScalarNode) -> float:
    """YAML reads 010 as eight, 0x10 as sixteen and 1:30 as ninety."""
    if node.tag.endswith(":float") and ":" not in node.value:
        return loader.construct_yaml_float(node)
    if not DECIMAL.fullmatch(node.value):
        problem = f"{node.value[:40]} is not read as a number; write it in at most 400 digits, "
        problem += "without leading zeros, prefixes or colons, or in quotes if it is text"
        raise yaml.MarkedYAMLError(problem=problem, problem_mark=node.start_mark)
    return loader.construct_yaml_int(node)


_Loader.add_constructor("tag:yaml.org,2002:map", _mapping)
_Loader.add_constructor("tag:yaml.org,2002:seq", _sequence)
_Loader.add_constructor("tag:yaml.org,2002:int", _number)
_Loader.add_constructor("tag:yaml.org,2002:float", _number)


def read_config(path: str | Path) -> dict[str, Any]:
    """What a config file says; `UserError` where YAML would read something else."""
    try:
        # A subclass of the safe loader.
        given = yaml.load(Path(path).read_text(encoding="utf-8"), _Loader)  # nosec B506
    except UnicodeDecodeError as error:
        at = error.start + 1
        raise UserError(f"{path} is not text in UTF-8 (byte {at}); save it as UTF-8") from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 1}" if mark else ""
        problem = getattr(error, "problem", None) or str(error).splitlines()[0]
        raise UserError(f"{path}{line} cannot be read: {problem}") from None
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}") from None
    if not isinstance(given, dict):
        raise UserError(f"{path}: a config is made of keys with their values, as in runs: 16")
    return given
