"""Raw files, arms, and the problem that they pose.

In: public addresses, the user's own files. Out: resources/raw/{file},
results/arms/{dataset}.parquet, results/problems/.../problem.json.
"""

from lincon.study.plan import arm_keys, dataset_name

FILES = {
    name: {"entry": file, "required": not KINDS[dataset["kind"]].stand_in}
    for dataset in PLAN.datasets.values()
    for name, file in dataset.get("files", {}).items()
}


rule fetch:
    """Download {wildcards.file}; with `data: auto` leave it empty where it cannot be reached."""
    output:
        # `update`: Snakemake must not delete what is there, a user's own file for instance.
        raw=update(paths.RAW),
    log:
        f"{LOGS}/fetch/{{file}}.log",
    wildcard_constraints:
        file=any_of(FILES),
    localrule: True
    conda:
        ENVIRONMENT
    params:
        job=lambda wildcards: FILES[wildcards.file],
    script:
        "../scripts/fetch.py"


rule extract_arms:
    """Make the arms of {wildcards.dataset}; of an empty raw file stand-in arms, marked as such."""
    input:
        raw=sources,
    output:
        arms=paths.ARMS,
    log:
        f"{LOGS}/extract_arms/{{dataset}}.log",
    cache: "omit-software"
    localrule: True
    conda:
        ENVIRONMENT
    params:
        job=lambda wildcards: {
            "dataset": dataset_name(wildcards.dataset),
            "entry": arm_keys(PLAN.datasets[wildcards.dataset]),
        },
        code=fingerprint("data", script="extract_arms.py"),
    script:
        "../scripts/extract_arms.py"


rule problem:
    """Find the optimum of {wildcards.dataset} under {wildcards.constraints}."""
    input:
        arms=paths.ARMS,
    output:
        problem=paths.PROBLEM,
    log:
        f"{LOGS}/problem/{{dataset}}/{{constraints}}.log",
    localrule: True
    conda:
        ENVIRONMENT
    params:
        job=lambda wildcards: {
            "dataset": dataset_name(wildcards.dataset),
            "goal": PLAN.goals[wildcards.constraints],
        },
        code=fingerprint("problem", script="problem.py"),
    script:
        "../scripts/problem.py"


rule check:
    """Stop before the runs where arms are not the real ones that `data: real` asks for, or cannot
    do what an experiment asks for; a sweep may go beyond that."""
    input:
        cells_of(paths.PROBLEM, [name for name, axes in PLAN.axes.items() if not axes]),
    output:
        touch(f"{OUT}/checked"),
    log:
        f"{LOGS}/check.log",
    priority: 100
    localrule: True
    conda:
        ENVIRONMENT
    params:
        real=CONFIG["data"] == "real",
    script:
        "../scripts/check.py"
