"""Compile a kernel into the cache that all jobs share."""

from lincon.job import logged

with logged(snakemake.log[0]):
    from lincon.engine.simulate import compile_kernels

    compile_kernels(snakemake.wildcards.kernel)
