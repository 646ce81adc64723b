"""The config's style: widths, files and parameters; what is wrong in it is in test_config.py."""

import os

import pytest

from lincon.study import style
from lincon.study.style import Style


def test_widths_in_columns_and_units():
    widths = [Style(width=width).inches for width in ("single", "89 mm", "9cm", 4)]
    assert widths == pytest.approx([3.25, 3.5039, 3.5433, 4.0], abs=1e-4)


def test_png_and_svg_are_always_there_and_nothing_twice():
    assert Style(formats=("svg",)).suffixes == ("png", "svg")
    assert Style(formats=("pdf", "png")).suffixes == ("png", "svg", "pdf")


def test_a_file_gives_way_to_parameters_and_both_to_the_layout(tmp_path):
    path = tmp_path / "paper.mplstyle"
    path.write_text("font.size: 9\nlines.linewidth: 2\nfigure.figsize: 1, 1\ntext.usetex: True\n")
    read = style.parameters(Style(file=str(path), rc={"font.size": 7}))
    assert read == {"font.size": 7.0, "lines.linewidth": 2.0}
    assert style.source(Style(file=str(path))) == [str(path)]


def test_styles_of_matplotlib_are_not_files():
    assert style.parameters(Style(file="grayscale"))["image.cmap"] == "gray"
    assert style.source(Style(file="grayscale")) == style.source(Style()) == []


@pytest.mark.parametrize("file", ["pipe", "http://127.0.0.1:1/paper.mplstyle", "/dev/zero", "bad"])
def test_only_a_file_of_text_is_read_as_one(tmp_path, monkeypatch, file):
    """A pipe would be waited for, and an address downloaded, while planning."""
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    (tmp_path / "bad").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ValueError, match=r"not there|refused by Matplotlib"):
        Style(file=file)
