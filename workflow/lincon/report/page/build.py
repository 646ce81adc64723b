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
import pandas as pd
from markupsafe import Markup

from lincon import __version__
from lincon.analysis.measures import EXPECTED, spends
from lincon.analysis.results import Results
from lincon.analysis.sweeps import Sweep
from lincon.files import write_text
from lincon.report import palette, tables, words
from lincon.report.answer import Answer, answer_of, claims_line, headline, sweep_finding
from lincon.report.facts import facts_of
from lincon.report.figures.draw import FIGURES
from lincon.report.page.svg import THEME, picture
from lincon.report.service import service
from lincon.report.table import sort_key
from lincon.report.text import banner, counted, listed, one_line, share

HERE = Path(__file__).parent


def build(
    record: Mapping[str, Any],
    results: Sequence[Results],
    sweeps: Sequence[Sweep],
    folders: Mapping[str, str | Path],
    out: str | Path,
) -> None:
    """Write the page of a study.

    Parameters
    ----------
    record
        What the study was made with (lincon.study.provenance).
    results, sweeps
        Its experiments and sweeps.
    folders
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
    environment.filters["sort_key"] = sort_key
    style, script = (HERE.joinpath(f"page.{kind}").read_text("utf-8") for kind in ("css", "js"))
    shown: list[Results | Sweep] = [*results, *sweeps]
    numbers, place = count(1), Path(out).parent
    # The panels of the only experiment are those of the study.
    own = [name for name in FIGURES if name != "panels" or len(results) != 1]
    drawn = {
        name: _figures(Path(folder), place, numbers, own if name else FIGURES)
        for name, folder in sorted(folders.items(), key=lambda item: item[0] != "")
    }
    text = environment.get_template("page.html").render(
        title=str(record.get("study", "Study")),
        style=Markup(style),  # nosec B704
        script=Markup(script),  # nosec B704
        digest=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        theme=THEME,
        answer=headline(results, sweeps),
        warning=banner(one.problem for one in shown),
        overview=overview(results),
        evidence=_evidence(record, results),
        parts=[*map(_experiment, results), *map(_sweep, sweeps)],
        figures=drawn,
        policies=palette.looks({p: x for one in shown for p, x in one.policies.items()}),
        made_with=_flat({"lincon": __version__} | dict(record)),
        config=json.dumps(record.get("config", {}), indent=2, ensure_ascii=False),
    )
    write_text(out, text)


def _flat(record: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What the study was made with, apart from the config: nested keys are joined."""
    known = {key: x for key, x in record.items() if key not in ("config", "experiments", "study")}
    return [(key, str(x)) for key, x in pd.json_normalize(known, sep=": ").iloc[0].items()]


def overview(results: Sequence[Results]) -> dict[str, Any]:
    """One row per end of the trade of each experiment, under `columns`; `against` is the baseline.

    Regret and violation are relative to a baseline that was the only other policy everywhere.
    """
    pairs = {words.label(one, one.compare[1]) for one in results if len(one.claims)}
    spend = [spends(one.problem) for one in results]
    pair_only = all(len(one.ranked) == 2 and len(one.claims) > 0 for one in results)
    alone = len(pairs) == 1 and pair_only and not any(spend)
    against = pairs.pop() if alone else ""
    paper = all(one.problem.goal.eta is not None for one in results)
    cost = listed(["reward"] * (not all(spend)) + ["extra cost"] * any(spend))
    columns = ["floor" if paper else "constraint", "reached", "kept"]
    columns += ["regret", "violation"] if against else [cost]
    rows: list[dict[str, Any]] = []
    for one in results:
        answer = answer_of(one)
        start = {"name": one.name, "title": one_line(one.title), "tone": answer.tone, "label": ""}
        if one.ranked.empty or not one.problem.feasible:
            rows.append(start | {"message": answer.lines[0]})
            continue
        for place, (_, row) in enumerate(words.leaders(one).iterrows()):
            paid = [str(words.earned(one, row))]
            if against:
                change = words.changes(one, row["policy"], one.compare[1], EXPECTED)
                paid = [f"{change[n]:+.0%}".replace("-", "\u2212") if n in change else ""
                        for n in ("regret", "violation")]  # fmt: skip
            cells = [
                "" if place else words.thresholds(one.problem).removeprefix("floor "),
                " / ".join(words.reached(one, bound, row) for bound in words.bounds(one.problem)),
                share(row["kept_runs"], row["runs"]),
                *paid,
                words.joint_regret(one, row),
            ]
            named = {"policy": row["policy"], "label": words.label(one, row["policy"])}
            named |= {"title": ""} if place else {}
            rows.append(start | named | {"group": row["group"], "cells": cells, "message": ""})
    return {"columns": [*columns, "joint regret (95%)"], "rows": rows, "against": against}


def _evidence(record: Mapping[str, Any], results: Sequence[Results]) -> list[str]:
    """Why a reader may believe it: claims, paired runs, seed, commit."""
    runs = dict.fromkeys(counted(one.runs, "paired run") for one in results)
    git, seed = record.get("git", {}), record.get("seeds", {}).get("seed")
    changed = " with uncommitted changes" * bool(git.get("dirty"))
    claims = claims_line(results)
    return [
        *([claims] if claims else runs),
        *([f"seed {seed}"] if seed is not None else []),
        *([f"commit {str(git['commit'])[:7]}{changed}"] if git.get("commit") else []),
    ]


def _experiment(results: Results) -> dict[str, Any]:
    answer, runs = answer_of(results), counted(results.runs, "run")
    facts = (words.thresholds(results.problem), f"T = {results.horizon:,}", runs)
    folded = [tables.claims(results), tables.paper_bounds(results)]
    return {
        "name": results.name,
        "title": one_line(results.title),
        "bounds": " \u00b7 ".join(facts),
        "answer": answer,
        "table": tables.league(results),
        "facts": facts_of(results),
        "folded": [table for table in folded if table.rows],
        "service": service(results),
    }


def _sweep(sweep: Sweep) -> dict[str, Any]:
    points, runs = counted(len(sweep.states), "point"), counted(sweep.last.runs, "run")
    return {
        "name": sweep.name,
        "title": one_line(sweep.title),
        "bounds": f"{points} \u00b7 {runs} each",
        "answer": Answer("", [sweep_finding(sweep)]),
        "table": None,
        "facts": [],
        "folded": [tables.best_of_sweep(sweep)],
        "service": "",
    }


def _figures(
    folder: Path, place: Path, numbers: Iterator[int], names: Sequence[str]
) -> list[dict[str, Any]]:
    """Those of the figures that are in a folder, numbered, with links to the files beside them."""
    shown = []
    for path in (folder / f"{name}.svg" for name in names):
        if path.is_file():
            number = next(numbers)
            files = filter(Path.is_file, (path.with_suffix(f".{kind}") for kind in ("png", "pdf")))
            links = {
                file.suffix[1:].upper(): quote(Path(os.path.relpath(file, place)).as_posix())
                for file in files
            }
            drawn = picture(path, f"f{number}-")
            shown.append({"name": path.stem, "number": number, "links": links} | drawn)
    return shown
