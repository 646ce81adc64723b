"""Download one raw file."""

from lincon.job import logged

with logged(snakemake.log[0]):
    from lincon.data.raw import fetch

    job, config = snakemake.params.job, snakemake.config
    data = job["data"] or config.get("data", "auto")
    print(fetch(snakemake.output.raw, job["entry"], data == "real"))
