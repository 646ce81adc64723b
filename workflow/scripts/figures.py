"""All figures of one experiment in one job: drawing is cheap, importing is not."""

from pathlib import Path

from lincon.job import logged

with logged(snakemake.log[0]):
    from lincon.analysis.results import Results
    from lincon.report.figures.draw import draw
    from lincon.study.style import Style

    results = Results.load(Path(snakemake.input.tables[0]).parent)
    style, colours = Style(**snakemake.params.style), snakemake.params.colours
    draw(list(snakemake.output), style, results.coloured(colours))
