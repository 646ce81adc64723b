"""Functions of wildcards for the rules of an atlas: inputs and the settings of their jobs.

In: CONFIG and ATLASES. Out: paths, and the `job` values that the rules have as params.
"""

from lincon.analysis.layout import ATLAS_FIGURES, ATLAS_FILES


def atlas_kernels(wildcards):
    """The marks that the kernels which play an atlas' policies are compiled."""
    named = {kernel_of(p.entry, p.engine) for p in ATLASES[wildcards.atlas].players}
    return [COMPILED.format(kernel=kernel) for kernel in sorted(filter(None, named))]


def atlas_policies(wildcards):
    return own_files(ATLASES[wildcards.atlas].players)


def atlas_play_job(wildcards):
    atlas = ATLASES[wildcards.atlas]
    players = [
        {"policy": p.policy, "entry": p.entry, "engine": p.engine} | own_sha256(p)
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
        style=STYLE,
        eta=atlas.eta,
        horizon=atlas.horizon,
        runs=atlas.runs,
    )
