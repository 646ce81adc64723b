"""Measure the runs of a group: its outcomes, and its curves."""

from lincon.job import logged

with logged(snakemake.log[0]):
    from lincon.analysis.results import write_results

    inputs, output = snakemake.input, snakemake.output
    files = (inputs.runs, inputs.arms, inputs.problem, output.outcomes, output.curves)
    write_results(*files, **snakemake.params.job)
