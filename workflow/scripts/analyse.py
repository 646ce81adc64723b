"""Everything about one experiment as tables: theory, claims, outcomes, plays, league."""

from pathlib import Path

from lincon.job import logged

with logged(snakemake.log[0]):
    from lincon.analysis import analyse
    from lincon.analysis.results import make_results
    from lincon.analysis.runs import read_all, read_plays
    from lincon.data import arms as arm_table
    from lincon.files import read_frame
    from lincon.problem.record import read_problem
    from lincon.study.paths import by_policy

    job, looks = snakemake.params.job, snakemake.params.job["looks"]
    problem, arms = read_problem(snakemake.input.problem), arm_table.read(snakemake.input.arms)
    runs, metadata = read_all(by_policy(snakemake.input.runs, list(looks)), job["runs"])
    plays = {
        policy: read_plays(files, policy, job["runs"])
        for policy, files in by_policy(snakemake.input.plays, list(looks)).items()
    }
    how = analyse.Settings(
        **{key: job[key] for key in ("runs", "resamples", "seed", "gamma")},
        compare=tuple(job["compare"]) or None,
        references=tuple(policy for policy, look in looks.items() if look.get("reference")),
    )
    results = make_results(
        job["name"],
        job["title"],
        looks,
        problem,
        arms,
        read_frame(snakemake.input.summary, "a summary"),
        analyse.analyse(runs, plays, problem, arms, how),
        metadata,
        arms.unit,
        arms.scale,
        job["bands"],
    )
    results.save(Path(snakemake.output.tables[0]).parent)
