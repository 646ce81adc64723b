"""Everything about one experiment as tables: theory, claims, outcomes, plays, league."""

from pathlib import Path

from lincon.job import logged

with logged(snakemake.log[0]):
    from lincon.report.stages import analyse

    job = {key: value for key, value in snakemake.params.job.items() if key != "code"}
    given = snakemake.input
    told = (given.runs, given.plays, given.arms, given.problem, given.summary)
    analyse(*told, Path(snakemake.output.tables[0]).parent, **job)
