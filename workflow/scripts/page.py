"""The page of a study, one HTML file that answers, and the record of how it was made."""

import json
import os
from pathlib import Path

from lincon.job import logged

with logged(snakemake.log[0]):
    from lincon import page
    from lincon.analysis.results import Results
    from lincon.files import read_frame, write_text
    from lincon.study.provenance import provenance

    job, output = snakemake.params.job, snakemake.output
    record = provenance(job["config"], snakemake.input.arms, os.environ.get("LINCON_COMMAND", ""))
    results = [
        Results.load(Path(path).parent).coloured(job["colours"]) for path in snakemake.input.tables
    ]
    files = iter(zip(snakemake.input.summaries, snakemake.input.problems, strict=True))
    sweeps = [page.sweep_of(entry, files) for entry in job["sweeps"]]
    page.build(page.Study.from_provenance(record["study"], record), results, sweeps, output.page)
    write_text(output.provenance, json.dumps(record, indent=2) + "\n")
    for name, title in (
        ("assumptions", "The paper's assumptions"),
        ("final", "Values at the horizon"),
    ):
        frame = read_frame(snakemake.input.get(name), "a table")
        write_text(output.get(name), page.table_page(frame, title, name))
    for one, league, claims in zip(results, output.leagues, output.claims, strict=True):
        pages = page.experiment_pages(one)
        write_text(league, pages["league.html"])
        write_text(claims, pages["claims.html"])
