"""Figures of experiments with one setting, as PNG and PDF.

In: arms, problems, summaries. Out: results/figures/{experiment}/...
"""

PANELS = ("panels", "regret", "violation", "reward", "ratio")


rule arms_figure:
    """Draw the arms behind {wildcards.experiment}; refuse an eta that they cannot meet."""
    input:
        arms=of_point("results/arms/{dataset}.parquet"),
        problem=of_point("results/problems/dataset={dataset}/eta={eta}/problem.json"),
    output:
        png="results/figures/{experiment}/arms.png",
        pdf="results/figures/{experiment}/arms.pdf",
    log:
        "results/logs/arms_figure/{experiment}.log",
    params:
        job=lambda wildcards: job(
            "arms_figure", title=PLAN.experiments[wildcards.experiment].label
        ),
    # Before the simulations, so that an eta out of reach stops the run early.
    priority: 50
    localrule: True
    shell:
        "python3 -m lincon arms-figure --spec {params.job[spec]:q} --arms {input.arms}"
        " --problem {input.problem} --outs {output.png} {output.pdf} > {log} 2>&1"


rule panels:
    """Draw the paper's four panels of {wildcards.experiment}, together and one by one."""
    input:
        summary=of_point(
            "results/summaries/dataset={dataset}/eta={eta}/horizon={horizon}/summary.parquet"
        ),
        problem=of_point("results/problems/dataset={dataset}/eta={eta}/problem.json"),
    output:
        png=expand("results/figures/{{experiment}}/{basis}/{panel}.png", basis=BASES, panel=PANELS),
        pdf=expand("results/figures/{{experiment}}/{basis}/{panel}.pdf", basis=BASES, panel=PANELS),
    log:
        "results/logs/panels/{experiment}.log",
    params:
        job=lambda wildcards: job(
            "panels",
            title=PLAN.experiments[wildcards.experiment].label,
            policies=policy_looks(wildcards),
            bases=BASES,
        ),
    localrule: True
    shell:
        "python3 -m lincon panels --spec {params.job[spec]:q} --summary {input.summary}"
        " --problem {input.problem} --out results/figures/{wildcards.experiment} > {log} 2>&1"
