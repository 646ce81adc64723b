"""Raw files, arms, and the problem that they pose.

In: public addresses, mirrors, the user's own files. Out: resources/raw/{file},
results/arms/{dataset}.parquet, results/problems/.../problem.json.
"""

from lincon.data.kinds import KINDS
from lincon.data.raw import is_placeholder
from lincon.study.identity import arm_keys

# Raw files by name: how to get them, and what holds for them whatever the config's `data`: arms
# without a stand-in need the real ones, and published runs may be left out.
WANTED = {
    name: {"entry": entry, "data": None if KINDS[dataset["kind"]].stand_in else "real"}
    for dataset in PLAN.datasets.values()
    for name, entry in dataset.get("files", {}).items()
}


def source_files(wildcards):
    """What arms are made of: the user's own file, raw ones, or nothing for stand-in arms."""
    name = dataset_name(wildcards.dataset)
    if stands_in(name):
        return []
    own = PLAN.datasets[name].get("path")
    return [own] if own else expand(RAW, file=PLAN.datasets[name].get("files", {}))


rule fetch:
    """Download {wildcards.file}; leave it empty where it cannot be reached."""
    output:
        # `update`: Snakemake must not delete what is there, a user's own file for instance.
        raw=update(RAW),
    log:
        f"{LOGS}/fetch/{{file}}.log",
    wildcard_constraints:
        file=any_of(WANTED),
    localrule: True
    params:
        job=lambda wildcards: WANTED[wildcards.file],
    script:
        "../scripts/fetch.py"


# An empty file stands for one that could not be downloaded. Where the real data are asked for it
# is in the way: Snakemake would not look for a file that is there.
for file in WANTED:
    path = Path(rules.fetch.output.raw.format(file=file))
    if is_placeholder(path) and CONFIG["data"] == "real":
        path.unlink()


checkpoint fetched:
    """Every file that arms are made of is there, or is empty and means stand-in arms."""
    input:
        expand(RAW, file=WANTED),
        [entry["path"] for entry in PLAN.datasets.values() if "path" in entry],
    output:
        touch(f"{STUDY}/.fetched"),
    localrule: True


rule extract_arms:
    """Make the arms of {wildcards.dataset} from its source."""
    input:
        raw=source_files,
    output:
        arms=ARMS,
    log:
        f"{LOGS}/extract_arms/{{dataset}}.log",
    cache: "omit-software"
    localrule: True
    params:
        job=lambda wildcards: {
            "dataset": dataset_name(wildcards.dataset),
            "entry": arm_keys(PLAN.datasets[dataset_name(wildcards.dataset)]),
            "standin": stands_in(dataset_name(wildcards.dataset)),
            "code": fingerprint("data"),
        },
    script:
        "../scripts/extract_arms.py"


rule problem:
    """Find the optimum of {wildcards.dataset} under {wildcards.constraints}."""
    input:
        arms=ARMS,
    output:
        problem=PROBLEM,
    log:
        f"{LOGS}/problem/{{dataset}}/{{constraints}}.log",
    localrule: True
    params:
        job=lambda wildcards: {
            "goal": PLAN.goals[wildcards.constraints],
            # An experiment requires a feasible problem; a sweep may go beyond.
            "required": (dataset_name(wildcards.dataset), wildcards.constraints) in PLAN.required,
            "code": fingerprint("problem"),
        },
    script:
        "../scripts/problem.py"
