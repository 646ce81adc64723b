"""The figures of an experiment, or of a sweep: drawing is cheap, importing is not."""

import json

from lincon.job import logged

with logged(snakemake.log[0]):
    from lincon.analysis.sweeps import read
    from lincon.report.figures import draw
    from lincon.study.style import Style

    inputs, spec = snakemake.input, json.loads(snakemake.params.experiment)
    results = read(spec, inputs.outcomes, inputs.curves, inputs.problems, inputs.arms)
    draw(results, snakemake.output.folder, Style(**json.loads(snakemake.params.style)))
