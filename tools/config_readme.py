"""Write config/README.md, the list of every key of the config, from the schema.

python tools/config_readme.py
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lincon.files import write_text
from lincon.study.config import schema

TARGET = Path(__file__).parents[1] / "config" / "README.md"
HEAD = """\
# Configuration

`config.yaml` holds the paper's experiments with a comment at every key, and is what plain
`snakemake` runs. Do not edit it for a question of your own: write a small file that holds only
what differs and add it with `--configfile`, as the other files of this folder do.

```sh
.venv/bin/snakemake --cores 8 --configfile config/quick.yaml
.venv/bin/snakemake --cores 8 --config runs=32
```

Files are merged level by level into `config.yaml`, later ones win. Every key is checked before
any job runs: an unknown key, a value out of its range or a name that does not exist is refused
with a sentence that names the key. What is computed is decided here alone; cores, memory and
queues belong in `profiles/`.

The tables below are made from `workflow/schemas/config.schema.yaml` by `make docs`. NAME stands
for a name of your own, a letter followed by letters, digits, `_` or `-`. A key without a default
may be left out unless it is marked *required*.
"""
Rules = dict[str, Any]


def resolved(rules: Rules, definitions: Rules) -> Rules:
    """The rules of a key with what they refer to put in; what stands at the key itself wins."""
    while "$ref" in rules:
        name = rules["$ref"].rpartition("/")[2]
        rules = definitions[name] | {key: rules[key] for key in rules if key != "$ref"}
    return rules


def below(rules: Rules) -> Iterator[tuple[str, Rules, bool]]:
    """The keys that a mapping allows: its own by name, those of the user's choice as NAME."""
    required = rules.get("required", ())
    for key, inner in rules.get("properties", {}).items():
        yield key, inner, key in required
    if isinstance(rules.get("additionalProperties"), dict):
        yield "NAME", rules["additionalProperties"], False


def rows(rules: Rules, definitions: Rules, prefix: str) -> Iterator[str]:
    for key, inner, required in below(rules):
        inner = resolved(inner, definitions)
        path = f"{prefix}.{key}".lstrip(".")
        default = code(inner["default"]) if "default" in inner else "*required*" * required
        yield f"| `{path}` | {allowed(inner, definitions)} | {default} | {meaning(inner)} |"
        yield from rows(inner, definitions, path)


def meaning(rules: Rules) -> str:
    return rules.get("description", "").replace("|", "\\|")


def sentence(phrase: str) -> str:
    return f"{phrase[:1].upper()}{phrase[1:]}."


def code(value: Any) -> str:
    text = {True: "true", False: "false"}.get(value, value) if isinstance(value, bool) else value
    return f"`{text}`"


def allowed(rules: Rules, definitions: Rules) -> str:
    """The values that a key may have, in words."""
    if "enum" in rules:
        return ", ".join(code(value) for value in rules["enum"])
    if "const" in rules:
        return code(rules["const"])
    choices = rules.get("anyOf") or rules.get("oneOf")
    if choices:
        found = [allowed(resolved(choice, definitions), definitions) for choice in choices]
        return "; ".join(dict.fromkeys(found))
    kinds = rules.get("type", "mapping" if "properties" in rules else "anything")
    if kinds == "object" and rules.get("required") == ["low", "high", "count"]:
        return "`{low, high, count}`"
    words = {"object": "mapping", "array": "list", "string": "text", "integer": "whole number"}
    kinds = [kinds] if isinstance(kinds, str) else kinds
    text = " or ".join(words.get(kind, kind) for kind in kinds)
    if "array" in kinds and rules.get("items"):
        inside = allowed(resolved(rules["items"], definitions), definitions)
        text = f"list of: {inside}" if "enum" in rules["items"] else f"list ({inside})"
    return text + bounds(rules)


def bounds(rules: Rules) -> str:
    signs = {"minimum": ">=", "exclusiveMinimum": ">", "maximum": "<=", "exclusiveMaximum": "<"}
    found = [f"{signs[key]} {rules[key]:g}" for key in signs if key in rules]
    return f", {' and '.join(found)}" if found else ""


def table(lines: Iterator[str] | list[str]) -> str:
    return (
        "\n".join(["| key | allowed | default | what it is |", "|---|---|---|---|", *lines]) + "\n"
    )


def text() -> str:
    rules = schema()
    definitions = rules.get("$defs", {})
    simple, parts = [], []
    for key, inner, _ in below(rules):
        inner = resolved(inner, definitions)
        alone = {"properties": {key: inner}, "required": rules.get("required", ())}
        lines = list(rows(alone, definitions, ""))
        if len(lines) == 1:
            simple += lines
        else:
            parts.append(f"## `{key}`\n\n{sentence(meaning(inner))}\n\n{table(lines[1:])}")
    return "\n".join([HEAD, "## Keys of the whole study\n", table(simple), *parts])


if __name__ == "__main__":
    write_text(TARGET, text())
