"""Everything about one experiment as tables: theory, claims, outcomes, plays, league."""

from pathlib import Path

from lincon.job import logged

with logged(snakemake.log[0]):
    from lincon.report.stages import analyse

    given, folder = snakemake.input, Path(snakemake.output.tables[0]).parent
    files = (given.runs, given.plays, given.arms, given.problem, given.summary)
    analyse(*files, folder, **snakemake.params.job)
