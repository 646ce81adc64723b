"""One figure of a sweep: curves, frontier or heat map."""

from pathlib import Path

from lincon.job import logged

with logged(snakemake.log[0]):
    from lincon.figures import sweeps
    from lincon.figures.draw_sweep import draw_sweep
    from lincon.study.style import Style

    job, picture = snakemake.params.job, Path(snakemake.output.png)
    files = zip(snakemake.input.summaries, snakemake.input.problems, job["points"], strict=True)
    sweep = sweeps.read(list(files), job["axes"])
    style = Style.of(job["style"])
    draw_sweep(sweep, job["looks"], job["title"], picture.stem, picture.parent, style)
