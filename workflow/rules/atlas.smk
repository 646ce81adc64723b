"""An atlas: policies on many generated problems, a block of problems a job.

In: the config's atlas alone, as problems are drawn where they are played. Out: outcomes by problem,
policy and run, the frames made of them, atlas.md and figures, in the study's atlas/{atlas}.
"""

from lincon.analysis.layout import ATLAS_FIGURES, ATLAS_FILES


def atlas_kernels(wildcards):
    """The marks that the kernels which play an atlas' policies are compiled."""
    named = {kernel_of(p.entry, p.engine) for p in ATLASES[wildcards.atlas].players}
    return [COMPILED.format(kernel=kernel) for kernel in sorted(filter(None, named))]


def atlas_policies(wildcards):
    """The files behind policies of one's own."""
    sources = [
        p.entry.get("python", "").rpartition(":")[0] for p in ATLASES[wildcards.atlas].players
    ]
    return [source for source in sources if source.endswith(".py")]


def atlas_play_job(wildcards):
    atlas = ATLASES[wildcards.atlas]
    players = [
        {"policy": p.policy, "entry": p.entry, "engine": p.engine} | own_source(p)
        for p in atlas.players
    ]
    return job(
        "atlas-play",
        problems=atlas.problems_of(wildcards.block),
        players=players,
        eta=atlas.eta,
        horizon=atlas.horizon,
        runs=atlas.runs,
        seed=CONFIG["seed"],
    )


def atlas_minutes(wildcards, attempt):
    """Three times what it takes on a laptop, in whole minutes."""
    atlas = ATLASES[wildcards.atlas]
    seconds = sum(
        run_seconds(player.engine, item["entry"]["arms"], atlas.horizon) * atlas.runs
        for item in atlas.problems_of(wildcards.block)
        for player in atlas.players
    )
    return attempt * math.ceil((10 + 3 * seconds) / 60)


def atlas_blocks(wildcards):
    blocks = ATLASES[wildcards.atlas].blocks
    return expand(STUDY.atlas_block, atlas=wildcards.atlas, block=blocks)


def atlas_job(wildcards):
    atlas = ATLASES[wildcards.atlas]
    return job(
        "atlas",
        title=atlas.label,
        blocks=atlas.blocks,
        looks={p.policy: policy_look(p.name) for p in atlas.players},
        eta=atlas.eta,
        horizon=atlas.horizon,
        runs=atlas.runs,
    )


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
    output:
        files=[f"{STUDY.atlas}/{name}" for name in ATLAS_FILES],
        png=report(
            [f"{STUDY.atlas}/{name}.png" for name in ATLAS_FIGURES],
            caption="../report/atlas.rst",
            category="{atlas}",
        ),
        pdf=[f"{STUDY.atlas}/{name}.pdf" for name in ATLAS_FIGURES],
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
