"""From runs to tables.

In: runs, arms, problems. Out, all in the study's folder: the tidy summary of each setting, one row
per policy, metric, basis and round; the tables of each experiment; the tables over all settings.
"""

from lincon.analysis.layout import RESULT_FILES, STUDY_TEXT_FILES, TEXT_FILES


def of_experiment(wildcards):
    """The files of an experiment's one setting, by what they are."""
    point = point_of(wildcards)
    runs = {"runs": RUNS, "plays": PLAYS}
    others = {"arms": ARMS, "problem": PROBLEM, "summary": SUMMARY}
    return {
        **{name: runs_of(pattern, point.setting, point.policies) for name, pattern in runs.items()},
        **{name: in_setting(pattern, point.setting) for name, pattern in others.items()},
    }


rule summarise:
    """Average the runs on {wildcards.dataset}, T = {wildcards.horizon}."""
    input:
        runs=lambda wildcards: runs_of(
            RUNS, setting_of(wildcards), PLAN.settings[setting_of(wildcards)]
        ),
        arms=ARMS,
        problem=PROBLEM,
    output:
        summary=SUMMARY,
    log:
        f"{LOG}/summarise/{{dataset}}/{{constraints}}/{{horizon}}.log",
    localrule: True
    params:
        job=lambda wildcards: {
            "policies": PLAN.settings[setting_of(wildcards)],
            "tolerances": PLAN.tolerances[setting_of(wildcards)],
            "runs": CONFIG["runs"],
        },
        code=fingerprint("analysis"),
    script:
        "../scripts/summarise.py"


rule analyse:
    """Theory, claims and league of {wildcards.experiment}."""
    input:
        unpack(of_experiment),
    output:
        tables=expand(f"{TABLES}/{{name}}", name=RESULT_FILES, allow_missing=True),
        text=expand(f"{TABLES}/{{name}}", name=TEXT_FILES, allow_missing=True),
    log:
        f"{LOG}/analyse/{{experiment}}.log",
    localrule: True
    params:
        job=lambda wildcards: {
            "name": wildcards.experiment,
            "title": PLAN.experiments[wildcards.experiment].label,
            "looks": {id: HERE.look(name) for id, name in point_of(wildcards).policies.items()},
            "compare": HERE.compared(PLAN.experiments[wildcards.experiment]),
            "tolerances": PLAN.tolerances[point_of(wildcards).setting],
            "runs": CONFIG["runs"],
        },
        code=fingerprint("report"),
    script:
        "../scripts/analyse.py"


rule tables:
    """Gather all settings: the summary of everything, final values, assumptions."""
    input:
        summaries=lambda wildcards: [in_setting(SUMMARY, setting) for setting in PLAN.settings],
        problems=lambda wildcards: [in_setting(PROBLEM, setting) for setting in PLAN.settings],
    output:
        summary=f"{STUDY}/summary.parquet",
        assumptions=f"{STUDY}/tables/assumptions.parquet",
        final=f"{STUDY}/tables/final.parquet",
        text=expand(f"{STUDY}/tables/{{name}}", name=STUDY_TEXT_FILES),
    log:
        f"{LOG}/tables.log",
    localrule: True
    params:
        labels=HERE.looks("label"),
        code=fingerprint("report"),
    script:
        "../scripts/tables.py"
