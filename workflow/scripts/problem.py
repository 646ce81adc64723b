"""Find the optimum of arms under a goal."""

import os

from lincon.job import logged

# So few arms are solved in plain Python, to the same bits, before Numba would be loaded.
FEW = 1000

with logged(snakemake.log[0]):
    from lincon.data import arms
    from lincon.files import write_text
    from lincon.problem.goal import Goal

    goal = Goal.from_dict(snakemake.params.goal)
    table = arms.read(snakemake.input.arms)
    if len(table) <= FEW and len(goal.constraints) == 1:
        os.environ["NUMBA_DISABLE_JIT"] = "1"
    from lincon.problem.solve import solve_problem

    write_text(snakemake.output.problem, solve_problem(table, goal).to_json())
