"""What a YAML reader does not say: keys given twice, numbers in base 60, text in no encoding."""

from __future__ import annotations

from pathlib import Path

import yaml

from lincon.errors import UserError

# Values of a config with its aliases written out; no real one comes near.
MOST_VALUES = 1_000_000
# What a config is made of; dates are refused by what they are in (`lincon.study.config`).
TAGS = frozenset(
    f"tag:yaml.org,2002:{name}"
    for name in ("null", "bool", "int", "float", "str", "timestamp", "seq", "map", "merge")
)


def check_text(path: str | Path) -> None:
    """Refuse a config file in which YAML would read something else than what was meant."""
    root = _compose(path)
    if root is not None:
        _check_size(path, root, {})
    if not isinstance(root, yaml.MappingNode):
        raise UserError(f"{path}: a config is made of keys with their values, as in runs: 16")
    waiting: list[tuple[str, yaml.Node | None]] = [("", root)]
    seen_nodes: set[int] = set()
    while waiting:
        where, node = waiting.pop()
        if node is None or id(node) in seen_nodes:
            continue
        seen_nodes.add(id(node))
        if node.tag not in TAGS:
            raise UserError(f"{path}, line {_line(node)}: the tag {node.tag} is not allowed here")
        if isinstance(node, yaml.ScalarNode):
            _check_number(path, where, node)
        elif isinstance(node, yaml.SequenceNode):
            waiting += [(where, item) for item in node.value]
        elif isinstance(node, yaml.MappingNode):
            _check_keys(path, where, node)
            waiting += [(_join(where, key), value) for key, value in node.value]


def _compose(path: str | Path) -> yaml.Node | None:
    try:
        with open(path, encoding="utf-8") as file:
            return yaml.compose(file, Loader=yaml.SafeLoader)
    except UnicodeDecodeError as error:
        raise UserError(
            f"{path} is not text in UTF-8 (byte {error.start + 1}); save it as UTF-8"
        ) from None
    except RecursionError:
        raise UserError(f"{path}: lists or mappings are nested too deeply to be read") from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 1}" if mark else ""
        problem = getattr(error, "problem", None) or str(error).splitlines()[0]
        raise UserError(f"{path}{line}: not YAML: {problem}") from None
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}") from None


def _check_size(path: str | Path, node: yaml.Node, known: dict[int, int | None]) -> int:
    """How many values a node holds with all aliases written out; a few lines can mean billions."""
    if id(node) in known:
        size = known[id(node)]
        if size is None:
            raise UserError(f"{path}, line {_line(node)}: an alias holds itself")
        return size
    known[id(node)] = None
    below = node.value if isinstance(node, yaml.CollectionNode) else []
    parts = [part for item in below for part in (item if isinstance(item, tuple) else (item,))]
    size = 1 + sum(_check_size(path, part, known) for part in parts)
    if size > MOST_VALUES:
        raise UserError(
            f"{path}, line {_line(node)}: with its aliases written out, this holds {size:,} "
            f"values; at most {MOST_VALUES:,} are read"
        )
    known[id(node)] = size
    return size


def _check_keys(path: str | Path, where: str, node: yaml.MappingNode) -> None:
    """YAML readers keep the last of two equal keys and say nothing; here it is a mistake."""
    seen: set[str] = set()
    for key, _ in node.value:
        if not isinstance(key, yaml.ScalarNode):
            raise UserError(f"{path}, line {_line(key)}: a key must be a plain name")
        if key.value in seen:
            raise UserError(
                f"{path}, line {_line(key)}: {_join(where, key)} is given twice; once is allowed"
            )
        seen.add(key.value)


def _check_number(path: str | Path, where: str, node: yaml.ScalarNode) -> None:
    """YAML reads 1:30 as ninety."""
    if node.tag in ("tag:yaml.org,2002:int", "tag:yaml.org,2002:float") and ":" in node.value:
        raise UserError(
            f"{path}, line {_line(node)}: {where} is {node.value}, which YAML reads as a number in "
            "base 60; write it in base 10, or in quotes if it is text"
        )


def _join(where: str, key: yaml.Node) -> str:
    return f"{where}.{key.value}".lstrip(".")


def _line(node: yaml.Node) -> int:
    return node.start_mark.line + 1
