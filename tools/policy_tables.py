"""Write the tables of docs/policies.md, from the declared parts and from config/config.yaml.

python tools/policy_tables.py
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from lincon.files import write_text
from lincon.policies.parts import OPTIONAL, TABLES, Part
from lincon.policies.registry import engine_of, make_policy, standing
from lincon.study.config import engine_keys

ROOT = Path(__file__).parents[1]
TARGET = ROOT / "docs" / "policies.md"
CONFIG = ROOT / "config" / "config.yaml"


def text(page: str) -> str:
    """The page with its tables regenerated; each is below a comment that names it."""
    for name, lines in {"policies": policy_rows(), **part_tables()}.items():
        pattern = rf"(<!-- table: {name} -->\n\n)(?:\|.*\n)*"
        body = "\n".join(lines) + "\n"
        page, found = re.subn(pattern, lambda match, body=body: match[1] + body, page)
        assert found == 1, f"docs/policies.md has no place for the table {name}"
    return page


def entries() -> dict[str, dict[str, Any]]:
    """The policies of the shipped config, as they are given there."""
    found: dict[str, dict[str, Any]] = yaml.safe_load(CONFIG.read_text(encoding="utf-8"))[
        "policies"
    ]
    return found


def policy_rows() -> Iterator[str]:
    yield "| id | parts | parameters | origin |"
    yield "|---|---|---|---|"
    for name, entry in entries().items():
        spec = engine_keys(entry)
        policy = make_policy(name, spec)
        shown = (f"{key} = {value:.4g}" for key, value in policy.parameters.items())
        parts = [f"`{policy.estimator}`, `{policy.selector}`"]
        parts += [f"{kind} `{spec[kind]}`" for kind in OPTIONAL if kind in spec]
        origin, needs, differs = standing(entry)
        status = origin_cell(origin, needs, engine_of(policy, "lazy") == "lazy")
        cells = [f"`{name}`", ", ".join(parts), ", ".join(shown)]
        yield f"| {' | '.join([*cells, f'{status}: {differs}' if differs else status])} |"


def origin_cell(origin: str, needs: str, lazy: bool) -> str:
    """Where a rule comes from, with what is out of the ordinary: what it needs, its engine."""
    exceptions = [] if needs == "anytime" else [needs]
    return ", ".join([origin, *exceptions, *([] if lazy else ["dense engine"])])


def part_tables() -> dict[str, Iterator[str]]:
    return {kind: part_rows(kind, table) for kind, table in TABLES.items()}


def part_rows(kind: str, table: dict[str, Part]) -> Iterator[str]:
    yield f"| {kind} | what it computes | parameters | after | origin |"
    yield "|---|---|---|---|---|"
    for part in table.values():
        parameters = "; ".join(
            f"`{one.name}` = {one.default:g}, {one.allowed.removeprefix('a number ')}"
            for one in part.parameters
        )
        cells = [f"`{part.name}`", part.description, parameters, part.reference]
        yield f"| {' | '.join([*cells, origin_cell(part.origin, part.needs, part.lazy)])} |"


if __name__ == "__main__":
    write_text(TARGET, text(TARGET.read_text(encoding="utf-8")))
