"""Raw data, arms, and the problem that they pose.

In: public addresses, mirrors, the user's own files. Out: resources/raw/<file>,
results/arms/{dataset}.parquet, results/problems/dataset={dataset}/eta={eta}/problem.json.
"""


rule fetch:
    """Get the raw file {wildcards.file}, or leave it empty where it cannot be reached."""
    output:
        # `update`: Snakemake must not delete what is there, a user's own file for instance.
        raw=update(paths.RAW),
    log:
        paths.LOG.format(rule="fetch", name="{file}"),
    cache: CACHEABLE
    localrule: True
    conda:
        "../envs/lincon.yaml"
    params:
        job=lambda wildcards: job("fetch", files={wildcards.file: RAW[wildcards.file]}),
    shell:
        "python3 -m lincon fetch --settings {params.job[settings]:q} --folder resources/raw"
        ' --data "$LINCON_DATA" --mirrors "$LINCON_MIRRORS" > {log:q} 2>&1'


checkpoint fetch_published:
    """Get the published runs {wildcards.published}, or leave the file empty and them out."""
    output:
        raw=update(paths.RAW.format(file="{published}")),
    log:
        paths.LOG.format(rule="fetch", name="{published}"),
    localrule: True
    conda:
        "../envs/lincon.yaml"
    params:
        job=lambda wildcards: job(
            "fetch", files={wildcards.published: published_files()[wildcards.published]}
        ),
    shell:
        "python3 -m lincon fetch --settings {params.job[settings]:q} --folder resources/raw"
        ' --data optional --mirrors "$LINCON_MIRRORS" > {log:q} 2>&1'


rule real_data:
    """Get the real files now; the next run then replaces what stand-ins were used for."""
    log:
        paths.LOG.format(rule="fetch", name="real_data"),
    localrule: True
    conda:
        "../envs/lincon.yaml"
    params:
        job=lambda wildcards: job("fetch", files=wanted_files()),
        published=lambda wildcards: job("fetch", files=published_files()),
    shell:
        "(python3 -m lincon fetch --settings {params.job[settings]:q} --folder resources/raw"
        ' --data real --mirrors "$LINCON_MIRRORS"'
        " && python3 -m lincon fetch --settings {params.published[settings]:q}"
        ' --folder resources/raw --data optional --mirrors "$LINCON_MIRRORS") 2>&1 | tee {log:q}'


rule extract_arms:
    """Make the arms of {wildcards.dataset} from its source."""
    input:
        raw=raw_files,
    output:
        arms=paths.ARMS,
    log:
        paths.LOG.format(rule="extract_arms", name="{dataset}"),
    cache: CACHEABLE
    localrule: True
    conda:
        "../envs/lincon.yaml"
    params:
        job=extract_job,
    shell:
        "python3 -m lincon extract --settings {params.job[settings]:q} --raw {input.raw:q}"
        " --out {output.arms:q} > {log:q} 2>&1"


rule problem:
    """Find the optimum of {wildcards.dataset} at eta = {wildcards.eta} and check the assumptions."""
    input:
        arms=paths.ARMS,
    output:
        problem=paths.PROBLEM,
    log:
        paths.LOG.format(rule="problem", name="{dataset}/{eta}"),
    localrule: True
    conda:
        "../envs/lincon.yaml"
    params:
        job=problem_job,
    shell:
        "python3 -m lincon problem --settings {params.job[settings]:q} --arms {input.arms:q}"
        " --out {output.problem:q} > {log:q} 2>&1"
