"""The figures of a sweep, as files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

# The fingerprint of this stage's code counts what is imported by name.
from lincon.figures import drawing, heat_map  # noqa: F401
from lincon.figures.registry import SWEEPS
from lincon.figures.sweeps import Sweep


def draw_sweep(
    sweep: Sweep,
    policies: Mapping[str, Mapping[str, Any]],
    text: str,
    name: str,
    paths: Sequence[str | Path],
) -> None:
    """Draw one figure of a sweep into each of the files named, whose suffixes say the format."""
    with drawing.styled():
        drawing.save(SWEEPS[name].load()(sweep, drawing.looks(policies), text), paths)
