"""One figure of a sweep: curves, frontier or heat map."""

from lincon.job import logged

with logged(snakemake.log[0]):
    from lincon.analysis.sweeps import read
    from lincon.report.figures.draw import draw
    from lincon.study.style import Style

    job, given = snakemake.params.job, snakemake.input
    files = zip(job["points"], given.summaries, given.problems, strict=True)
    points = [point | {"summary": one, "problem": other} for point, one, other in files]
    sweep = read(points, job["axes"], job["name"], job["title"], job["looks"])
    draw(list(snakemake.output), Style(**job["style"]), sweep)
