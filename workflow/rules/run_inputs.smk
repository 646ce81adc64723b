"""Functions of wildcards for data and runs: inputs of the rules and the settings of their jobs.

In: CONFIG and PLAN. Out: paths, and the `job` values that the rules have as params.
"""

import math
from functools import cache

from lincon.data.sources import input_files

# Keys of a dataset that its arms do not depend on.
NOT_ARMS = ("label", "licence", "published_runs")


def wanted_files():
    """The raw files behind the datasets that the experiments use."""
    return {name: RAW[name] for data in PLAN.datasets.values() for name in data.get("files", {})}


def raw_files(wildcards):
    """The raw files behind a dataset; none where only the stand-in is wanted."""
    return input_files(PLAN.datasets[wildcards.dataset], "resources/raw", CONFIG["data"])


def extract_job(wildcards):
    dataset = PLAN.datasets[wildcards.dataset]
    entry = {key: dataset[key] for key in sorted(dataset) if key not in NOT_ARMS}
    data = "standin" if CONFIG["data"] == "standin" else "auto"
    return job("extract", dataset=wildcards.dataset, data=data, entry=entry)


def problem_job(wildcards):
    required = (wildcards.dataset, wildcards.eta) in PLAN.required
    return job("problem", eta=float(wildcards.eta), must_be_feasible=required)


def compiled_kernel(wildcards):
    """The mark that the kernel which plays a policy is compiled; a policy of one's own has none."""
    player = PLAN.players[wildcards.policy]
    kernel = kernel_of(player.entry, player.engine)
    return [COMPILED.format(kernel=kernel)] if kernel else []


def own_files(players):
    """The files behind policies of one's own."""
    sources = [own_source(player.entry) for player in players]
    return [source for source in sources if source.endswith(".py")]


def own_sha256(player):
    """The hash of the code of a policy of one's own, which the code fingerprint does not cover."""
    source = own_source(player.entry)
    return {"source": OWN_SOURCES[source]} if source else {}


def simulate_job(wildcards):
    player = PLAN.players[wildcards.policy]
    first, last = paths.read_block(wildcards.run)
    return job(
        "simulate",
        dataset=wildcards.dataset,
        eta=float(wildcards.eta),
        horizon=int(wildcards.horizon),
        policy=wildcards.policy,
        entry=player.entry,
        first=first,
        last=last,
        seed=CONFIG["seed"],
        points=CONFIG["points"],
        engine=player.engine,
        record=CONFIG["record"],
        **own_sha256(player),
    )


def simulate_memory(wildcards, attempt):
    """MB: 190 for Python with the engine and 160 for the Snakemake around it, then the arms."""
    return attempt * round(500 + 0.0005 * arms_of(PLAN.datasets[wildcards.dataset]))


def simulate_minutes(wildcards, attempt):
    """Three times what it takes on a laptop, in whole minutes."""
    player, (first, last) = PLAN.players[wildcards.policy], paths.read_block(wildcards.run)
    arms = arms_of(PLAN.datasets[wildcards.dataset])
    seconds = run_seconds(player.engine, arms, int(wildcards.horizon)) * (last - first + 1)
    return attempt * math.ceil((10 + 3 * seconds) / 60)


@cache
def blocks(setting, policy):
    """The names of the blocks that hold a policy's runs in a setting."""
    return blocks_of(CONFIG, PLAN, setting, PLAN.players[policy])


def runs_of(tree, setting, policies):
    files = []
    for policy in policies:
        keys = PLAN.players[policy].keys(setting)
        files += [paths.run_pattern(tree).format(**keys, run=b) for b in blocks(setting, policy)]
    return files


def players(setting, policies):
    """What a stage needs to know to find the runs of these policies."""
    return [PLAN.players[policy].keys(setting) for policy in policies]


def the_setting(wildcards):
    return wildcards.dataset, wildcards.eta, int(wildcards.horizon)


def setting_runs(wildcards):
    setting = the_setting(wildcards)
    return runs_of("runs", setting, PLAN.settings[setting])


def summarise_job(wildcards):
    setting = the_setting(wildcards)
    return job(
        "summarise",
        players=players(setting, PLAN.settings[setting]),
        runs=CONFIG["runs"],
        resamples=CONFIG["resamples"],
        seed=CONFIG["seed"],
    )


def the_point(wildcards):
    """The one point of an experiment that is no sweep."""
    return PLAN.experiments[wildcards.experiment].points[0]


def point_runs(tree):
    """An input function: the runs of an experiment's policies."""
    return lambda wildcards: runs_of(
        tree, the_point(wildcards).setting, the_point(wildcards).policies
    )


def of_point(pattern):
    """An input function: `pattern` filled in with the setting of the wildcards' experiment."""
    return lambda wildcards: pattern.format(**vars(the_point(wildcards)))
