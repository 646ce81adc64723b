"""All figures of one experiment in one job: drawing is cheap, importing is not."""

from pathlib import Path

from lincon.job import logged

with logged(snakemake.log[0]):
    from lincon.analysis.results import Results
    from lincon.figures.draw import draw_all
    from lincon.study.style import Style

    job, pictures = snakemake.params.job, [Path(path) for path in snakemake.output.png]
    results = Results.load(Path(snakemake.input.tables[0]).parent).coloured(job["colours"])
    names = [picture.stem for picture in pictures]
    draw_all(results, pictures[0].parent, names, Style.of(job["style"]), snakemake.threads)
