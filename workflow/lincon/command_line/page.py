"""The page of a study: one HTML file that answers, with its provenance beside it as JSON."""

from __future__ import annotations

import argparse
import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ARGUMENTS = {
    "--page": {"type": Path, "required": True, "help": "the page to write"},
    "--provenance": {"type": Path, "required": True, "help": "the provenance to write, as JSON"},
}


@dataclass(frozen=True)
class Settings:
    study: str
    # The config as validated, defaults filled in.
    config: dict[str, Any]
    datasets: list[str]
    # The experiments that are no sweeps.
    experiments: list[str]
    # Each with name, title, axes, points and looks, as the `sweep` stage has them.
    sweeps: list[dict[str, Any]]
    # Policy id -> colour, of those that have one of their own.
    colours: dict[str, str] = field(default_factory=dict)


def run(settings: Settings, args: argparse.Namespace) -> None:
    from lincon import page
    from lincon.analysis.results import Results
    from lincon.files import write_text
    from lincon.study.paths import StudyPaths

    paths = StudyPaths(settings.study)
    record = _provenance(settings)
    loaded = [Results.load(paths.tables_of(name)) for name in settings.experiments]
    results = [one.coloured(settings.colours) for one in loaded]
    sweeps = [_sweep(paths, entry) for entry in settings.sweeps]
    page.build(page.Study.from_provenance(settings.study, record), results, sweeps, args.page)
    write_text(args.provenance, json.dumps(record, indent=2) + "\n")
    for path, html in _table_pages(paths, results).items():
        write_text(path, html)


def _table_pages(paths: Any, results: list[Any]) -> dict[str, str]:
    """The tables as HTML, which a report shows: of all settings, and of each experiment."""
    from lincon import page
    from lincon.command_line.tables import TITLES
    from lincon.files import read_frame

    made = {}
    for name, title in TITLES.items():
        frame = read_frame(paths.table(f"{name}.parquet"), "a table")
        made[paths.table(f"{name}.html")] = page.table_page(frame, title, name)
    for one in results:
        for name, html in page.experiment_pages(one).items():
            made[f"{paths.tables_of(one.name)}/{name}"] = html
    return made


def _provenance(settings: Settings) -> dict[str, Any]:
    from lincon.data import arms
    from lincon.study.paths import ARMS
    from lincon.study.provenance import provenance

    datasets = {}
    for name in settings.datasets:
        table = arms.read(ARMS.format(dataset=name))
        entry = {key: str(getattr(table, key)) for key in arms.METADATA}
        datasets[name] = {"arms": str(len(table))} | {k: v for k, v in entry.items() if v}
    command = os.environ.get("LINCON_COMMAND", "")
    return provenance(settings.config, datasets, command, Path("results/logs"))


def _sweep(paths: Any, entry: dict[str, Any]) -> Any:
    from lincon import page
    from lincon.figures import sweeps

    read = sweeps.read(paths, entry["points"], entry["axes"])
    return page.Sweep(
        name=entry["name"],
        title=entry["title"],
        axes=tuple(entry["axes"]),
        values=read.values,
        states=read.states,
        policies=entry["looks"],
        source=read.problem.source,
        note=read.problem.note,
    )
