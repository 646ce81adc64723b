"""What a YAML reader does not say: keys given twice, 010 read as 8, text in no encoding."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

from lincon.errors import UserError

DECIMAL = re.compile(r"[-+]?(0|[1-9][0-9_]*)")
# Python refuses to read longer ones; no number of a config comes near.
LONGEST = 400


def check_text(path: str | Path) -> None:
    """Refuse a config file in which YAML would read something else than what was meant."""
    try:
        text = Path(path).read_text(encoding="utf-8")
        root = yaml.compose(text, Loader=yaml.SafeLoader)
        if not isinstance(root, yaml.MappingNode):
            raise UserError(f"{path}: a config is made of keys with their values, as in runs: 16")
        _check(path, "", root, (), set())
        yaml.safe_load(text)
    except UnicodeDecodeError as error:
        raise UserError(
            f"{path} is not text in UTF-8 (byte {error.start + 1}); save it as UTF-8"
        ) from None
    except RecursionError:
        raise UserError(f"{path}: lists or mappings are nested too deeply to be read") from None
    except (yaml.YAMLError, ValueError) as error:
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 1}" if mark else ""
        problem = getattr(error, "problem", None) or str(error).splitlines()[0]
        raise UserError(f"{path}{line}: not YAML: {problem}") from None
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}") from None


def _check(
    path: str | Path, where: str, node: yaml.Node, above: tuple[int, ...], seen: set[int]
) -> None:
    at = f"{path}, line {node.start_mark.line + 1}"
    if id(node) in above:
        raise UserError(f"{at}: an alias holds itself")
    if id(node) in seen:
        return
    seen.add(id(node))
    above = (*above, id(node))
    if isinstance(node, yaml.ScalarNode):
        _check_number(at, where, node)
    elif isinstance(node, yaml.SequenceNode):
        for item in node.value:
            _check(path, where, item, above, seen)
    elif isinstance(node, yaml.MappingNode):
        keys: set[str] = set()
        for key, value in node.value:
            line = f"{path}, line {key.start_mark.line + 1}"
            if not isinstance(key, yaml.ScalarNode):
                raise UserError(f"{line}: a key must be a plain name")
            below = f"{where}.{key.value}".lstrip(".")
            # YAML readers keep the last of two equal keys and say nothing.
            if key.value in keys:
                raise UserError(f"{line}: {below} is given twice; once is allowed")
            keys.add(key.value)
            _check(path, below, value, above, seen)


def _check_number(at: str, where: str, node: yaml.ScalarNode) -> None:
    """YAML reads 010 as eight, 0x10 as sixteen and 1:30 as ninety."""
    if node.tag != "tag:yaml.org,2002:int" and not (
        node.tag == "tag:yaml.org,2002:float" and ":" in node.value
    ):
        return
    if len(node.value) > LONGEST:
        raise UserError(
            f"{at}: {where} is a number of {len(node.value):,} digits; at most {LONGEST} are read"
        )
    if not DECIMAL.fullmatch(node.value):
        raise UserError(
            f"{at}: {where} is {node.value}, which YAML does not read as a decimal number; write "
            "it without leading zeros, prefixes or colons, or in quotes if it is text"
        )
