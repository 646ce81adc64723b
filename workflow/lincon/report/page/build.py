"""One self-contained HTML file per study; nothing in the data can be taken for HTML or code."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import jinja2
import yaml
from markupsafe import Markup

from lincon import __version__
from lincon.analysis.results import Results
from lincon.analysis.sweeps import Sweep
from lincon.files import write_text
from lincon.report.page import sections
from lincon.report.page.record import CITATION, Study
from lincon.report.page.sections import Section
from lincon.report.table import Table
from lincon.report.text import banner

TEMPLATES = Path(__file__).parent / "templates"


def build(
    study: Study,
    results: Sequence[Results],
    sweeps: Sequence[Sweep],
    figures: Sequence[str | Path],
    out: str | Path,
) -> None:
    """Write the page; `figures` are PNG files in folders that are named after the experiments."""
    drawn: dict[str, list[Path]] = {}
    for figure in map(Path, figures):
        drawn.setdefault(figure.parent.name, []).append(figure)
    made = [sections.of_experiment(_key(one.name), one, drawn.get(one.name, [])) for one in results]
    made += [sections.of_sweep(_key(one.name), one, drawn.get(one.name, [])) for one in sweeps]
    records = study.tables()
    html = render(
        "page.html.j2",
        study=study,
        version=__version__,
        sections=made,
        banner=banner([*(one.problem for one in results), *(one.problem for one in sweeps)]),
        records=records,
        config=yaml.safe_dump(
            dict(study.record.get("config") or {}), sort_keys=False, allow_unicode=True
        ),
        citation=CITATION,
        data=packed(_payload(made, records)),
    )
    write_text(out, html)


def _key(name: str) -> str:
    """A name of the config as an id: its own letters, as the config allows no others."""
    return f"x-{name}"


def _payload(made: Sequence[Section], records: Sequence[Table]) -> dict[str, Any]:
    """What the script reads: sections with their charts, tables as files."""
    tables = [table for section in made for table in section.tables] + list(records)
    return {
        "sections": {section.key: section.payload for section in made},
        "files": {
            f"{table.key}.{kind}": text
            for table in tables
            for kind, text in (("csv", table.csv()), ("tex", table.latex()))
        },
    }


def table_page(table: Table, warning: str = "") -> str:
    """One table as a page of its own: it sorts, and saves as CSV and LaTeX."""
    links = {
        kind: f"data:text/plain;base64,{base64.b64encode(text.encode()).decode()}"
        for kind, text in (("csv", table.csv()), ("tex", table.latex()))
    }
    return render("table.html.j2", table=replace(table, folded=False), links=links, banner=warning)


def packed(value: Any) -> str:
    """JSON, compressed, in base 64: a third of the size, and no character that HTML knows.

    The same value gives the same text.
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode()


@cache
def environment() -> jinja2.Environment:
    """Everything is escaped unless a template says otherwise; a forgotten name is an error."""
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    # Our own style sheet and scripts, as they are.
    made.globals["own"] = lambda name: Markup(  # nosec B704
        (TEMPLATES / name).read_text(encoding="utf-8")
    )
    return made


def render(template: str, **context: Any) -> str:
    return environment().get_template(template).render(**context)
