"""Raw files, arms, and the problem that they pose.

In: public addresses, mirrors, the user's own files. Out: resources/raw/{file},
results/arms/{dataset}.parquet, results/problems/.../problem.json.
"""

from lincon.data.kinds import KINDS
from lincon.data.raw import in_folders, is_placeholder
from lincon.study.identity import arm_keys

# Raw files by name: how to get them, and whether stand-in arms, or nothing, can take their place.
WANTED = {
    name: {"entry": entry, "optional": False, "required": KINDS[dataset["kind"]].facts is None}
    for dataset in PLAN.datasets.values()
    for name, entry in dataset.get("files", {}).items()
}
WANTED |= {
    found.file: {"entry": found.entry, "optional": True, "required": False}
    for found in HERE.published.values()
}


def extract_params(wildcards):
    name = dataset_name(wildcards.dataset)
    entry = PLAN.datasets[name]
    return {
        "dataset": name,
        "entry": arm_keys(entry),
        "standin": standin_used(entry, CONFIG["data"], raw_file),
        "code": fingerprint("data"),
    }


def source_files(wildcards):
    """What arms are made of: the user's own file, raw ones, or nothing for stand-in arms."""
    entry = PLAN.datasets[dataset_name(wildcards.dataset)]
    if standin_used(entry, CONFIG["data"], raw_file):
        return []
    own = entry.get("path")
    return [own] if own else [RAW.format(file=file) for file in entry.get("files", {})]


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


# An empty file stands for one that could not be downloaded. Where the real data are asked for, or a
# mirror now has it, it is in the way: Snakemake would not look for a file that is there.
for file in WANTED:
    path = Path(rules.fetch.output.raw.format(file=file))
    if is_placeholder(path) and (CONFIG["data"] == "real" or in_folders(file, CONFIG["mirrors"])):
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
        job=extract_params,
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
