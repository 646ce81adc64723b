"""Runs that somebody published beside those of one experiment: a table, its text and a figure."""

from pathlib import Path

from lincon.job import logged

with logged(snakemake.log[0]):
    from lincon.report.figures.draw import draw
    from lincon.report.stages import published
    from lincon.study.style import Style

    given, output, params = snakemake.input, snakemake.output, snakemake.params
    folder = Path(given.tables[0]).parent
    results, comparison = published(given.runs, given.raw, folder, **params.job)
    style, files = Style(**params.style), [output.png, *output.others]
    draw(files, style, results.coloured(params.colours), comparison)
