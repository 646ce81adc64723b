"""An atlas: policies on many generated problems, a block of problems a job.

In: the config's atlas alone, as problems are drawn where they are played. Out: outcomes by problem,
policy and run, the frames made of them, atlas.md and figures, in the study's atlas/{atlas}.
"""


rule atlas_play:
    """Play the problems {wildcards.block} of {wildcards.atlas} with all its policies."""
    input:
        kernels=atlas_kernels,
        policies=atlas_policies,
    output:
        outcomes=STUDY.atlas_block,
    log:
        paths.LOG.format(rule="atlas_play", name=f"{CONFIG['study']}/{{atlas}}/{{block}}"),
    conda:
        "../envs/lincon.yaml"
    resources:
        mem_mb=lambda wildcards, attempt: 600 * attempt,
        runtime=atlas_minutes,
    params:
        job=atlas_play_job,
    shell:
        "python3 -m lincon atlas-play --settings {params.job[settings]:q}"
        " --code {params.job[code]} --out {output.outcomes:q} > {log:q} 2>&1"


rule atlas:
    """Rank the policies of {wildcards.atlas} and draw its maps."""
    input:
        outcomes=atlas_blocks,
        style=STYLE_FILE,
    output:
        files=[f"{STUDY.atlas}/{name}" for name in ATLAS_FILES],
        png=report(
            [f"{STUDY.atlas}/{name}.png" for name in ATLAS_FIGURES],
            caption="../report/atlas.rst",
            category="{atlas}",
        ),
        others=in_other_formats([f"{STUDY.atlas}/{name}.png" for name in ATLAS_FIGURES]),
    log:
        paths.LOG.format(rule="atlas", name=f"{CONFIG['study']}/{{atlas}}"),
    localrule: True
    conda:
        "../envs/lincon.yaml"
    params:
        job=atlas_job,
    shell:
        "python3 -m lincon atlas --settings {params.job[settings]:q}"
        " --outcomes $(dirname {input.outcomes[0]:q}) --out $(dirname {output.files[0]:q})"
        " > {log:q} 2>&1"
