"""The slim font: the same letters, and whatever it lacks comes from the whole one."""

from __future__ import annotations

import re
from pathlib import Path

import matplotlib.pyplot as plt
import pytest
from fontTools.ttLib import TTFont
from matplotlib.font_manager import FontProperties, findfont

from lincon.figures.drawing import styled
from lincon.figures.fonts import SLIM, UNICODES, WHOLE, families
from lincon.figures.save import save


@pytest.mark.parametrize("weight", ["normal", "bold"])
def test_letters_have_the_shapes_and_widths_of_the_whole_font(weight):
    assert families() == [SLIM, WHOLE]
    files = [findfont(FontProperties(family=each, weight=weight)) for each in families()]
    assert files[0] != files[1]
    with TTFont(files[0]) as slim, TTFont(files[1]) as whole:
        names = [font.getBestCmap() for font in (slim, whole)]
        assert set(names[0]) == set(names[1]) & set(UNICODES)
        for code in names[0]:
            glyphs = slim["glyf"][names[0][code]], whole["glyf"][names[1][code]]
            assert (
                glyphs[0].getCoordinates(slim["glyf"])[0]
                == (glyphs[1].getCoordinates(whole["glyf"])[0])
            )
            assert slim["hmtx"][names[0][code]] == whole["hmtx"][names[1][code]]


def test_a_letter_that_the_slim_font_lacks_is_taken_from_the_whole_one(tmp_path):
    with styled():
        figure, axes = plt.subplots()
        axes.set_title("plain and \u0416")
        save(figure, tmp_path, "two")
    fonts = set(re.findall(rb"/BaseFont /[A-Z]+\+(\S+)", (tmp_path / "two.pdf").read_bytes()))
    assert fonts == {b"DejaVuSansSlim", b"DejaVuSansWhole"}


def test_fonts_lie_side_by_side_as_matplotlib_orders_them_by_path():
    files = [findfont(FontProperties(family=each)) for each in families()]
    assert len({Path(file).parent for file in files}) == 1
