"""The figures of an atlas, on frames made by hand."""

from __future__ import annotations

from lincon.analysis import atlas
from lincon.analysis.layout import ATLAS_FIGURES
from lincon.figures import atlas as figures
from lincon.figures import drawing
from lincon.figures.draw_atlas import DRAWN, draw_atlas
from tests.unit.analysis.test_atlas import LABELS, outcomes

LOOKS = {name: {"label": label} for name, label in LABELS.items()}


def made() -> atlas.Atlas:
    return atlas.analyse(outcomes(), list(LABELS))


def test_every_declared_figure_is_drawn(tmp_path):
    assert tuple(DRAWN) == ATLAS_FIGURES
    draw_atlas(made(), LOOKS, tmp_path, "Three", 0.5, 100, 2)
    for name in ATLAS_FIGURES:
        for suffix in ("png", "pdf"):
            assert (tmp_path / f"{name}.{suffix}").stat().st_size > 1000


def test_the_map_shows_the_margin_of_every_winner():
    with drawing.styled():
        figure = figures.winners_map(made(), drawing.looks(LOOKS), "Three")
        plain, floor = ([text.get_text() for text in axes.texts] for axes in figure.axes)
    assert plain == ["2.50", "2.00"]
    assert floor == ["1.30"]  # at the larger slack nobody meets it
    names = [text.get_text().strip() for text in figure.legends[0].get_texts()]
    assert names == ["Be|ta", "Alpha", "none meets the floor"]
