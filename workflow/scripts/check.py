"""Refuse infeasible problems, and stand-in arms with `data: real`."""

from lincon.job import logged

with logged(snakemake.log[0]):
    from lincon.errors import UserError
    from lincon.problem.record import read_problem, require_feasible

    for path in snakemake.input:
        problem = read_problem(path)
        if snakemake.params.real and problem.source == "standin":
            raise UserError(
                f"{problem.dataset} has stand-in arms, but `data: real` asks for the real ones; "
                "`make real` downloads them"
            )
        require_feasible(problem)
