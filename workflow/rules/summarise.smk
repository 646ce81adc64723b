"""From the runs of a group (a dataset, constraints and a horizon) to its two tables.

In: runs, arms, problem. Out, in the study's folder: outcomes.parquet, one row per policy and run;
curves.parquet, one row per policy, measure, basis and recorded round.
"""


rule summarise:
    """Measure the runs on {wildcards.dataset}, T = {wildcards.horizon}."""
    input:
        runs=lambda wildcards: runs_of(group_of(wildcards)),
        arms=paths.ARMS,
        problem=paths.PROBLEM,
    output:
        outcomes=OUTCOMES,
        curves=CURVES,
    log:
        f"{LOGS}/summarise/{GROUP}.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        job=lambda wildcards: {
            "policies": list(group_of(wildcards)["policy"]),
            "runs": CONFIG["runs"],
            "tolerances": group_of(wildcards)["tolerances"].iloc[0],
        },
        code=fingerprint("analysis", script="summarise.py"),
    script:
        "../scripts/summarise.py"
