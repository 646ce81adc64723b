"""Figures, as PNG and PDF, in the study's folder.

In: arms, problems, summaries, the tables of experiments. Out: figures/{experiment}/...
"""


rule figures:
    """Draw all figures of {wildcards.experiment}."""
    input:
        arms=of_point(paths.ARMS),
        problem=of_point(paths.PROBLEM),
        summary=of_point(STUDY.summary),
        theory=f"{STUDY.experiment_tables}/theory.parquet",
        claims=f"{STUDY.experiment_tables}/claims.parquet",
        plays=point_runs("plays"),
    output:
        png=report(
            experiment_figures(FIGURES),
            caption="../report/panels.rst",
            category="{experiment}",
            subcategory="figures",
        ),
        pdf=pdf_of(experiment_figures(FIGURES)),
    log:
        paths.LOG.format(rule="figures", name=CONFIG["study"] + "/{experiment}"),
    wildcard_constraints:
        experiment=any_of(name for name, e in PLAN.experiments.items() if not compared(e)),
    localrule: True
    conda:
        "../envs/lincon.yaml"
    params:
        job=figures_job,
    shell:
        "python3 -m lincon figures --settings {params.job[settings]:q} --arms {input.arms:q}"
        " --problem {input.problem:q} --summary {input.summary:q}"
        " --tables $(dirname {input.theory:q}) --out $(dirname {output.png[0]:q}) > {log:q} 2>&1"


use rule figures as figures_with_claims with:
    output:
        png=report(
            experiment_figures(FIGURES + CLAIMS),
            caption="../report/panels.rst",
            category="{experiment}",
            subcategory="figures",
        ),
        pdf=pdf_of(experiment_figures(FIGURES + CLAIMS)),
    wildcard_constraints:
        experiment=any_of(name for name, e in PLAN.experiments.items() if compared(e)),


rule sweep_figure:
    """Draw the {wildcards.figure} of {wildcards.experiment}."""
    input:
        summaries=sweep_inputs(STUDY.summary),
        problems=sweep_inputs(paths.PROBLEM),
    output:
        png=report(
            f"{STUDY.figures}/{{figure}}.png",
            caption="../report/sweep.rst",
            category="{experiment}",
            subcategory="sweep",
        ),
        pdf=f"{STUDY.figures}/{{figure}}.pdf",
    log:
        paths.LOG.format(rule="sweep_figure", name=CONFIG["study"] + "/{experiment}/{figure}"),
    wildcard_constraints:
        experiment=any_of(name for name, e in PLAN.experiments.items() if e.is_sweep),
        figure="sweep|frontier|heat_map",
    localrule: True
    conda:
        "../envs/lincon.yaml"
    params:
        job=sweep_job,
    shell:
        "python3 -m lincon sweep --settings {params.job[settings]:q}"
        " --out {output.png:q} {output.pdf:q} > {log:q} 2>&1"
