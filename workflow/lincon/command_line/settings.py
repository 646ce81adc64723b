"""A stage's settings: one frozen dataclass a stage, made by the rules and read by the stage.

They travel as JSON on the command line, or in a file where a command line would be too long.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, TypeVar

from lincon.errors import UserError
from lincon.files import write_text
from lincon.study.paths import SETTINGS

# Linux takes at most 128 KiB in one argument, and a shell line has more than one.
LONGEST = 32_000
T = TypeVar("T")


def to_argument(settings: Any) -> str:
    """The settings as the text of `--settings`: JSON, or `@file` where that is long."""
    # In the order given: that of policies is the order of the legend.
    text = json.dumps(asdict(settings))
    if len(text) <= LONGEST:
        return text
    path = Path(SETTINGS.format(hash=hashlib.sha256(text.encode()).hexdigest()[:16]))
    if not path.exists():
        write_text(path, text)
    return f"@{path}"


def from_argument(kind: type[T], argument: str) -> T:
    """The settings that `to_argument` wrote, as an object of the stage's own class."""
    text = argument
    if argument.startswith("@"):
        try:
            text = Path(argument[1:]).read_text(encoding="utf-8")
        except OSError as error:
            raise UserError(
                f"--settings: {argument[1:]} cannot be read: {error.strerror}"
            ) from None
    try:
        entries = json.loads(text)
    except json.JSONDecodeError as error:
        raise UserError(f"--settings is not JSON: {error}") from None
    known = {field.name for field in fields(kind)}  # type: ignore[arg-type]
    if not isinstance(entries, dict) or set(entries) - known:
        names = ", ".join(sorted(known))
        raise UserError(f"--settings must be an object with the keys {names}")
    try:
        return kind(**entries)
    except TypeError as error:
        raise UserError(f"--settings: {error}") from None
