"""Figures, as PNG and in the other formats of the style, in the study's folder.

In: the tables of experiments, for sweeps summaries and problems. Out: figures/{experiment}/...
"""


rule figures:
    """Draw all figures of {wildcards.experiment}."""
    input:
        tables=[f"{STUDY.experiment_tables}/{name}" for name in RESULT_FILES],
        style=STYLE_FILE,
    output:
        png=report(
            experiment_figures(figure_names(compared=False)),
            caption="../report/figures.rst",
            category="{experiment}",
            subcategory="figures",
        ),
        others=in_other_formats(experiment_figures(figure_names(compared=False))),
    log:
        paths.LOG.format(rule="figures", name=f"{CONFIG['study']}/{{experiment}}"),
    wildcard_constraints:
        experiment=any_of(name for name, e in PLAN.experiments.items() if not compared(e)),
    localrule: True
    conda:
        "../envs/lincon.yaml"
    # Those of the last experiment are what everybody waits for.
    threads: 4
    params:
        job=figures_job,
    shell:
        "python3 -m lincon figures --settings {params.job[settings]:q}"
        " --tables $(dirname {input.tables[0]:q}) --out $(dirname {output.png[0]:q})"
        " --processes {threads} > {log:q} 2>&1"


use rule figures as figures_with_claims with:
    output:
        png=report(
            experiment_figures(figure_names(compared=True)),
            caption="../report/figures.rst",
            category="{experiment}",
            subcategory="figures",
        ),
        others=in_other_formats(experiment_figures(figure_names(compared=True))),
    wildcard_constraints:
        experiment=any_of(name for name, e in PLAN.experiments.items() if compared(e)),


rule sweep_figure:
    """Draw the {wildcards.figure} of {wildcards.experiment}."""
    input:
        summaries=sweep_inputs(STUDY.summary),
        problems=sweep_inputs(paths.PROBLEM),
        style=STYLE_FILE,
    output:
        png=report(
            f"{STUDY.figures}/{{figure}}.png",
            caption="../report/sweep.rst",
            category="{experiment}",
            subcategory="sweep",
        ),
        others=in_other_formats([f"{STUDY.figures}/{{figure}}.png"]),
    log:
        paths.LOG.format(rule="sweep_figure", name=f"{CONFIG['study']}/{{experiment}}/{{figure}}"),
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
        " --out $(dirname {output.png:q}) > {log:q} 2>&1"
