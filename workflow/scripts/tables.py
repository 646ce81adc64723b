"""The tables over all settings of a study: assumptions, final values, one summary of everything."""

from pathlib import Path

from lincon.job import logged

with logged(snakemake.log[0]):
    from lincon.report.stages import tables

    files = zip(snakemake.input.problems, snakemake.input.summaries, strict=True)
    points = [{"problem": problem, "summary": summary} for problem, summary in files]
    folder = Path(snakemake.output.final).parent
    tables(points, folder, snakemake.output.summary, snakemake.params.labels)
