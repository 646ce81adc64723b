"""Make the arms of a dataset from its source."""

from lincon.job import logged

with logged(snakemake.log[0]):
    from lincon.data import arms
    from lincon.data.sources import extract

    job = snakemake.params.job
    table = extract(job["entry"], snakemake.input.raw, job["dataset"])
    if table.columns:
        print(f"{job['dataset']}: columns for constraints: {', '.join(table.columns)}")
    arms.write(table, snakemake.output.arms)
