"""Find the optimum of arms and a floor, and check the paper's assumptions."""

from lincon.job import logged

with logged(snakemake.log[0]):
    from lincon.data import arms
    from lincon.files import write_text
    from lincon.problem.record import require_feasible
    from lincon.problem.solve import solve_problem

    problem = solve_problem(arms.read(snakemake.input.arms), snakemake.params.job["eta"])
    if snakemake.params.job["required"]:
        require_feasible(problem)
    write_text(snakemake.output.problem, problem.to_json())
