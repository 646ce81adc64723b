"""One figure of a sweep: curves, frontier or heat map."""

from lincon.job import logged

with logged(snakemake.log[0]):
    from lincon.analysis.sweeps import read
    from lincon.report.figures.draw import draw
    from lincon.study.style import Style

    sweep, given = snakemake.params.sweep, snakemake.input
    files = zip(sweep.pop("points"), given.summaries, given.problems, strict=True)
    points = [point | {"summary": one, "problem": other} for point, one, other in files]
    draw(list(snakemake.output), Style(**snakemake.params.style), read(points, **sweep))
