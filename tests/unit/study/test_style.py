"""The config's style: widths, files and parameters, refused in a sentence where they are wrong."""

from __future__ import annotations

import json
import os
from dataclasses import asdict

import pytest

from lincon.errors import UserError
from lincon.study import style
from lincon.study.config import schema
from lincon.study.style import Style


def test_the_defaults_are_those_of_the_schema():
    rows = schema()["$defs"]["style"]["properties"]
    record = json.loads(json.dumps(asdict(Style())))
    assert set(rows) == set(record)
    declared = {name: row["default"] for name, row in rows.items() if "default" in row}
    assert declared == {name: record[name] for name in declared}
    assert not any(record[name] for name in set(rows) - set(declared))


@pytest.mark.parametrize(
    ("width", "inches"),
    [("", None), ("single", 3.25), ("double", 6.75), ("89 mm", 3.5039), ("9cm", 3.5433), (4, 4.0)],
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


def test_styles_that_matplotlib_brings_are_no_files():
    assert style.parameters(Style(file="grayscale"))["image.cmap"] == "gray"
    assert style.source(Style(file="grayscale")) == []
    assert style.source(Style()) == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("font.sise: 9\n", "Bad key font.sise"),
        ("axes.linewidth: thick\n", "Could not convert 'thick' to float"),
        ("nothing here\n", "Missing colon"),
        (b"\xff\xfe\x00", "no style file"),
    ],
)
def test_files_that_matplotlib_would_only_warn_of_are_refused(tmp_path, text, said):
    path = tmp_path / "bad.mplstyle"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(UserError, match=said) as error:
        style.check({"file": str(path)})
    assert "\n" not in str(error.value) and str(path) in str(error.value)


def test_pgf_without_tex_is_said_before_anything_runs(monkeypatch):
    monkeypatch.setenv("PATH", "")
    with pytest.raises(UserError, match=r"pgf, which needs lualatex .* not installed here"):
        style.check({"formats": ["pgf"], "rc": {"pgf.texsystem": "lualatex"}})
    style.check({"formats": ["svg"]})


@pytest.mark.parametrize("file", ["pipe", "http://127.0.0.1:1/paper.mplstyle", "/dev/zero"])
def test_only_a_file_is_read_as_one(tmp_path, monkeypatch, file):
    """A pipe would be waited for, and an address downloaded, while planning."""
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    with pytest.raises(UserError, match="No such file"):
        style.check({"file": file})
