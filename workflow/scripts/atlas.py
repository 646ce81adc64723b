"""Frames, text and figures of an atlas, from how the runs on its problems ended."""

from pathlib import Path

from lincon.job import logged

with logged(snakemake.log[0]):
    import pandas as pd

    from lincon.analysis import atlas
    from lincon.analysis.atlas_text import latex, markdown
    from lincon.figures.draw_atlas import draw_atlas
    from lincon.files import read_frame, write_frame, write_text
    from lincon.study.style import Style

    job, folder = snakemake.params.job, Path(snakemake.output.files[0]).parent
    read = [read_frame(path, "outcomes of an atlas") for path in snakemake.input.outcomes]
    made = atlas.analyse(pd.concat(read), list(job["looks"]))
    for name, frame in made.frames().items():
        write_frame(folder / f"{name}.parquet", frame)
    labels = {policy: look["label"] for policy, look in job["looks"].items()}
    about = (job["title"], job["eta"], job["horizon"], job["runs"])
    write_text(folder / "atlas.md", markdown(made, labels, *about))
    write_text(folder / "atlas.tex", latex(made, labels))
    draw_atlas(made, job["looks"], folder, *about, style=Style.of(job["style"]))
