"""Runs that somebody published beside those of one experiment: a table, its text and a figure."""

from pathlib import Path

from lincon.job import logged

with logged(snakemake.log[0]):
    from lincon.analysis.published import compare, to_latex, to_markdown
    from lincon.analysis.results import Results
    from lincon.analysis.runs import read_all
    from lincon.data.published import read_published
    from lincon.figures import drawing
    from lincon.figures.published import published
    from lincon.figures.save import save
    from lincon.files import write_frame, write_text
    from lincon.study.paths import by_policy
    from lincon.study.style import Style

    job, raw = snakemake.params.job, Path(snakemake.input.raw)
    results = Results.load(Path(snakemake.input.tables[0]).parent).coloured(job["colours"])
    ours, _ = read_all(by_policy(snakemake.input.runs, list(job["policies"])), job["runs"])
    rounds = sorted({int(t) for frame in ours.values() for t in frame["t"]})
    read = read_published(raw, rounds, job["entry"])
    theirs = {
        policy: read.frame[read.frame["policy"] == name] for policy, name in job["policies"].items()
    }
    comparison = compare(ours, theirs, results.problem)
    made_by = results.metadata | {"code": results.code, "published": raw.name}
    with drawing.styled(Style.of(job["style"])):
        save(published(results, comparison), Path(snakemake.output.png).parent, "published")
    write_frame(snakemake.output.table, comparison.frame, made_by)
    text = to_markdown(comparison, results.problem, results.labels, raw.name, read.optimum)
    write_text(snakemake.output.text, text)
    write_text(snakemake.output.latex, to_latex(comparison, results.problem, results.labels))
