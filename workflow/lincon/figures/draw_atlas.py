"""The figures of an atlas, as files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lincon import __version__
from lincon.analysis.atlas import Atlas
from lincon.figures import atlas as figures
from lincon.figures import drawing
from lincon.figures.save import save
from lincon.study.style import Style

DRAWN = {"map": figures.winners_map, "profiles": figures.profiles, "ranks": figures.ranks}


def draw_atlas(
    atlas: Atlas,
    policies: Mapping[str, Mapping[str, Any]],
    folder: Path,
    title: str,
    eta: float,
    horizon: int,
    runs: int,
    style: Style | None = None,
) -> None:
    """Draw every figure into the folder, in each format of the style."""
    count = atlas.problems["problem"].nunique()
    text = (
        f"{count:,} generated problems \u00b7 \u03b7 = {eta:g} \u00b7 T = {horizon:,} \u00b7 "
        f"runs of each policy: {runs:,} \u00b7 lincon {__version__}"
    )
    with drawing.styled(style):
        for name, draw in DRAWN.items():
            figure = draw(atlas, drawing.looks(policies), title if drawing.chosen().title else "")
            drawing.at_foot(figure, text)
            save(figure, folder, name)
