"""One job per block of runs, by default of one run.

In: the arms and their problem. Out: the cumulative series in results/runs, the plays per arm in
results/plays, both in trees of key=value folders that read as one table; the arm of every round in
results/chosen, if asked for.
"""

from lincon.cli.simulate import as_options
from lincon.engine.kernels import KERNELS

COMPILED = paths.KERNEL.format(code=fingerprint("engine"), kernel="{kernel}")
TABLES = ["runs", "plays", "chosen"] if CONFIG["record"] == "plays" else ["runs", "plays"]


rule compile_kernel:
    """Compile {wildcards.kernel} once, into a cache that all jobs share."""
    output:
        mark=touch(COMPILED),
    log:
        f"{LOGS}/compile_kernel/{{kernel}}.log",
    wildcard_constraints:
        kernel=any_of(sorted(set(KERNELS.values()))),
    localrule: True
    conda:
        ENVIRONMENT
    script:
        "../scripts/compile_kernel.py"


rule simulate:
    """Play {wildcards.policy} on {wildcards.dataset}, run {wildcards.run}."""
    input:
        arms=paths.ARMS,
        problem=paths.PROBLEM,
        # Compiled before the first run starts.
        kernel=lambda wildcards: expand(COMPILED, kernel=job_of(wildcards)["kernels"]),
    output:
        **{name: f"<results>/{name}/{RUN}/run={{run}}.parquet" for name in TABLES},
    log:
        f"{LOGS}/simulate/{RUN}/{{run}}.log",
    cache: "omit-software"
    # A Slurm job plays the runs of its group itself: were they not local there, without a group, it
    # would start one more Snakemake for every run.
    group:
        None if workflow.remote_exec else "simulate"
    localrule: workflow.remote_exec
    conda:
        ENVIRONMENT
    resources:
        mem_mb=lambda wildcards, attempt: attempt * job_of(wildcards)["mem_mb"],
        runtime=lambda wildcards, attempt: attempt * job_of(wildcards)["minutes"],
        # Seconds that a run of a user's policy may take. Not a param: more of them replay nothing.
        limit=lambda wildcards: job_of(wildcards)["limit"],
    params:
        # With --cache, Snakemake looks at inputs and params alone, not at wildcards.
        job=lambda wildcards: [wildcards[key] for key in ("horizon", "run", "seed", "engine")],
        policy=lambda wildcards: [wildcards.policy, *as_options(job_of(wildcards)["entry"])],
        # The hash of a user-defined policy's code, which the job checks.
        source=lambda wildcards: job_of(wildcards)["source"],
        points=CONFIG["points"],
        code=fingerprint("engine"),
    shell:
        f"{PYTHON} -m lincon simulate"
        " --arms {input.arms:q} --problem {input.problem:q} --policy {params.policy:q}"
        " --horizon {wildcards.horizon} --runs {wildcards.run} --seed {wildcards.seed}"
        " --points {params.points} --engine {wildcards.engine}"
        " --constraints {wildcards.constraints:q}"
        " --limit {resources.limit} --source={params.source} --code {params.code}"
        " --out {output:q} > {log:q} 2>&1"
