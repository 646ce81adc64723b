"""A figure as files: every format that is asked for, without time stamps, the same bytes twice."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.ticker import FuncFormatter

from lincon.analysis.text import latex_text
from lincon.errors import UserError
from lincon.figures.drawing import chosen
from lincon.files import replacing

# What would differ from one time to the next, by suffix; and where a file keeps its provenance.
TIMELESS: dict[str, dict[str, Any]] = {
    ".pdf": {"CreationDate": None},
    ".png": {"Software": None},
    ".svg": {"Date": None},
}
PROVENANCE = {".pdf": "Subject", ".png": "Description", ".svg": "Description"}


def save(figure: Figure, folder: str | Path, name: str) -> list[Path]:
    """Write the figure in each format of the style in force; returns the files."""
    paths = [Path(folder) / f"{name}.{suffix}" for suffix in chosen().suffixes]
    with _laid_out(figure):
        # The one that spoils the figure for the others comes last.
        for path in sorted(paths, key=lambda path: path.suffix == ".pgf"):
            _write(figure, path)
    return paths


@contextmanager
def _laid_out(figure: Figure) -> Iterator[None]:
    """Laid out once, not once a format; with an engine left, savefig would draw all twice."""
    engine = figure.get_layout_engine()
    # In the pixels of the file: in others, hinting makes letters wider or narrower.
    if matplotlib.rcParams["savefig.dpi"] != "figure":
        figure.set_dpi(matplotlib.rcParams["savefig.dpi"])
    if engine is not None:
        engine.execute(figure)
    # As long as the style asks for an engine, savefig puts one back.
    with matplotlib.rc_context(
        {"figure.constrained_layout.use": False, "figure.autolayout": False}
    ):
        figure.set_layout_engine(None)
        yield


def _write(figure: Figure, path: Path) -> None:
    if path.suffix == ".pgf":
        _for_tex(figure, path)
        return
    metadata = dict(TIMELESS[path.suffix])
    if not chosen().footer:
        metadata[PROVENANCE[path.suffix]] = figure.get_label()
    with replacing(path) as temporary:
        figure.savefig(temporary, metadata=metadata)


def _for_tex(figure: Figure, path: Path) -> None:
    """PGF, with every label escaped: to TeX they are source. The figure is spoilt for all else.

    Pixels are in files of their own, named after the picture; so it is written under its own name.
    """
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            _escape_ticks(axis)
    for text in figure.findobj(Text):
        # What has a halo is drawn as outlines, which TeX never reads.
        if not text.get_path_effects():
            text.set_text(_tex_lines(text.get_text()))
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".", dir=path.parent) as folder:
        try:
            figure.savefig(Path(folder) / path.name)
        except ValueError as error:
            said = " ".join(
                str(error).partition("LaTeX Output:")[2].partition("! ")[2].split()[:12]
            )
            raise UserError(
                f"{path} cannot be written, as TeX refuses one of its labels ({said}...); with "
                "style.rc pgf.texsystem: xelatex it knows more letters"
            ) from None
        written = sorted(Path(folder).iterdir(), key=lambda file: file.suffix == ".pgf")
        for file in written:
            os.replace(file, path.parent / file.name)


def _escape_ticks(axis: Axis) -> None:
    formatter = axis.get_major_formatter()
    formatter.set_locs(list(axis.get_majorticklocs()))
    axis.set_major_formatter(FuncFormatter(lambda x, place: _tex_lines(formatter(x, place))))


def _tex_lines(text: str) -> str:
    return "\n".join(map(latex_text, text.split("\n")))
