"""One job per block of runs, by default of one run.

In: the arms and their problem. Out: the cumulative series in results/runs, the plays per arm in
results/plays, both in trees of key=value folders that read as one table; the arm of every round in
results/chosen, if asked for.
"""

from lincon.cli.simulate import as_options
from lincon.engine.kernels import KERNELS
from lincon.study.plan import minutes

COMPILED = paths.KERNEL.format(code=fingerprint("engine"), kernel="{kernel}")
CHOSEN = {"chosen": f"<results>/chosen/{RUN}/run={{run}}.parquet"}


def runs_in(wildcards):
    """How many runs a job plays."""
    first, last = read_block(wildcards.run)
    return last - first + 1


rule compile_kernel:
    """Compile {wildcards.kernel} once, into a cache that all jobs share."""
    output:
        mark=touch(COMPILED),
    log:
        f"{LOGS}/compile_kernel/{{kernel}}.log",
    wildcard_constraints:
        kernel=any_of(sorted(set(KERNELS.values()))),
    localrule: True
    script:
        "../scripts/compile_kernel.py"


rule simulate:
    """Play {wildcards.policy} on {wildcards.dataset}, run {wildcards.run}."""
    input:
        arms=paths.ARMS,
        problem=paths.PROBLEM,
        # Compiled before the first run starts.
        kernel=lambda wildcards: expand(COMPILED, kernel=filter(None, [planned(wildcards).kernel])),
    output:
        **(CHOSEN if CONFIG["record"] == "plays" else {}),
        runs=f"<results>/runs/{RUN}/run={{run}}.parquet",
        plays=f"<results>/plays/{RUN}/run={{run}}.parquet",
    log:
        f"{LOGS}/simulate/{RUN}/{{run}}.log",
    cache: "omit-software"
    group:
        None if workflow.remote_exec else "simulate"
    # A cluster job plays the runs of its group itself: were the rule not local inside it, Slurm's
    # job step would start one more Snakemake for every run.
    localrule: workflow.remote_exec
    resources:
        mem_mb=lambda wildcards, attempt: attempt * int(planned(wildcards).mem_mb),
        runtime=lambda wildcards, attempt: attempt
        * minutes(planned(wildcards).seconds, runs_in(wildcards)),
        # Seconds. Not a param: whoever gives more time need not play again what was played.
        limit=lambda wildcards: int(planned(wildcards).limit),
    params:
        # All that runs depend on apart from the inputs: Snakemake's cache does not look at wildcards.
        policy=lambda wildcards: [wildcards.policy, *as_options(planned(wildcards).entry)],
        # The hash of a user-defined policy's code, which the job checks.
        source=lambda wildcards: (
            ["--source", source] if (source := planned(wildcards).source) else []
        ),
        job=lambda wildcards: {key: wildcards[key] for key in ("horizon", "run", "seed", "engine")},
        points=CONFIG["points"],
        code=fingerprint("engine"),
    shell:
        f"{PYTHON} -m lincon simulate"
        " --arms {input.arms:q} --problem {input.problem:q} --policy {params.policy:q}"
        " --horizon {wildcards.horizon} --runs {wildcards.run} --seed {wildcards.seed}"
        " --points {params.points}"
        " --engine {wildcards.engine} --limit {resources.limit} {params.source:q}"
        " --code {params.code} --out {output:q} > {log:q} 2>&1"
