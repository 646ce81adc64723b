"""Refuse problems that no mixture of arms solves."""

from lincon.job import logged

with logged(snakemake.log[0]):
    from lincon.problem.record import read_problem, require_feasible

    for path in snakemake.input:
        require_feasible(read_problem(path))
