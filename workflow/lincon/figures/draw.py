"""All figures of an experiment in one process: Matplotlib is loaded once, each laid out once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from lincon.analysis.results import Results
from lincon.figures import drawing
from lincon.figures.registry import FIGURES, SWEEPS, figure_names
from lincon.figures.sweeps import Sweep

FORMATS = ("png", "pdf")


def draw_all(
    results: Results, folder: str | Path, names: Sequence[str] | None = None
) -> list[Path]:
    """Draw the named figures, or all that the results allow, into `folder`; returns the files."""
    written = []
    for name in figure_names(results.claims is not None) if names is None else names:
        paths = [Path(folder) / f"{name}.{suffix}" for suffix in FORMATS]
        with drawing.styled():
            drawing.save(FIGURES[name].load()(results), paths)
        written += paths
    return written


def draw_sweep(
    sweep: Sweep,
    policies: Mapping[str, Mapping[str, Any]],
    text: str,
    folder: str | Path,
    names: Sequence[str],
) -> list[Path]:
    """The same for the figures of a sweep."""
    written = []
    for name in names:
        paths = [Path(folder) / f"{name}.{suffix}" for suffix in FORMATS]
        with drawing.styled():
            figure = SWEEPS[name].load()(sweep, drawing.looks(policies), text)
            drawing.save(figure, paths)
        written += paths
    return written
