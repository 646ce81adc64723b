"""Average the runs of a setting: one row per policy, metric, basis and recorded round."""

from lincon.job import logged

with logged(snakemake.log[0]):
    from lincon.analysis.metrics import summarise
    from lincon.analysis.runs import read_all
    from lincon.files import write_frame
    from lincon.problem.record import read_problem
    from lincon.study.paths import by_policy

    job = snakemake.params.job
    runs, metadata = read_all(by_policy(snakemake.input.runs, job["policies"]), job["runs"])
    problem = read_problem(snakemake.input.problem)
    frame = summarise(runs, problem, job["runs"], job["resamples"], job["seed"])
    write_frame(snakemake.output.summary, frame, metadata)
