"""Figures as files: every format that is asked for, with captions, the same bytes twice.

A rule's output files say what to draw: the stem names the figure, the suffix the format.
"""

from __future__ import annotations

import io
import multiprocessing
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.figure import Figure
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from lincon import __version__
from lincon.analysis.atlas import Atlas
from lincon.analysis.published import Comparison
from lincon.analysis.results import Results
from lincon.analysis.sweeps import Sweep
from lincon.files import replacing, write_text
from lincon.report.figures.registry import DECLARED
from lincon.report.figures.style import styled
from lincon.report.text import latex_text, markdown_text
from lincon.study.style import Style

Files = Sequence[str | Path]
Looks = Mapping[str, Mapping[str, Any]]
Titles = dict[str, str]  # figure -> its title, the finding


def draw_experiment(
    results: Results, files: Files, style: Style | None = None, processes: int = 1
) -> None:
    """The figures of an experiment, by one process or several."""
    _draw((results,), files, style, results.title, results.policies, processes)


def draw_published(
    results: Results, comparison: Comparison, files: Files, style: Style | None = None
) -> None:
    """Published runs under ours."""
    _draw((results, comparison), files, style, results.title, results.policies)


def draw_sweep(sweep: Sweep, files: Files, style: Style | None = None) -> None:
    _draw((sweep,), files, style, sweep.title, sweep.policies)


def draw_atlas(
    atlas: Atlas, looks: Looks, files: Files, *,
    title: str, bound: str, horizon: int, runs: int, style: Style | None = None,
) -> None:  # fmt: skip
    count = atlas.problems["problem"].nunique()
    foot = (
        f"{count:,} generated problems \u00b7 {bound} \u00b7 T = {horizon:,} \u00b7 "
        f"runs of each policy: {runs:,} \u00b7 lincon {__version__}"
    )
    _draw((atlas, looks, title, foot), files, style, title, looks)


def _draw(
    of: tuple, files: Files, style: Style | None, title: str, looks: Looks, processes: int = 1
) -> None:
    """Call the functions of the figures that the files name with what they are made `of`."""
    labels = [str(look.get("label", policy)) for policy, look in looks.items()]
    pictures: dict[str, list[Path]] = {}
    for path in map(Path, files):
        pictures.setdefault(path.stem, []).append(path)
    captions = pictures.pop("captions", [])
    work, jobs = partial(_pictures, of, style, title, labels), list(pictures.items())
    if processes == 1:
        found = work(jobs)
    else:
        # Forked, so that Matplotlib is imported once.
        context = multiprocessing.get_context("fork")
        with ProcessPoolExecutor(processes, mp_context=context) as pool:
            shares = list(pool.map(work, [jobs[k::processes] for k in range(processes)]))
        found = {name: text for share in shares for name, text in share.items()}
    for path in captions:
        drawn = {name: found[name] for name in pictures}
        write_text(path, caption_text(path.suffix, drawn, title, labels))


def _pictures(
    of: tuple,
    style: Style | None,
    title: str,
    labels: list[str],
    jobs: Sequence[tuple[str, list[Path]]],
) -> Titles:
    titles = {}
    for name, paths in jobs:
        with styled(style):
            figure = DECLARED[name].load()(*of)
            titles[name] = str(figure.get_gid())
            caption = f"{DECLARED[name].caption}\n{DECLARED[name].alt_text(title, labels)}"
            with _laid_out(figure):
                for path in paths:
                    with replacing(path) as temporary:
                        _write(figure, temporary, caption)
    return titles


def _write(figure: Figure, path: Path, caption: str) -> None:
    """With title, caption and provenance inside the file; nothing that would differ next time."""
    facts = {"Title": str(figure.get_gid()), "Description": caption, "Source": figure.get_label()}
    if path.suffix == ".pdf":
        facts = {"Title": facts["Title"], "Subject": caption, "Keywords": facts["Source"]}
        figure.savefig(path, metadata=facts | {"CreationDate": None})
    elif path.suffix == ".svg":
        figure.savefig(path, metadata=facts | {"Date": None})
    else:
        _write_png(figure, path, facts)


def _write_png(figure: Figure, path: Path, facts: Mapping[str, Any]) -> None:
    """In 256 colours: a third of the bytes, and the page and Snakemake's report hold them all."""
    drawn, held = io.BytesIO(), PngInfo()
    figure.savefig(drawn, format="png")
    for name, text in facts.items():
        held.add_text(name, str(text))
    with Image.open(drawn) as image:
        few = image.convert("RGB").quantize(
            256, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE
        )
        few.save(path, "PNG", pnginfo=held, dpi=(figure.dpi, figure.dpi))


@contextmanager
def _laid_out(figure: Figure) -> Iterator[None]:
    """Laid out once, not once per format; with an engine left, savefig would draw all twice."""
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


def caption_text(suffix: str, titles: Titles, title: str, labels: Sequence[str]) -> str:
    """Caption and alternative text of every figure, to be put under it as they are."""
    blocks = []
    for name, finding in titles.items():
        each = DECLARED[name]
        alt = each.alt_text(title, labels)
        if suffix == ".tex":
            blocks.append(
                f"% {name}\n\\caption{{{latex_text(finding)}. {latex_text(each.caption)}}}\n"
                f"% alt: {latex_text(alt)}\n"
            )
        else:
            blocks.append(
                f"## {name}\n\n**{markdown_text(finding)}.** {markdown_text(each.caption)}\n\n"
                f"Alternative text: {markdown_text(alt)}\n"
            )
    return "\n".join(blocks)
