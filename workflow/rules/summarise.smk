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
    localrule: True
    conda:
        "../envs/lincon.yaml"
    params:
        job=lambda wildcards: job(
            "analysis.metrics",
            policies=setting_policies(wildcards),
            runs=CONFIG["runs"],
            resamples=CONFIG["resamples"],
            seed=CONFIG["seed"],
        ),
    shell:
        "python3 -m lincon summarise --spec {params.job[spec]:q} --problem {input.problem}"
        " --runs results/runs/dataset={wildcards.dataset}/eta={wildcards.eta}/horizon={wildcards.horizon}"
        " --out {output.summary} > {log} 2>&1"


rule tables:
    """Gather all settings: the summary of everything, final values, assumptions."""
    input:
        summaries=all_settings(
            "results/summaries/dataset={dataset}/eta={eta}/horizon={horizon}/summary.parquet"
        ),
        problems=all_settings("results/problems/dataset={dataset}/eta={eta}/problem.json"),
    output:
        summary="results/summary.parquet",
        parquet=expand("results/tables/{table}.parquet", table=["assumptions", "final"]),
        text=report(
            expand("results/tables/{table}.md", table=["assumptions", "final"]),
            caption="../report/tables.rst",
            category="All experiments",
        ),
    log:
        "results/logs/tables.log",
    localrule: True
    conda:
        "../envs/lincon.yaml"
    params:
        job=job(
            "analysis.tables",
            settings=list(PLAN.settings),
            titles={"assumptions": "The paper's assumptions", "final": "Values at the horizon"},
        ),
    shell:
        "python3 -m lincon tables --spec {params.job[spec]:q} --folder results"
        " --summary {output.summary} --out results/tables > {log} 2>&1"
