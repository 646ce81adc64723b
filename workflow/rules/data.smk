"""Raw data, arms, and the problem that they pose.

In: public addresses, mirrors, the user's own files. Out: resources/raw/<file>,
results/arms/{dataset}.parquet, results/problems/dataset={dataset}/eta={eta}/problem.json.
"""


rule fetch:
    """Get the raw file {wildcards.file}, or leave it empty where it cannot be reached."""
    output:
        # `update`: Snakemake must not delete what is there, a user's own file for instance.
        raw=update("resources/raw/{file}"),
    log:
        "results/logs/fetch/{file}.log",
    cache: CACHEABLE
    localrule: True
    conda:
        "../envs/lincon.yaml"
    params:
        job=lambda wildcards: job("data.fetch", **{wildcards.file: RAW[wildcards.file]}),
    shell:
        "python3 -m lincon fetch --spec {params.job[spec]:q} --folder resources/raw"
        ' --data $LINCON_DATA --mirrors "$LINCON_MIRRORS" > {log} 2>&1'


rule real_data:
    """Get the real files now; the next run then replaces what stand-ins were used for."""
    log:
        "results/logs/fetch/real_data.log",
    localrule: True
    conda:
        "../envs/lincon.yaml"
    params:
        job=job("data.fetch", **wanted_files()),
    shell:
        "python3 -m lincon fetch --spec {params.job[spec]:q} --folder resources/raw"
        ' --data real --mirrors "$LINCON_MIRRORS" 2>&1 | tee {log}'


rule extract_arms:
    """Make the arms of {wildcards.dataset} from its source."""
    input:
        raw=raw_files,
    output:
        arms="results/arms/{dataset}.parquet",
    log:
        "results/logs/extract_arms/{dataset}.log",
    cache: CACHEABLE
    localrule: True
    conda:
        "../envs/lincon.yaml"
    params:
        job=extract_spec,
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
    localrule: True
    conda:
        "../envs/lincon.yaml"
    params:
        job=lambda wildcards: job("problem.solve", eta=float(wildcards.eta)),
    shell:
        "python3 -m lincon problem --spec {params.job[spec]:q} --arms {input.arms}"
        " --out {output.problem} > {log} 2>&1"
