"""Frames, text and figures of an atlas, from how the runs on its problems ended."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ARGUMENTS = {
    "--outcomes": {"type": Path, "required": True, "help": "the folder of the outcomes"},
    "--out": {"type": Path, "required": True, "help": "the folder to write to"},
}


@dataclass(frozen=True)
class Settings:
    title: str
    # The blocks of problems that make the atlas; other files of the folder are not its own.
    blocks: list[str]
    # The policies' labels and colours, in the order of the legend.
    looks: dict[str, dict[str, str]]
    eta: float
    horizon: int
    runs: int
    # The config's `style`.
    style: dict[str, Any] = field(default_factory=dict)


def run(settings: Settings, args: argparse.Namespace) -> None:
    import pandas as pd

    from lincon.analysis import atlas
    from lincon.analysis.atlas_text import latex, markdown
    from lincon.figures.draw_atlas import draw_atlas
    from lincon.files import read_frame, write_frame, write_text
    from lincon.study.style import Style

    files = [args.outcomes / f"problems={block}.parquet" for block in settings.blocks]
    outcomes = pd.concat([read_frame(path, "outcomes of an atlas") for path in files])
    made = atlas.analyse(outcomes, list(settings.looks))
    for name, frame in made.frames().items():
        write_frame(args.out / f"{name}.parquet", frame)
    labels = {policy: look["label"] for policy, look in settings.looks.items()}
    about = (settings.title, settings.eta, settings.horizon, settings.runs)
    write_text(args.out / "atlas.md", markdown(made, labels, *about))
    write_text(args.out / "atlas.tex", latex(made, labels))
    draw_atlas(made, settings.looks, args.out, *about, style=Style.of(settings.style))
