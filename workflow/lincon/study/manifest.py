"""The manifest of a study: the sha256 of every file behind it, to find what was damaged since."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from lincon.data.raw import file_sha256
from lincon.errors import UserError
from lincon.study.paths import STUDIES, StudyPaths


def make(files: Iterable[Path]) -> dict[str, str]:
    """Path -> sha256, of files that are there."""
    return {str(path): file_sha256(path) for path in sorted(files)}


def differences(manifest: Mapping[str, str]) -> list[str]:
    """One line for each file that is gone or is not as it was."""
    lines = []
    for name, expected in manifest.items():
        path = Path(name)
        if not path.is_file():
            lines.append(f"missing  {name}")
        elif file_sha256(path) != expected:
            lines.append(f"changed  {name}")
    return lines


def studies() -> list[str]:
    """The studies that left a manifest."""
    return sorted(path.parent.name for path in Path(STUDIES).glob("*/manifest.json"))


def read(study: str) -> dict[str, str]:
    path = Path(StudyPaths(study).manifest)
    try:
        return dict(json.loads(path.read_text(encoding="utf-8"))["files"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        known = ", ".join(studies()) or "none"
        raise UserError(
            f"{path} cannot be read ({error}); studies with a manifest: {known}"
        ) from None
