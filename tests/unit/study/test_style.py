"""The config's style: widths, files and parameters, refused in a sentence where they are wrong."""

from __future__ import annotations

import os

import matplotlib
import pytest

from lincon.errors import UserError
from lincon.study import style
from lincon.study.style import Style


@pytest.mark.parametrize(
    ("width", "inches"),
    [("single", 3.25), ("double", 6.75), ("89 mm", 3.5039), ("9cm", 3.5433), (4, 4.0)],
)
def test_widths_in_columns_and_units(width, inches):
    assert Style(width=width).inches == (inches and pytest.approx(inches, abs=1e-4))


def test_png_is_always_there_and_nothing_twice():
    assert Style(formats=("svg",)).suffixes == ("png", "svg")
    assert Style(formats=("pdf", "png")).suffixes == ("png", "pdf")


def test_a_file_gives_way_to_parameters_and_both_to_the_layout(tmp_path):
    path = tmp_path / "paper.mplstyle"
    path.write_text("font.size: 9\nlines.linewidth: 2\nfigure.figsize: 1, 1\ntext.usetex: True\n")
    read = style.parameters(Style(file=str(path), rc={"font.size": 7}))
    assert read == {"font.size": 7.0, "lines.linewidth": 2.0}
    assert style.source(Style(file=str(path))) == [str(path)]


def test_styles_of_matplotlib_are_not_files():
    assert style.parameters(Style(file="grayscale"))["image.cmap"] == "gray"
    assert style.source(Style(file="grayscale")) == []
    for name in matplotlib.style.available:
        style.parameters(Style(file=name))
    assert style.source(Style()) == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("font.sise: 9\n", "Bad key font.sise"),
        ("axes.linewidth: thick\n", "Could not convert 'thick' to float"),
        ("nothing here\n", "Missing colon"),
        (b"\xff\xfe\x00", "cannot be read as a style"),
    ],
)
def test_files_that_matplotlib_would_only_warn_of_are_refused(tmp_path, text, said):
    path = tmp_path / "bad.mplstyle"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(UserError, match=said) as error:
        style.check({"file": str(path)})
    assert "\n" not in str(error.value) and str(path) in str(error.value)


def test_what_cannot_be_drawn_is_refused_in_a_file_too(tmp_path):
    path = tmp_path / "large.mplstyle"
    path.write_text("savefig.dpi: 100000\n")
    with pytest.raises(UserError, match=r"savefig\.dpi is 100000; allowed: 20 to 1200"):
        style.check({"file": str(path)})


@pytest.mark.parametrize("file", ["pipe", "http://127.0.0.1:1/paper.mplstyle", "/dev/zero"])
def test_only_a_file_is_read_as_one(tmp_path, monkeypatch, file):
    """A pipe would be waited for, and an address downloaded, while planning."""
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    with pytest.raises(UserError, match="No such file"):
        style.check({"file": file})
