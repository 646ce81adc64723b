"""The tables over all settings of a study: assumptions, final values, one summary of everything."""

from pathlib import Path

from lincon.job import logged

with logged(snakemake.log[0]):
    from lincon.analysis import tables
    from lincon.files import write_frame
    from lincon.problem.record import read_problem

    problems = [read_problem(path) for path in snakemake.input.problems]
    job = snakemake.params.job
    summary = tables.collect(snakemake.input.summaries, problems, job["horizons"])
    write_frame(snakemake.output.summary, summary)
    tables.write_tables(Path(snakemake.output.final).parent, problems, summary, job["labels"])
