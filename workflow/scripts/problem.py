"""Find the optimum of arms under a goal, and check the assumptions."""

from lincon.job import logged

with logged(snakemake.log[0]):
    from lincon.data import arms
    from lincon.files import write_text
    from lincon.problem.goal import Goal
    from lincon.problem.record import require_feasible
    from lincon.problem.solve import solve_problem

    goal = Goal.from_dict(snakemake.params.job["goal"])
    problem = solve_problem(arms.read(snakemake.input.arms), goal)
    if snakemake.params.job["required"]:
        require_feasible(problem)
    write_text(snakemake.output.problem, problem.to_json())
