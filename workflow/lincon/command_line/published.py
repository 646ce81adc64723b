"""Runs that somebody published beside those of one experiment: a table, its text and a figure."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ARGUMENTS = {
    "--raw": {"type": Path, "required": True, "help": "the file of published runs"},
    "--tables": {"type": Path, "required": True, "help": "the folder of the experiment's tables"},
    "--figures": {"type": Path, "required": True, "help": "the folder of its figures"},
}


@dataclass(frozen=True)
class Settings:
    # Each a `lincon.command_line.runs.RunsOf`.
    players: list[dict[str, Any]]
    runs: int
    # Policy id -> the name that the published file has for it.
    policies: dict[str, str]
    # The file's entry in the config: the checksum that it must have, and its setting.
    entry: dict[str, Any]
    # Policy id -> colour, of those that have one of their own.
    colours: dict[str, str] = field(default_factory=dict)
    # The config's `style`.
    style: dict[str, Any] = field(default_factory=dict)


def run(settings: Settings, args: argparse.Namespace) -> None:
    from lincon.analysis.published import compare, to_latex, to_markdown
    from lincon.analysis.results import Results
    from lincon.analysis.runs import read_all
    from lincon.command_line.runs import files_of
    from lincon.data.published import read_published
    from lincon.data.raw import Pin
    from lincon.errors import UserError
    from lincon.figures import drawing
    from lincon.figures.published import published
    from lincon.figures.save import save
    from lincon.files import write_frame, write_text
    from lincon.study.style import Style

    results = Results.load(args.tables).coloured(settings.colours)
    ours, _ = read_all(files_of("runs", settings.players, settings.runs), settings.runs)
    rounds = sorted({int(t) for frame in ours.values() for t in frame["t"]})
    Pin(settings.entry.get("sha256"), settings.entry.get("git_blob")).check(args.raw)
    read = read_published(args.raw, rounds)
    if (read.eta, read.horizon) != (settings.entry["eta"], settings.entry["horizon"]):
        raise UserError(
            f"{args.raw} has runs with eta {read.eta:g} and {read.horizon:,} rounds, but the "
            f"config says eta {settings.entry['eta']:g} and {settings.entry['horizon']:,} rounds"
        )
    theirs = {
        policy: read.frame[read.frame["policy"] == name]
        for policy, name in settings.policies.items()
    }
    comparison = compare(ours, theirs, results.problem)
    provenance = results.metadata | {"code": results.code, "published": args.raw.name}
    with drawing.styled(Style.of(settings.style)):
        save(published(results, comparison), args.figures, "published")
    write_frame(args.tables / "published.parquet", comparison.frame, provenance)
    text = to_markdown(comparison, results.problem, results.labels, args.raw.name, read.optimum)
    write_text(args.tables / "published.md", text)
    latex = to_latex(comparison, results.problem, results.labels)
    write_text(args.tables / "published.tex", latex)
