"""The page of a study, one HTML file that answers, and the record of how it was made."""

import json
import os
from pathlib import Path

from lincon.job import logged

with logged(snakemake.log[0]):
    from lincon.analysis import sweeps
    from lincon.analysis.results import Results
    from lincon.files import write_text
    from lincon.report.page.build import build
    from lincon.study.provenance import provenance

    given, output, params = snakemake.input, snakemake.output, snakemake.params
    record = provenance(params.config, given.arms, os.environ.get("LINCON_COMMAND", ""))
    results = [Results.load(Path(path).parent).coloured(params.colours) for path in given.tables]
    # Those of all points of all sweeps, one after the other.
    files, swept = zip(given.summaries, given.problems, strict=True), []
    for sweep in params.sweeps:
        pairs = zip(sweep.pop("points"), files, strict=False)
        points = [point | {"summary": one, "problem": other} for point, (one, other) in pairs]
        swept.append(sweeps.read(points, **sweep))
    pictures = [path for path in given.figures if path.endswith(".png")]
    build(record, results, swept, pictures, output.page)
    write_text(output.provenance, json.dumps(record, indent=2) + "\n")
