"""Averages over runs.

In: every run of a setting. Out: its tidy summary, one row a policy, metric, basis and round.
"""


rule summarise:
    """Average the runs on {wildcards.dataset}, eta {wildcards.eta}, T = {wildcards.horizon}."""
    input:
        runs=setting_runs,
        problem="results/problems/dataset={dataset}/eta={eta}/problem.json",
    output:
        summary="results/summaries/dataset={dataset}/eta={eta}/horizon={horizon}/summary.parquet",
    log:
        "results/logs/summarise/{dataset}-{eta}-{horizon}.log",
    params:
        job=lambda wildcards: job(
            "metrics",
            policies=setting_policies(wildcards),
            runs=CONFIG["runs"],
            resamples=CONFIG["resamples"],
            seed=CONFIG["seed"],
        ),
    localrule: True
    shell:
        "python3 -m lincon summarise --spec {params.job[spec]:q} --problem {input.problem}"
        " --runs results/runs/dataset={wildcards.dataset}/eta={wildcards.eta}/horizon={wildcards.horizon}"
        " --out {output.summary} > {log} 2>&1"
