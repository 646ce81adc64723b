"""Download one raw file."""

from lincon.job import logged

with logged(snakemake.log[0]):
    from lincon.data.raw import fetch

    job = snakemake.params.job
    required = job["required"] or snakemake.config.get("data") == "real"
    print(fetch(snakemake.output.raw, job["entry"], required))
