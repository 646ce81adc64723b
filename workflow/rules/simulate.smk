"""One job a block of runs, by default of one run.

In: results/arms/{dataset}.parquet and the problem, which stops an eta out of reach before the first
run. Out: the cumulative series in results/runs, the plays per arm in results/plays, both in trees
of key=value folders that read as one table; the arm of every round in results/chosen, if asked for.
"""


rule compile_kernel:
    """Compile {wildcards.kernel} once, into a cache that all jobs share."""
    output:
        mark=COMPILED,
    log:
        paths.LOG.format(rule="compile_kernel", name="{kernel}"),
    localrule: True
    conda:
        "../envs/lincon.yaml"
    params:
        job=lambda wildcards: job("compile", kernel=wildcards.kernel),
    shell:
        "python3 -m lincon compile --settings {params.job[settings]:q} --out {output.mark:q}"
        " > {log:q} 2>&1"


rule simulate:
    """Play {wildcards.policy} on {wildcards.dataset}, eta {wildcards.eta}, run {wildcards.run}."""
    input:
        arms=paths.ARMS,
        problem=paths.PROBLEM,
        # Compiled before the first run starts. (Not `ancient`: Snakemake 9.27 overlooks a job's own
        # changes when the job behind an ancient input runs in the same call.)
        kernel=compiled_kernel,
        policy=lambda wildcards: own_files([PLAN.players[wildcards.policy]]),
    output:
        # results/runs, results/plays and, if asked for, results/chosen.
        **{tree: paths.run_pattern(tree) for tree in TREES},
    log:
        paths.LOG.format(
            rule="simulate",
            name="{dataset}/{eta}/{horizon}/{policy}/{engine}/{seed}/{settings}/{run}",
        ),
    cache: CACHEABLE
    group:
        None if workflow.remote_exec else "simulate"
    # A cluster job plays the runs of its group itself: were the rule not local inside it, Slurm's
    # job step would start one more Snakemake for every run.
    localrule: workflow.remote_exec
    conda:
        "../envs/lincon.yaml"
    resources:
        mem_mb=simulate_memory,
        runtime=simulate_minutes,
    params:
        job=simulate_job,
    shell:
        "python3 -m lincon simulate --settings {params.job[settings]:q} --code {params.job[code]}"
        " --arms {input.arms:q} --problem {input.problem:q} --out {output:q} > {log:q} 2>&1"
