"""An atlas: policies on many generated problems, a block of problems per job.

In: the config's atlas alone, as problems are drawn where they are played. Out: outcomes by problem,
policy and run, the frames made of them, atlas.md and figures, in the study's atlas/{atlas}.
"""

from lincon.analysis.layout import ATLAS_FIGURES, ATLAS_FILES
from lincon.policies.registry import family
from lincon.study.study import minutes

ATLAS = f"{STUDY}/atlas/{{atlas}}"
OUTCOMES = f"{ATLAS}/outcomes/problems={{block}}.parquet"
PLAYED = ("eta", "horizon", "runs", "long_horizon", "long_every")


def players_of(wildcards):
    return ATLASES[wildcards.atlas].players


def atlas_minutes(wildcards, attempt):
    atlas = ATLASES[wildcards.atlas]
    rounds = atlas.entry["horizon"] + atlas.entry["long_horizon"]
    return attempt * minutes(
        (player.engine, item["entry"]["arms"], rounds, atlas.entry["runs"])
        for item in atlas.problems_of(wildcards.block)
        for player in atlas.players
    )


rule atlas_play:
    """Play the problems {wildcards.block} of {wildcards.atlas} with all its policies."""
    input:
        kernels=lambda wildcards: compiled(players_of(wildcards)),
        policies=lambda wildcards: own_files(players_of(wildcards)),
    output:
        outcomes=OUTCOMES,
    log:
        f"{LOG}/atlas_play/{{atlas}}/{{block}}.log",
    resources:
        mem_mb=lambda wildcards, attempt: 600 * attempt,
        runtime=atlas_minutes,
    params:
        job=lambda wildcards: {
            "problems": ATLASES[wildcards.atlas].problems_of(wildcards.block),
            "players": [vars(p) | {"source": HERE.source(p)} for p in players_of(wildcards)],
            **{key: ATLASES[wildcards.atlas].entry[key] for key in PLAYED},
            "seed": CONFIG["seed"],
            "code": fingerprint("engine", "analysis", "data"),
        },
    script:
        "../scripts/atlas_play.py"


rule atlas:
    """Rank the policies of {wildcards.atlas} and draw its maps."""
    input:
        outcomes=lambda wildcards: expand(
            OUTCOMES,
            atlas=wildcards.atlas,
            block=ATLASES[wildcards.atlas].blocks,
        ),
        style=STYLE_FILE,
    output:
        files=expand(f"{ATLAS}/{{name}}", name=ATLAS_FILES, allow_missing=True),
        png=[shown(f"{ATLAS}/{n}.png", LABELS[n], "atlas", "{atlas}") for n in ATLAS_FIGURES],
        others=in_formats(ATLAS, ATLAS_FIGURES, OTHERS),
    log:
        f"{LOG}/atlas/{{atlas}}.log",
    localrule: True
    params:
        about=lambda wildcards: {
            "title": ATLASES[wildcards.atlas].entry["label"],
            "bound": f"\u03b7 = {ATLASES[wildcards.atlas].entry['eta']:g}",
            **{key: ATLASES[wildcards.atlas].entry[key] for key in ("horizon", "runs")},
        },
        looks=lambda wildcards: {
            p.policy: HERE.look(p.name) | {"family": family(p.entry)}
            for p in players_of(wildcards)
        },
        style=STYLE,
        code=fingerprint("report.figures"),
    script:
        "../scripts/atlas.py"
