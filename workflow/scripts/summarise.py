"""Average the runs of a setting: one row per policy, metric, basis and recorded round."""

from lincon.job import logged

with logged(snakemake.log[0]):
    from lincon.analysis.runs import summarise

    job = {key: value for key, value in snakemake.params.job.items() if key != "code"}
    told = (snakemake.input.runs, snakemake.input.arms, snakemake.input.problem)
    summarise(*told, snakemake.output.summary, **job)
