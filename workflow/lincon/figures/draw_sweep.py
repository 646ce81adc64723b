"""The figures of a sweep, as files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

# The fingerprint of this stage's code counts what is imported by name.
from lincon.figures import drawing, heat_map  # noqa: F401
from lincon.figures.registry import SWEEPS
from lincon.figures.save import save
from lincon.figures.sweeps import Sweep
from lincon.study.style import Style


def draw_sweep(
    sweep: Sweep,
    policies: Mapping[str, Mapping[str, Any]],
    text: str,
    name: str,
    folder: str | Path,
    style: Style | None = None,
) -> list[Path]:
    """Draw one figure of a sweep into `folder`, in each format of the style; returns the files."""
    with drawing.styled(style):
        return save(SWEEPS[name].load()(sweep, drawing.looks(policies), text), folder, name)
