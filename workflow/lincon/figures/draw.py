"""All figures of an experiment, by one process or several, each of which draws some of them."""

from __future__ import annotations

import multiprocessing
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
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
    processes: int = 1,
) -> list[Path]:
    """Draw the named figures, or all that the results allow, into `folder`; returns the files."""
    names = figure_names(results.claims is not None) if names is None else names
    draw = partial(_draw, results, folder, style)
    if processes == 1:
        return draw(names)
    # Forked, so that Matplotlib is imported once.
    context = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(processes, mp_context=context) as pool:
        shares = pool.map(draw, [names[first::processes] for first in range(processes)])
        return [path for share in shares for path in share]


def _draw(
    results: Results, folder: str | Path, style: Style | None, names: Sequence[str]
) -> list[Path]:
    written = []
    for name in names:
        with drawing.styled(style):
            written += save(FIGURES[name].load()(results), folder, name)
    return written
