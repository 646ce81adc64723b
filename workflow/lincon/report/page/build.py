"""One self-contained HTML file per study; nothing in the data can be taken for HTML or code."""

import base64
import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import quote

import jinja2
from markupsafe import Markup

from lincon import __version__
from lincon.analysis.claims import HOLDS
from lincon.analysis.league import KEPT
from lincon.analysis.measures import EXPECTED
from lincon.analysis.results import Results
from lincon.analysis.sweeps import Sweep
from lincon.files import write_text
from lincon.report import palette, tables, view
from lincon.report.answer import DEAR, answer_of, headline, kept_means
from lincon.report.page.svg import THEME, picture
from lincon.report.service import service
from lincon.report.table import Table
from lincon.report.terminal import sweep_finding
from lincon.report.text import banner, counted, listed, one_line, share

HERE = Path(__file__).parent
# The figures of an experiment and of a sweep, in the order of the page.
FIGURES = ("plane", "panels", "kinds", "arms", "claims")
SWEPT = ("sweep", "frontier", "map")
Folders = Mapping[str, str | Path]


def build(
    record: Mapping[str, Any],
    results: Sequence[Results],
    sweeps: Sequence[Sweep],
    figure_folders: Folders,
    out: str | Path,
) -> None:
    """Write the page of a study.

    Parameters
    ----------
    record
        What the study was made with (lincon.study.provenance).
    results, sweeps
        Its experiments and sweeps.
    figure_folders
        Name of an experiment or a sweep -> the folder of its figures; "" is that of the study.
    out
        The file to write; links to figures are relative to it.
    """
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(HERE),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    style, script = (HERE.joinpath(f"page.{kind}").read_text("utf-8") for kind in ("css", "js"))
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    numbers, place = count(1), Path(out).parent
    study = _figures(figure_folders.get(""), ("panels",), place, numbers)
    tone, lines = headline(results, sweeps)
    text = environment.get_template("page.html").render(
        zip=zip,
        title=str(record.get("study", "Study")),
        style=Markup(style),  # nosec B704
        script=Markup(script),  # nosec B704
        digest=digest,
        theme=THEME,
        tone=tone,
        headline=lines,
        warning=banner([*(one.problem for one in results), *(one.problem for one in sweeps)]),
        overview=overview(results),
        evidence=_evidence(record, results),
        figures=study,
        parts=[
            *(_experiment(one, figure_folders, place, numbers) for one in results),
            *(_sweep(one, figure_folders, place, numbers) for one in sweeps),
        ],
        policies=palette.looks(
            {p: x for of in (results, sweeps) for one in of for p, x in one.policies.items()}
        ),
        facts=_provenance(record),
        config=json.dumps(record.get("config", {}), indent=2, ensure_ascii=False),
    )
    write_text(out, text)


def overview(results: Sequence[Results]) -> dict[str, Any]:
    """One row per experiment: its best policy, and where keeping the constraints is dear also the
    one with the lowest joint regret."""
    paper = all(one.problem.goal.eta is not None for one in results)
    pairs = {one.compare[1]: one.labels[one.compare[1]] for one in results if len(one.claims)}
    against = next(iter(pairs), "")
    spends = [view.counted_in(one.problem)[0] == "cost" for one in results]
    # Relative to a baseline, where it was the only other policy everywhere.
    if len(pairs) != 1 or any(len(one.ranked) != 2 for one in results) or any(spends):
        against = ""
    earned = listed(["reward"] * (not all(spends)) + ["extra cost"] * any(spends))
    columns = ["floor" if paper else "constraint", "reached", "kept"]
    columns += ["regret", "violation"] if against else [earned]
    rows = []
    for one in results:
        ranked, answer = one.ranked, answer_of(one)
        start = {"name": one.name, "title": one_line(one.title), "tone": answer.tone}
        if ranked.empty or not one.problem.feasible:
            rows.append(start | {"message": answer.lines[0], "label": ""})
            continue
        best, lowest = ranked.iloc[0], ranked.loc[ranked["joint"].idxmin()]
        dear = best["group"] == KEPT and best["joint"] > DEAR * lowest["joint"]
        for row in [best, lowest] if dear else [best]:
            changes = view.changes(one, row["policy"], against, EXPECTED) if against else {}
            last = [f"{changes[n]:+.0%}".replace("-", "\u2212") if n in changes else ""
                    for n in ("regret", "violation")]  # fmt: skip
            last = last if against else [str(tables.reward_cell(one, row)[1])]
            cells = [view.bounds_of(one).removeprefix("floor "),
                     str(tables.amount_cell(one, row)[1]),
                     share(row["kept_runs"], row["runs"]), *last]  # fmt: skip
            joint = view.money(one, *(row[f"joint{end}"] for end in ("", "_low", "_high")))
            joint = joint.replace(" \u00b1 ", "\u00a0\u00b1\u00a0")
            rows.append(
                start
                | {"policy": row["policy"], "label": view.label(one, row["policy"])}
                | {"group": row["group"], "cells": [*cells, joint], "message": ""}
            )
    return {"columns": [*columns, "joint regret (95%)"], "rows": rows,
            "against": pairs.get(against, "")}  # fmt: skip


def _evidence(record: Mapping[str, Any], results: Sequence[Results]) -> list[str]:
    """Why a reader may believe it: claims, paired runs, seed, commit."""
    checked = [one.claims["verdict"] for one in results if len(one.claims)]
    held = [f"{(verdicts == HOLDS).sum()}/{len(verdicts)}" for verdicts in checked]
    each = " per experiment" if len(held) > 1 else ""
    claims = [f"{listed(list(dict.fromkeys(held)))} claims{each} (Holm)"] if held else []
    runs = list(dict.fromkeys(counted(one.runs, "paired run") for one in results))
    git, seeds = record.get("git", {}), record.get("seeds", {})
    seed = [f"seed {seeds['seed']}"] if "seed" in seeds else []
    changed = " with uncommitted changes" if git.get("dirty") else ""
    commit = [f"commit {str(git['commit'])[:7]}{changed}"] if git.get("commit") else []
    return [*claims, *runs, *seed, *commit]


def _experiment(
    results: Results, folders: Folders, place: Path, numbers: Iterator[int]
) -> dict[str, Any]:
    answer = answer_of(results)
    folded = [tables.claims(results), tables.bounds(results), tables.arms(results)]
    return {
        "name": results.name,
        "title": one_line(results.title),
        "bounds": f"{view.bounds_of(results)} \u00b7 T = {results.horizon:,} \u00b7 "
        f"{counted(results.runs, 'run')}",
        "tone": answer.tone,
        "lines": answer.lines,
        "table": _html(tables.league(results)),
        "note": kept_means(),
        "figures": _figures(folders.get(results.name), FIGURES, place, numbers),
        "facts": answer.facts,
        "folded": [
            (table.title, _html(table), table.caption, table.left_out)
            for table in folded
            if table.rows
        ],
        "service": service(results),
    }


def _sweep(sweep: Sweep, folders: Folders, place: Path, numbers: Iterator[int]) -> dict[str, Any]:
    table = tables.sweep_table(sweep)
    points = counted(len(sweep.states), "point")
    return {
        "name": sweep.name,
        "title": one_line(sweep.title),
        "bounds": f"{points} \u00b7 {counted(sweep.runs, 'run')} each",
        "tone": "",
        "lines": [sweep_finding(sweep)],
        "figures": _figures(folders.get(sweep.name), SWEPT, place, numbers),
        "table": _html(table) if table.rows else "",
        "note": f"{table.title}.",
        "facts": [],
        "folded": [],
        "service": "",
    }


def _html(table: Table) -> Markup:
    """The table's own HTML, in which every cell is escaped."""
    return Markup(table.html())  # nosec B704


def _figures(
    folder: str | Path | None, names: Sequence[str], place: Path, numbers: Iterator[int]
) -> list[dict[str, Any]]:
    """The figures that are there, numbered, with links to the files beside them."""
    shown: list[dict[str, Any]] = []
    for name in names if folder is not None else ():
        path = Path(folder or "") / f"{name}.svg"
        if path.is_file():
            number = next(numbers)
            drawn = picture(path, f"f{number}-")
            files = [path.with_suffix(f".{kind}") for kind in ("png", "pdf")]
            links = [
                (file.suffix[1:].upper(), quote(Path(os.path.relpath(file, place)).as_posix()))
                for file in files
                if file.is_file()
            ]
            shown.append({"name": name, "number": number, "links": links}
                         | drawn._asdict() | {"svg": Markup(drawn.svg)})  # nosec B704  # fmt: skip
    return shown


def _provenance(record: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What the study was made with, apart from the config."""
    rows = [("lincon", __version__)]
    for key in ("time", "command", "seeds", "git", "versions", "machine", "datasets"):
        value = record.get(key)
        if isinstance(value, Mapping):
            rows += [(f"{key}: {name}", _flat(each)) for name, each in value.items()]
        elif value:
            rows.append((key, str(value)))
    return rows


def _flat(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {each}" for key, each in value.items())
    return str(value)
