"""All figures of one experiment, in one process: laying out is cheap, importing is not."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ARGUMENTS = {
    "--arms": {"type": Path, "required": True, "help": "the arm table"},
    "--problem": {"type": Path, "required": True, "help": "the problem's optimum"},
    "--summary": {"type": Path, "required": True, "help": "the setting's summary"},
    "--tables": {"type": Path, "required": True, "help": "the folder of the experiment's tables"},
    "--out": {"type": Path, "required": True, "help": "the folder to write to"},
}


@dataclass(frozen=True)
class Settings:
    title: str
    players: list[dict[str, Any]]
    runs: int
    # The policies' labels and colours, by id, in the order of the legend.
    looks: dict[str, dict[str, str]]
    claims: bool


def run(settings: Settings, args: argparse.Namespace) -> None:
    from lincon.command_line.runs import read_all
    from lincon.data import arms
    from lincon.figures import arms as arms_figure
    from lincon.figures import claims, drawing, panels, theory
    from lincon.files import read_frame
    from lincon.problem.record import read_problem

    problem, looks = read_problem(args.problem), drawing.looks(settings.looks)
    summary = read_frame(args.summary, "a summary")
    summary = summary[summary["policy"].isin(list(settings.looks))]
    table = read_frame(args.tables / "theory.parquet", "a table of theory")
    plays = read_all("plays", settings.players, settings.runs)
    with drawing.styled():
        figures = {"arms": arms_figure.arms_figure(arms.read(args.arms), problem, settings.title)}
        figures |= panels.all_figures(summary, problem, looks, settings.title)
        figures |= theory.all_figures(summary, plays, table, problem, looks, settings.title)
        if settings.claims:
            frame = read_frame(args.tables / "claims.parquet", "a table of claims")
            figures["claims"] = claims.claims_figure(frame, problem, looks, settings.title)
        for name, figure in figures.items():
            drawing.save(figure, [args.out / f"{name}.{suffix}" for suffix in ("png", "pdf")])
