"""One self-contained HTML file per study; nothing in the data can be taken for HTML or code."""

import base64
import gzip
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import jinja2
import pandas as pd
import yaml
from markupsafe import Markup

from lincon import __version__
from lincon.analysis.results import Results
from lincon.analysis.sweeps import Sweep
from lincon.files import write_text
from lincon.report.page import sections
from lincon.report.table import Table
from lincon.report.text import banner

TEMPLATES = Path(__file__).parent / "templates"
DATASET = ("name", "source", "arms", "licence", "address", "sha256", "note")


def build(
    record: Mapping[str, Any],
    results: Sequence[Results],
    sweeps: Sequence[Sweep],
    figures: Sequence[str | Path],
    out: str | Path,
) -> None:
    """Write the page of a study with this record (provenance.json; what it lacks is not shown).

    `figures` are PNG files in folders that are named after the experiments.
    """
    drawn: dict[str, list[Path]] = {}
    for figure in map(Path, figures):
        drawn.setdefault(figure.parent.name, []).append(figure)
    # Ids are names of the config in their own letters, as it allows no others.
    made = [sections.of_experiment(f"x-{r.name}", r, drawn.get(r.name, [])) for r in results]
    made += [sections.of_sweep(f"x-{s.name}", s, drawn.get(s.name, [])) for s in sweeps]
    records = _tables(record)
    saved = [table for section in made for table in section.tables] + records
    html = template().render(
        record=record,
        git=record.get("git") or {},
        version=__version__,
        sections=made,
        banner=banner([*(one.problem for one in results), *(one.problem for one in sweeps)]),
        records=records,
        config=yaml.safe_dump(record.get("config"), sort_keys=False, allow_unicode=True),
        data=packed(
            {
                "sections": {section.key: section.payload for section in made},
                "files": {f"{t.key}.csv": t.csv() for t in saved}
                | {f"{t.key}.tex": t.latex() for t in saved},
            }
        ),
    )
    write_text(out, html)


def _tables(record: Mapping[str, Any]) -> list[Table]:
    """Data, and what it was computed with: code, seeds, versions, machine."""
    made = []
    if record.get("datasets"):
        frame = pd.DataFrame([{"name": n} | dict(e) for n, e in record["datasets"].items()])
        columns = [column for column in DATASET if column in frame]
        made.append(Table.of(frame[columns], title="Data", key="datasets"))
    known = {"time": record.get("time")}
    for part in ("git", "seeds", "machine", "versions"):
        known |= record.get(part) or {}
    rows = [[name, str(value)] for name, value in known.items() if value not in (None, "", False)]
    if rows:
        made.append(Table(["what", "value"], rows, "Code, seeds and machine", "run", folded=True))
    return made


def packed(value: Any) -> str:
    """JSON, compressed, in base 64: a third of the size, and no character that HTML knows.

    The same value gives the same text.
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode()


def template() -> jinja2.Template:
    """Everything is escaped unless it says otherwise; a forgotten name is an error."""
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
    return made.get_template("page.html.j2")
