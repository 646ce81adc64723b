"""Figures, as PNG and PDF.

In: arms, problems, summaries, theory. Out: results/figures/{experiment}/...
"""


rule arms_figure:
    """Draw the arms behind {wildcards.experiment}; refuse an eta that they cannot meet."""
    input:
        arms=of_point("results/arms/{dataset}.parquet"),
        problem=of_point("results/problems/dataset={dataset}/eta={eta}/problem.json"),
    output:
        png=report(
            "results/figures/{experiment}/arms.png",
            caption="../report/arms.rst",
            category="{experiment}",
            subcategory="arms",
        ),
        pdf="results/figures/{experiment}/arms.pdf",
    log:
        "results/logs/arms_figure/{experiment}.log",
    # Before the simulations, so that an eta out of reach stops the run early.
    priority: 50
    localrule: True
    conda:
        "../envs/lincon.yaml"
    params:
        job=lambda wildcards: job("figures.arms", title=title(wildcards)),
    shell:
        "python3 -m lincon arms-figure --spec {params.job[spec]:q} --arms {input.arms}"
        " --problem {input.problem} --figures {output.png} {output.pdf} > {log} 2>&1"


rule panels:
    """Draw the paper's four panels of {wildcards.experiment}, together and one by one."""
    input:
        summary=of_point(
            "results/summaries/dataset={dataset}/eta={eta}/horizon={horizon}/summary.parquet"
        ),
        problem=of_point("results/problems/dataset={dataset}/eta={eta}/problem.json"),
    output:
        png=report(
            expand("results/figures/{{experiment}}/{panel}.png", panel=PANELS),
            caption="../report/panels.rst",
            category="{experiment}",
            subcategory="panels",
        ),
        pdf=expand("results/figures/{{experiment}}/{panel}.pdf", panel=PANELS),
    log:
        "results/logs/panels/{experiment}.log",
    localrule: True
    conda:
        "../envs/lincon.yaml"
    params:
        job=lambda wildcards: job(
            "figures.panels", title=title(wildcards), policies=policy_looks(wildcards)
        ),
    shell:
        "python3 -m lincon panels --spec {params.job[spec]:q} --summary {input.summary}"
        " --problem {input.problem} --out results/figures/{wildcards.experiment} > {log} 2>&1"


rule theory_figures:
    """Draw the theory beside the curves of {wildcards.experiment}."""
    input:
        summary=of_point(
            "results/summaries/dataset={dataset}/eta={eta}/horizon={horizon}/summary.parquet"
        ),
        theory=of_point(
            "results/theory/dataset={dataset}/eta={eta}/horizon={horizon}/theory.parquet"
        ),
        problem=of_point("results/problems/dataset={dataset}/eta={eta}/problem.json"),
        plays=point_runs("plays"),
    output:
        png=report(
            expand("results/figures/{{experiment}}/{figure}.png", figure=THEORY_FIGURES),
            caption="../report/theory.rst",
            category="{experiment}",
            subcategory="theory",
        ),
        pdf=expand("results/figures/{{experiment}}/{figure}.pdf", figure=THEORY_FIGURES),
    log:
        "results/logs/theory_figures/{experiment}.log",
    localrule: True
    conda:
        "../envs/lincon.yaml"
    params:
        job=lambda wildcards: job(
            "figures.theory",
            "analysis.metrics",
            title=title(wildcards),
            policies=policy_looks(wildcards),
            runs=CONFIG["runs"],
        )
        | {"plays": setting_folder("plays", wildcards)},
    shell:
        "python3 -m lincon theory-figures --spec {params.job[spec]:q} --summary {input.summary}"
        " --plays {params.job[plays]} --theory {input.theory} --problem {input.problem}"
        " --out results/figures/{wildcards.experiment} > {log} 2>&1"


rule sweep_figure:
    """Draw the {wildcards.figure} of {wildcards.experiment}."""
    input:
        summaries=sweep_inputs(
            "results/summaries/dataset={dataset}/eta={eta}/horizon={horizon}/summary.parquet"
        ),
        problems=sweep_inputs("results/problems/dataset={dataset}/eta={eta}/problem.json"),
    output:
        png=report(
            "results/figures/{experiment}/{figure}.png",
            caption="../report/sweep.rst",
            category="{experiment}",
            subcategory="sweep",
        ),
        pdf="results/figures/{experiment}/{figure}.pdf",
    log:
        "results/logs/sweep_figure/{experiment}-{figure}.log",
    wildcard_constraints:
        figure="sweep|frontier|heat_map",
    localrule: True
    conda:
        "../envs/lincon.yaml"
    params:
        job=sweep_spec,
    shell:
        "python3 -m lincon sweep-figure --spec {params.job[spec]:q} --folder results"
        " --figures {output.png} {output.pdf} > {log} 2>&1"
