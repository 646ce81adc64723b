"""Figures as files: every format that is asked for, with captions, the same bytes twice.

A rule's output files say what to draw: the stem names the figure, the suffix the format.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib.figure import Figure
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from lincon.files import replacing, write_text
from lincon.report.figures.registry import DECLARED, drawing
from lincon.report.figures.style import styled
from lincon.report.text import latex_text, markdown_text
from lincon.study.style import Style


def draw(files: Sequence[str | Path], style: Style | None, *of: Any) -> None:
    """Draw the figures that the files name, `of` what they take: results, a sweep, ..."""
    pictures: dict[str, list[Path]] = {}
    for path in map(Path, files):
        pictures.setdefault(path.stem, []).append(path)
    captions, titles = pictures.pop("captions", []), {}
    for name, paths in pictures.items():
        with styled(style):
            figure = drawing(name)(*of)
            titles[name] = str(figure.get_gid())
            with _laid_out(figure):
                for path in paths:
                    with replacing(path) as temporary:
                        _write(figure, temporary, DECLARED[name].caption)
    for path in captions:
        write_text(path, _captions(path.suffix, titles))


def _write(figure: Figure, path: Path, caption: str) -> None:
    """With title, caption and provenance inside the file; nothing that would differ next time."""
    title, source = str(figure.get_gid()), str(figure.get_label())
    facts = {"Title": title, "Description": caption, "Source": source}
    own = {
        ".pdf": {"Title": title, "Subject": caption, "Keywords": source, "CreationDate": None},
        ".svg": facts | {"Date": None},
    }
    figure.savefig(path, metadata=own.get(path.suffix))
    if path.suffix == ".png":
        _reduce(path, facts)


def _reduce(path: Path, facts: Mapping[str, str]) -> None:
    """To 128 colours, spread evenly so that no policy loses its own: a quarter of the bytes."""
    held = PngInfo()
    for name, text in facts.items():
        held.add_text(name, text)
    with Image.open(path) as image:
        few = image.convert("RGB").quantize(
            128, Image.Quantize.MAXCOVERAGE, kmeans=1, dither=Image.Dither.NONE
        )
        few.save(path, "PNG", pnginfo=held, dpi=image.info["dpi"], optimize=True)


@contextmanager
def _laid_out(figure: Figure) -> Iterator[None]:
    """Laid out once, not once per format; with an engine left, savefig would draw all twice."""
    engine = figure.get_layout_engine()
    # In the pixels of the file: in others, hinting makes letters wider or narrower.
    if matplotlib.rcParams["savefig.dpi"] != "figure":
        figure.set_dpi(matplotlib.rcParams["savefig.dpi"])
    if engine is not None:
        engine.execute(figure)
        # The layout's last bits vary from process to process; a picture's bytes must not.
        for axes in figure.axes:
            axes.set_position(np.round(axes.get_position(original=True).bounds, 6))
    # As long as the style asks for an engine, savefig puts one back.
    with matplotlib.rc_context({"figure.constrained_layout.use": False}):
        figure.set_layout_engine(None)
        yield


def _captions(suffix: str, titles: Mapping[str, str]) -> str:
    """What each figure found and shows, to be put under it as it is."""
    tex = suffix == ".tex"
    form = "% {}\n\\caption{{{}. {}}}\n" if tex else "## {}\n\n**{}.** {}\n"
    escaped = latex_text if tex else markdown_text
    return "\n".join(
        form.format(name, escaped(finding), escaped(DECLARED[name].caption))
        for name, finding in titles.items()
    )
