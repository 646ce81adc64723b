"""The page of a study, one HTML file, and the study's record."""

import json

from lincon.job import logged

with logged(snakemake.log[0]):
    from lincon.report.study import write_study

    inputs, output, params = snakemake.input, snakemake.output, snakemake.params
    files = (inputs.outcomes, inputs.curves, inputs.problems, inputs.arms)
    out = (output.page, output.panels, output.study)
    config, experiments = json.loads(params.config), json.loads(params.experiments)
    write_study(config, experiments, files, inputs.figures, *out)
