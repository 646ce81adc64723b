"""Frames, text and figures of an atlas, from how the runs on its problems ended."""

from pathlib import Path

from lincon.job import logged

with logged(snakemake.log[0]):
    from lincon.report.figures.draw import draw
    from lincon.report.stages import atlas
    from lincon.study.style import Style

    job, output = snakemake.params.job, snakemake.output
    about = {key: job[key] for key in ("title", "horizon", "runs")}
    about["bound"] = f"\u03b7 = {job['eta']:g}"
    folder = Path(output.files[0]).parent
    made = atlas(snakemake.input.outcomes, folder, looks=job["looks"], **about)
    files = [*output.png, *output.others]
    draw(files, Style(**job["style"]), made, job["looks"], about)
