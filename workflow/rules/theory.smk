"""The paper's theory and claims.

In: arms, problems, runs. Out: the theory of a setting (per arm, and scalars), and for every
experiment its claims with verdicts, as Parquet, Markdown and a figure.
"""


rule theory:
    """Compute bounds and coefficients on {wildcards.dataset} at eta = {wildcards.eta}."""
    input:
        arms="results/arms/{dataset}.parquet",
        problem="results/problems/dataset={dataset}/eta={eta}/problem.json",
    output:
        table="results/theory/dataset={dataset}/eta={eta}/horizon={horizon}/theory.parquet",
        scalars="results/theory/dataset={dataset}/eta={eta}/horizon={horizon}/scalars.json",
    log:
        "results/logs/theory/{dataset}-{eta}-{horizon}.log",
    localrule: True
    conda:
        "../envs/lincon.yaml"
    params:
        job=lambda wildcards: job("analysis.theory", gamma=CONFIG["gamma"], horizon=int(wildcards.horizon)),
    shell:
        "python3 -m lincon theory --spec {params.job[spec]:q} --arms {input.arms}"
        " --problem {input.problem} --out {output.table} --scalars {output.scalars} > {log} 2>&1"


rule claims:
    """Check the paper's sentences on {wildcards.experiment}."""
    input:
        runs=point_runs("runs", compared=True),
        problem=of_point("results/problems/dataset={dataset}/eta={eta}/problem.json"),
        theory=of_point(
            "results/theory/dataset={dataset}/eta={eta}/horizon={horizon}/theory.parquet"
        ),
    output:
        table="results/tables/{experiment}/claims.parquet",
        text=report(
            "results/tables/{experiment}/claims.md",
            caption="../report/claims.rst",
            category="{experiment}",
            subcategory="claims",
        ),
        png=report(
            "results/figures/{experiment}/claims.png",
            caption="../report/claims.rst",
            category="{experiment}",
            subcategory="claims",
        ),
        pdf="results/figures/{experiment}/claims.pdf",
    log:
        "results/logs/claims/{experiment}.log",
    localrule: True
    conda:
        "../envs/lincon.yaml"
    params:
        job=lambda wildcards: job(
            "analysis.claims",
            "figures.claims",
            title=title(wildcards),
            compare=CONFIG["compare"],
            policies=policy_looks(wildcards),
            runs=CONFIG["runs"],
            resamples=CONFIG["resamples"],
            seed=CONFIG["seed"],
        )
        | {"runs": setting_folder("runs", wildcards)},
    shell:
        "python3 -m lincon claims --spec {params.job[spec]:q} --problem {input.problem}"
        " --runs {params.job[runs]} --theory {input.theory}"
        " --out results/tables/{wildcards.experiment} --figures {output.png} {output.pdf}"
        " > {log} 2>&1"
