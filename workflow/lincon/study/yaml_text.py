"""What a YAML reader does not say: keys given twice, numbers in base 60, text in no encoding."""

from __future__ import annotations

from pathlib import Path

import yaml

from lincon.errors import UserError


def check_text(path: str | Path) -> None:
    """Refuse a config file in which YAML would read something else than what was meant."""
    root = _compose(path)
    waiting: list[tuple[str, yaml.Node | None]] = [("", root)]
    seen_nodes: set[int] = set()
    while waiting:
        where, node = waiting.pop()
        if node is None or id(node) in seen_nodes:
            continue
        seen_nodes.add(id(node))
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
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 1}" if mark else ""
        problem = getattr(error, "problem", None) or str(error).splitlines()[0]
        raise UserError(f"{path}{line}: not YAML: {problem}") from None
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}") from None


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
