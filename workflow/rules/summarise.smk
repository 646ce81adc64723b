"""From runs to tables.

In: runs, arms, problems. Out, all in the study's folder: the tidy summary of each setting, one row a
policy, metric, basis and round; the tables of each experiment; the tables over all settings.
"""


rule study_plan:
    """Leave the study's plan beside its results."""
    output:
        plan=STUDY.plan,
    log:
        paths.LOG.format(rule="plan", name=CONFIG["study"]),
    priority: 100
    localrule: True
    conda:
        "../envs/lincon.yaml"
    params:
        job=lambda wildcards: job("plan", config=SHOWN),
    shell:
        "python3 -m lincon plan --settings {params.job[settings]:q} --out {output.plan:q}"
        " > {log:q} 2>&1"


rule summarise:
    """Average the runs on {wildcards.dataset}, eta {wildcards.eta}, T = {wildcards.horizon}."""
    input:
        runs=setting_runs,
        problem=paths.PROBLEM,
    output:
        summary=STUDY.summary,
    log:
        paths.LOG.format(
            rule="summarise", name=f"{CONFIG['study']}/{{dataset}}/{{eta}}/{{horizon}}"
        ),
    localrule: True
    conda:
        "../envs/lincon.yaml"
    params:
        job=summarise_job,
    shell:
        "python3 -m lincon summarise --settings {params.job[settings]:q}"
        " --problem {input.problem:q} --out {output.summary:q} > {log:q} 2>&1"


rule analyse:
    """Theory, claims and league of {wildcards.experiment}."""
    input:
        runs=point_runs("runs"),
        plays=point_runs("plays"),
        arms=of_point(paths.ARMS),
        problem=of_point(paths.PROBLEM),
        summary=of_point(STUDY.summary),
    output:
        tables=[f"{STUDY.experiment_tables}/{name}" for name in RESULT_FILES],
        text=[f"{STUDY.experiment_tables}/{name}" for name in TEXT_FILES],
    log:
        paths.LOG.format(rule="analyse", name=f"{CONFIG['study']}/{{experiment}}"),
    localrule: True
    conda:
        "../envs/lincon.yaml"
    params:
        job=analyse_job,
    shell:
        "python3 -m lincon analyse --settings {params.job[settings]:q} --arms {input.arms:q}"
        " --problem {input.problem:q} --summary {input.summary:q}"
        " --out $(dirname {output.text[0]:q}) > {log:q} 2>&1"


rule published:
    """Lay the published runs of its setting beside those of {wildcards.experiment}."""
    input:
        runs=lambda wildcards: runs_of(
            "runs", the_point(wildcards).setting, PUBLISHED[wildcards.experiment].policies
        ),
        tables=[f"{STUDY.experiment_tables}/{name}" for name in RESULT_FILES],
        raw=lambda wildcards: paths.RAW.format(file=PUBLISHED[wildcards.experiment].file),
        style=STYLE_FILE,
    output:
        table=f"{STUDY.experiment_tables}/published.parquet",
        latex=f"{STUDY.experiment_tables}/published.tex",
        text=report(
            f"{STUDY.experiment_tables}/published.md",
            caption="../report/published.rst",
            category="{experiment}",
            subcategory="published",
        ),
        png=report(
            f"{STUDY.figures}/published.png",
            caption="../report/published.rst",
            category="{experiment}",
            subcategory="published",
        ),
        others=in_other_formats([f"{STUDY.figures}/published.png"]),
    log:
        paths.LOG.format(rule="published", name=f"{CONFIG['study']}/{{experiment}}"),
    wildcard_constraints:
        experiment=any_of(PUBLISHED),
    localrule: True
    conda:
        "../envs/lincon.yaml"
    params:
        job=published_job,
    shell:
        "python3 -m lincon published --settings {params.job[settings]:q} --raw {input.raw:q}"
        " --tables $(dirname {output.table:q}) --figures $(dirname {output.png:q})"
        " > {log:q} 2>&1"


rule published_runs:
    """All published runs beside ours, for those who want nothing else."""
    input:
        published_results,


rule tables:
    """Gather all settings: the summary of everything, final values, assumptions."""
    input:
        summaries=all_settings(STUDY.summary),
        problems=all_settings(paths.PROBLEM),
    output:
        summary=STUDY.everything,
        parquet=[STUDY.table(f"{name}.parquet") for name in ("assumptions", "final")],
        text=[STUDY.table(name) for name in STUDY_TEXT_FILES],
    log:
        paths.LOG.format(rule="tables", name=CONFIG["study"]),
    localrule: True
    conda:
        "../envs/lincon.yaml"
    params:
        job=tables_job,
    shell:
        "python3 -m lincon tables --settings {params.job[settings]:q} > {log:q} 2>&1"
