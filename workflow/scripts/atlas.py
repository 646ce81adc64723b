"""Frames, text and figures of an atlas, from how the runs on its problems ended."""

from pathlib import Path

from lincon.job import logged

with logged(snakemake.log[0]):
    from lincon.report.figures.draw import draw
    from lincon.report.stages import atlas
    from lincon.study.style import Style

    output, params = snakemake.output, snakemake.params
    folder = Path(output.files[0]).parent
    made = atlas(snakemake.input.outcomes, folder, params.looks, params.about)
    style, files = Style(**params.style), [*output.png, *output.others]
    draw(files, style, made, params.looks, params.about)
