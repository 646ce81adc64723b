"""Write the table and the list of docs/policies.md, from the declared parts and config/config.yaml.

python tools/policy_tables.py
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from lincon.files import write_text
from lincon.policies.parts import OPTIONAL, TABLES
from lincon.policies.registry import engine_of, make_policy, standing
from lincon.study.config import engine_keys

ROOT = Path(__file__).parents[1]
TARGET = ROOT / "docs" / "policies.md"
PAPER = "Saxena, Gonzalez, Jaldén, AISTATS 2020"
CONFIG = ROOT / "config" / "config.yaml"


def text(page: str) -> str:
    """The page with its table and its list regenerated, each below a comment that names it."""
    for name, lines in {"policies": policy_rows(), "parts": part_lines()}.items():
        pattern = rf"(<!-- made: {name} -->\n\n)(?:.+\n)*"
        body = "\n".join(lines) + "\n"
        page, found = re.subn(pattern, lambda match, body=body: match[1] + body, page)
        assert found == 1, f"docs/policies.md has no place for {name}"
    return page


def entries() -> dict[str, dict[str, Any]]:
    """The policies of the shipped config, as they are given there."""
    found: dict[str, dict[str, Any]] = yaml.safe_load(CONFIG.read_text(encoding="utf-8"))[
        "policies"
    ]
    return found


def policy_rows() -> Iterator[str]:
    yield "| id | parts, and parameters that are not the default | origin |"
    yield "|---|---|---|"
    for name, entry in entries().items():
        spec = engine_keys(entry)
        policy = make_policy(name, spec)
        parts = [f"`{policy.estimator}`", f"`{policy.selector}`"]
        parts += [f"{kind} `{spec[kind]}`" for kind in OPTIONAL if kind in spec]
        used = [table[getattr(policy, kind)] for kind, table in TABLES.items()]
        defaults = {key: value for part in used for key, value in part.defaults.items()}
        parts += [
            f"{key} = {value:.4g}"
            for key, value in policy.parameters.items()
            if value != defaults[key]
        ]
        origin, needs, differs = standing(entry)
        status = [origin, *exceptions(needs, engine_of(policy, "lazy") == "lazy")]
        text = ", ".join(status) + (f": {differs}" if differs else "")
        yield f"| `{name}` | {', '.join(parts)} | {text} |"


def exceptions(needs: str, lazy: bool) -> list[str]:
    """What is out of the ordinary: what it needs, its engine."""
    return ([] if needs == "anytime" else [needs]) + ([] if lazy else ["dense engine"])


def part_lines() -> Iterator[str]:
    for kind, table in TABLES.items():
        yield f"- **{kind}**"
        for part in table.values():
            defaults = [f"`{name}` = {default:g}" for name, default in part.defaults.items()]
            computes = "; ".join([part.description, *defaults])
            reference = part.reference.replace(PAPER, "the paper")
            source = ", ".join([reference, *exceptions(part.needs, part.lazy)])
            yield f"  - `{part.name}`: {computes} (*{source}*)"


if __name__ == "__main__":
    write_text(TARGET, text(TARGET.read_text(encoding="utf-8")))
