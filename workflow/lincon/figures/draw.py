"""All figures of an experiment in one process: Matplotlib is loaded once, each laid out once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lincon.analysis.results import Results

# Not drawing alone: the fingerprint of this stage's code counts what is imported by name.
from lincon.figures import (  # noqa: F401
    arms,
    claims,
    deficit,
    drawing,
    league,
    panels,
    plane,
    plays,
    theory,
)
from lincon.figures.registry import FIGURES, figure_names
from lincon.figures.save import save
from lincon.study.style import Style


def draw_all(
    results: Results,
    folder: str | Path,
    names: Sequence[str] | None = None,
    style: Style | None = None,
) -> list[Path]:
    """Draw the named figures, or all that the results allow, into `folder`; returns the files."""
    written = []
    for name in figure_names(results.claims is not None) if names is None else names:
        with drawing.styled(style):
            written += save(FIGURES[name].load()(results), folder, name)
    return written
