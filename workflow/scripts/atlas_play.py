"""Play a block of an atlas' problems, with all its policies and runs, in one process."""

from lincon.job import logged

with logged(snakemake.log[0]):
    from lincon.cli.atlas_play import play_block
    from lincon.files import write_frame

    job = snakemake.params.job
    write_frame(snakemake.output.outcomes, play_block(job), {"code": job["code"]})
