"""One job per block of runs, by default of one run.

In: the arms, and the problem, which stops an infeasible experiment before its first run. Out: the
cumulative series in results/runs, the plays per arm in results/plays, both in trees of key=value
folders that read as one table; the arm of every round in results/chosen, if asked for.
"""

from lincon.cli.simulate import as_options
from lincon.engine.kernels import KERNELS, kernel_of
from lincon.policies.own import own_source

COMPILED = KERNEL.format(code=fingerprint("engine"), kernel="{kernel}")


def compiled(players):
    """The marks that the kernels which play these policies are compiled."""
    kernels = {kernel_of(player.entry, player.engine) for player in players}
    return [COMPILED.format(kernel=kernel) for kernel in sorted(filter(None, kernels))]


def own_files(players):
    """The files of user-defined policies."""
    sources = [own_source(player.entry) for player in players]
    return [source for source in sources if source.endswith(".py")]


def simulate_params(wildcards):
    """All that runs depend on apart from the inputs: Snakemake's cache does not look at wildcards."""
    player = player_of(wildcards)
    source = HERE.source(player)
    return {
        **{key: wildcards[key] for key in ("horizon", "run", "seed", "engine")},
        "policy": [wildcards.policy, *as_options(player.entry)],
        "points": CONFIG["points"],
        "source": ["--source", source] if source else [],
        "code": fingerprint("engine"),
    }


def of_job(wildcards):
    """The setting, the player and the number of runs."""
    first, last = paths.read_block(wildcards.run)
    return setting_of(wildcards), player_of(wildcards), last - first + 1


rule compile_kernel:
    """Compile {wildcards.kernel} once, into a cache that all jobs share."""
    output:
        mark=touch(COMPILED),
    log:
        f"{LOGS}/compile_kernel/{{kernel}}.log",
    wildcard_constraints:
        kernel=any_of(sorted(set(KERNELS.values()))),
    localrule: True
    script:
        "../scripts/compile_kernel.py"


rule simulate:
    """Play {wildcards.policy} on {wildcards.dataset}, run {wildcards.run}."""
    input:
        arms=ARMS,
        problem=PROBLEM,
        # Compiled before the first run starts. (Not `ancient`: Snakemake 9.27 overlooks a job's own
        # changes when the job behind an ancient input runs in the same call.)
        kernel=lambda wildcards: compiled([player_of(wildcards)]),
        policy=lambda wildcards: own_files([player_of(wildcards)]),
    output:
        **({"chosen": CHOSEN} if CONFIG["record"] == "plays" else {}),
        runs=RUNS,
        plays=PLAYS,
    log:
        f"{LOGS}/simulate/{paths.RUN}/{{run}}.log",
    cache: "omit-software"
    group:
        None if workflow.remote_exec else "simulate"
    # A cluster job plays the runs of its group itself: were the rule not local inside it, Slurm's
    # job step would start one more Snakemake for every run.
    localrule: workflow.remote_exec
    resources:
        # Python with the engine and the Snakemake around it, then the arms.
        mem_mb=lambda wildcards, attempt: attempt
        * round(500 + 0.0005 * HERE.arms(setting_of(wildcards)[0])),
        runtime=lambda wildcards, attempt: attempt * HERE.minutes(*of_job(wildcards)),
        # Seconds. Not a param: whoever gives more time need not play again what was played.
        limit=lambda wildcards: HERE.limit(*of_job(wildcards)),
    params:
        job=simulate_params,
    shell:
        "python3 -m lincon simulate --arms {input.arms:q} --problem {input.problem:q}"
        " --policy {params.job[policy]:q} --horizon {params.job[horizon]} --runs {params.job[run]}"
        " --seed {params.job[seed]} --points {params.job[points]} --engine {params.job[engine]}"
        " --code {params.job[code]} {params.job[source]:q} --limit {resources.limit}"
        " --out {output:q} > {log:q} 2>&1"
