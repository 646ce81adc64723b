"""Runs that somebody published beside those of one experiment: a table, its text and a figure."""

from pathlib import Path

from lincon.job import logged

with logged(snakemake.log[0]):
    from lincon.report.figures.draw import draw
    from lincon.report.stages import published
    from lincon.study.style import Style

    job, given, output = snakemake.params.job, snakemake.input, snakemake.output
    how = {key: job[key] for key in ("entry", "policies", "runs")}
    results, comparison = published(given.runs, given.raw, Path(given.tables[0]).parent, **how)
    files = [output.png, *output.others]
    draw(files, Style(**job["style"]), results.coloured(job["colours"]), comparison)
