"""Raw data, arms, and the problem that they pose.

In: public addresses, mirrors, the user's own files. Out: resources/raw/<file>,
results/arms/{dataset}.parquet, results/problems/dataset={dataset}/eta={eta}/problem.json.
"""


rule fetch:
    """Get the raw file {wildcards.file}, or leave it empty where it cannot be reached."""
    output:
        raw="resources/raw/{file}",
    log:
        "results/logs/fetch/{file}.log",
    params:
        job=lambda wildcards: job("fetch", **{wildcards.file: RAW[wildcards.file]}),
    localrule: True
    cache: CACHEABLE
    shell:
        "python3 -m lincon fetch --spec {params.job[spec]:q} --folder resources/raw"
        " {FETCH_OPTIONS} {STANDIN_ALLOWED} > {log} 2>&1"


rule real_data:
    """Get the real files now; the next run then replaces what stand-ins were used for."""
    log:
        "results/logs/fetch/real_data.log",
    params:
        job=job("fetch", **wanted_files()),
    localrule: True
    shell:
        "python3 -m lincon fetch --spec {params.job[spec]:q} --folder resources/raw"
        " {FETCH_OPTIONS} 2>&1 | tee {log}"


rule extract_arms:
    """Make the arms of {wildcards.dataset} from its source."""
    input:
        raw=raw_files,
    output:
        arms="results/arms/{dataset}.parquet",
    log:
        "results/logs/extract_arms/{dataset}.log",
    params:
        job=extract_spec,
    localrule: True
    cache: CACHEABLE
    shell:
        "python3 -m lincon extract --spec {params.job[spec]:q} --raw {input.raw}"
        " --out {output.arms} > {log} 2>&1"


rule problem:
    """Find the optimum of {wildcards.dataset} at eta = {wildcards.eta} and check the assumptions."""
    input:
        arms="results/arms/{dataset}.parquet",
    output:
        problem="results/problems/dataset={dataset}/eta={eta}/problem.json",
    log:
        "results/logs/problem/{dataset}-{eta}.log",
    params:
        job=lambda wildcards: job("problem", eta=float(wildcards.eta)),
    localrule: True
    shell:
        "python3 -m lincon problem --spec {params.job[spec]:q} --arms {input.arms}"
        " --out {output.problem} > {log} 2>&1"
