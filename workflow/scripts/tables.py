"""The tables of an experiment, or of a sweep."""

from lincon.job import logged

with logged(snakemake.log[0]):
    from lincon.analysis.sweeps import read
    from lincon.report.tables import write_tables

    inputs, spec = snakemake.input, snakemake.params.experiment
    results = read(spec, inputs.outcomes, inputs.curves, inputs.problems, inputs.arms)
    write_tables(results, snakemake.output.folder)
