"""Find the optimum of arms under a goal."""

import os

from lincon.job import logged

# Solved in plain Python, to the same bits: loading the compiler would take longer.
os.environ["NUMBA_DISABLE_JIT"] = "1"

with logged(snakemake.log[0]):
    from lincon.data import arms
    from lincon.files import write_text
    from lincon.problem.goal import Goal
    from lincon.problem.solve import solve_problem

    job = snakemake.params.job
    table = arms.read(snakemake.input.arms, job["dataset"])
    solved = solve_problem(table, Goal.from_dict(job["goal"]))
    write_text(snakemake.output.problem, solved.to_json())
