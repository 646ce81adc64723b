"""One self-contained HTML file a study."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml
from altair.utils.schemapi import debug_mode

from lincon import __version__
from lincon.files import write_text
from lincon.page import assets, provenance, sections
from lincon.page.embed import columns, data_uri, packed
from lincon.page.looks import DARK_PAGE, LIGHT_PAGE
from lincon.page.record import Study, Sweep
from lincon.page.sections import Section
from lincon.page.sentences import banner

if TYPE_CHECKING:
    from lincon.analysis.results import Results

# Static figures go into the page as long as they are this many bytes together; a page that is
# sent to a colleague has no folder beside it. What does not fit is linked.
PDF_BUDGET = 3_000_000


def build(study: Study, results: Sequence[Results], sweeps: Sequence[Sweep], out: Path) -> None:
    """Write the page; the static figures are expected in `figures/` beside it."""
    out = Path(out)
    # The tests validate every kind of chart; doing so for each again takes most of a page's time.
    with debug_mode(False):
        made = [sections.experiment(f"e{i}", one) for i, one in enumerate(results)]
        made += [sections.sweep(f"s{i}", one) for i, one in enumerate(sweeps)]
    made = _told_apart(made)
    standin = banner(results) or _sweep_banner(sweeps)
    html = assets.render(
        "page.html.j2",
        study=study,
        version=__version__,
        sections=made,
        banner=standin,
        pdfs=_pdfs(made, out.parent),
        records=provenance.tables(study),
        config=yaml.safe_dump(dict(study.config), sort_keys=False, allow_unicode=True),
        citation=provenance.CITATION,
        page_colours={"light": LIGHT_PAGE, "dark": DARK_PAGE},
        style=assets.text("style.css"),
        sorting=assets.text("tables.js"),
        script=assets.text("page.js"),
        library=assets.chart_library(),
        data=packed(_payload(made, study)),
    )
    write_text(out, html)


def _told_apart(made: Sequence[Section]) -> list[Section]:
    """Sections of the same title, an experiment and a sweep for instance, get their names to it."""
    titles = [section.title for section in made]
    return [
        replace(section, title=f"{section.title} ({section.name})")
        if titles.count(section.title) > 1
        else section
        for section in made
    ]


def _sweep_banner(sweeps: Sequence[Sweep]) -> str:
    names = [sweep.title for sweep in sweeps if sweep.source == "standin"]
    return f"Stand-in arms, not the real data: {', '.join(names)}." if names else ""


def _payload(made: Sequence[Section], study: Study) -> dict[str, Any]:
    """What the script reads: sections with their charts, data by name, tables as files."""
    return {
        "sections": {section.key: _section(section) for section in made},
        "data": {
            name: columns(frame)
            for section in made
            for chart in section.charts
            for name, frame in chart.data.items()
        },
        "files": {
            f"{table.key}.{kind}": text
            for table in [t for section in made for t in section.tables] + provenance.tables(study)
            for kind, text in (("csv", table.csv()), ("tex", table.latex()))
        },
    }


def _section(section: Section) -> dict[str, Any]:
    return {
        "name": section.name,
        "policies": [
            {"p": look.key, "name": look.label, "light": look.light, "dark": look.dark}
            for look in section.looks.values()
        ],
        "best": section.best,
        "charts": {
            chart.key: {
                "spec": chart.spec,
                "data": list(chart.data),
                "labels": dict(chart.labels),
                "log": chart.log,
                "file": f"{section.name}-{chart.key.split('.', 1)[1]}",
            }
            for chart in section.charts
        },
    }


def _pdfs(made: Sequence[Section], folder: Path) -> dict[str, dict[str, str]]:
    """Chart -> its PDF: within the page while there is room, else linked; none if not drawn."""
    found: dict[str, dict[str, str]] = {}
    left = PDF_BUDGET
    for section in made:
        for chart in section.charts:
            link = f"figures/{section.name}/{chart.figure}.pdf"
            path = folder / link
            if not chart.figure or not path.is_file():
                continue
            content = path.read_bytes()
            inside = len(content) <= left
            left -= len(content) if inside else 0
            found[chart.key] = {
                "name": f"{section.name}-{chart.figure}.pdf",
                "href": data_uri(content, "application/pdf") if inside else link,
            }
    return found
