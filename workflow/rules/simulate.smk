"""One job a run.

In: results/arms/{dataset}.parquet. Out: the cumulative series of a run in results/runs, its plays
per arm in results/plays, both in trees of key=value folders that read as one table.
"""


rule compile_kernel:
    """Compile {wildcards.kernel} once, into a cache that all jobs share."""
    output:
        mark=COMPILED,
    log:
        "results/logs/compile_kernel/{kernel}.log",
    localrule: True
    conda:
        "../envs/lincon.yaml"
    params:
        job=lambda wildcards: job("engine.simulate", kernel=wildcards.kernel),
    shell:
        "python3 -m lincon compile --spec {params.job[spec]:q} --out {output.mark} > {log} 2>&1"


rule simulate:
    """Play {wildcards.policy} on {wildcards.dataset}, eta {wildcards.eta}, run {wildcards.run}."""
    input:
        arms="results/arms/{dataset}.parquet",
        # Compiled before the first run starts. (Not `ancient`: Snakemake 9.27 overlooks a job's own
        # changes when the job behind an ancient input runs in the same call.)
        kernel=compiled_kernel,
    output:
        run="results/runs/dataset={dataset}/eta={eta}/horizon={horizon}/policy={policy}/run={run}.parquet",
        plays="results/plays/dataset={dataset}/eta={eta}/horizon={horizon}/policy={policy}/run={run}.parquet",
    log:
        "results/logs/simulate/{dataset}/{eta}/{horizon}/{policy}/{run}.log",
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
        job=simulate_spec,
    shell:
        "python3 -m lincon simulate --spec {params.job[spec]:q} --arms {input.arms}"
        " --out {output.run} --plays {output.plays} > {log} 2>&1"
