"""The page of a study, one HTML file that answers, and the record of how it was made."""

import json
import os
from pathlib import Path

from lincon.job import logged

with logged(snakemake.log[0]):
    from lincon.analysis import sweeps
    from lincon.analysis.results import Results
    from lincon.files import read_frame, write_text
    from lincon.report import tables
    from lincon.report.page.build import build, table_page
    from lincon.report.text import banner
    from lincon.study.provenance import provenance

    job, given, output = snakemake.params.job, snakemake.input, snakemake.output
    record = provenance(job["config"], given.arms, os.environ.get("LINCON_COMMAND", ""))
    results = [Results.load(Path(path).parent).coloured(job["colours"]) for path in given.tables]
    files = iter(zip(given.summaries, given.problems, strict=True))
    swept = []
    for entry in job["sweeps"]:
        points = [
            point | dict(zip(("summary", "problem"), next(files), strict=True))
            for point in entry["points"]
        ]
        swept.append(
            sweeps.read(points, entry["axes"], entry["name"], entry["title"], entry["looks"])
        )
    pictures = [path for path in given.figures if path.endswith(".png")]
    build(record, results, swept, pictures, output.page)
    write_text(output.provenance, json.dumps(record, indent=2) + "\n")
    facts, final = (read_frame(given[name], "a table") for name in ("assumptions", "final"))
    write_text(
        output.assumptions, table_page(tables.assumptions_table(facts), banner(facts.itertuples()))
    )
    whole = tables.final_table(final, job["labels"])
    write_text(output.final, table_page(whole, banner(final.itertuples())))
    for one, league, claims in zip(results, output.leagues, output.claims, strict=True):
        warning = banner([one.problem])
        write_text(league, table_page(tables.league(one), warning))
        write_text(claims, table_page(tables.claims(one), warning))
