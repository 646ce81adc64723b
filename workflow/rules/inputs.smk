"""Functions of wildcards: the inputs of the rules and the settings of their jobs.

In: CONFIG and PLAN. Out: paths, and the `job` values that the rules have as params.
"""

import math


def wanted_files():
    """The raw files behind the datasets that the experiments use."""
    return {name: RAW[name] for data in PLAN.datasets.values() for name in data.get("files", {})}


def raw_files(wildcards):
    """The raw files behind a dataset; none where only the stand-in is wanted."""
    return input_files(PLAN.datasets[wildcards.dataset], "resources/raw", CONFIG["data"])


def extract_spec(wildcards):
    dataset = PLAN.datasets[wildcards.dataset]
    entry = {key: dataset[key] for key in sorted(dataset) if key not in ("label", "licence")}
    data = "standin" if CONFIG["data"] == "standin" else "auto"
    return job("data.sources", dataset=wildcards.dataset, data=data, **entry)


def simulate_spec(wildcards):
    return job(
        "engine.simulate",
        dataset=wildcards.dataset,
        eta=float(wildcards.eta),
        horizon=int(wildcards.horizon),
        name=wildcards.policy,
        policy=PLAN.policies[wildcards.policy],
        run=int(wildcards.run),
        seed=CONFIG["seed"],
        points=CONFIG["points"],
        engine=CONFIG["engine"],
    )


def simulate_memory(wildcards, attempt):
    """MB: 190 for Python with the engine and 160 for the Snakemake around it, then the arms."""
    return attempt * round(500 + 0.0005 * arms_of(wildcards.dataset))


def simulate_minutes(wildcards, attempt):
    """Three times what it takes on a laptop, in whole minutes."""
    microseconds = {"lazy": 1, "dense": 1 + 0.08 * arms_of(wildcards.dataset)}[CONFIG["engine"]]
    seconds = 10 + 3e-6 * microseconds * int(wildcards.horizon)
    return attempt * math.ceil(seconds / 60)


def arms_of(dataset):
    """How many arms a dataset has, or a guess that few exceed where only its file knows."""
    return kinds.arms_of(PLAN.datasets[dataset]) or 1000


def setting_policies(wildcards):
    return PLAN.settings[wildcards.dataset, wildcards.eta, int(wildcards.horizon)]


def runs_of(tree, dataset, eta, horizon, policies):
    return run_files(tree, (dataset, eta, horizon), policies, CONFIG["runs"])


def setting_runs(wildcards):
    return runs_of("runs", **wildcards, policies=setting_policies(wildcards))


def point_runs(tree, compared=False):
    """An input function: the runs of an experiment's policies, or of the two that are compared."""

    def files(wildcards):
        point = the_point(wildcards)
        policies = CONFIG["compare"] if compared else point.policies
        return runs_of(tree, *point.setting, policies)

    return files


def setting_folder(tree, wildcards):
    point = the_point(wildcards)
    return f"results/{tree}/dataset={point.dataset}/eta={point.eta}/horizon={point.horizon}"


def the_point(wildcards):
    """The one point of an experiment that is no sweep."""
    return PLAN.experiments[wildcards.experiment].points[0]


def of_point(pattern):
    """An input function: `pattern` filled in with the setting of the wildcards' experiment."""
    return lambda wildcards: pattern.format(**vars(the_point(wildcards)))


def title(wildcards):
    return PLAN.experiments[wildcards.experiment].label


def policy_looks(wildcards):
    """Label and colour of the policies of an experiment, in the order of its legend."""
    experiment = PLAN.experiments[wildcards.experiment]
    looks = {}
    for identity, name in experiment.points[0].policies.items():
        entry = CONFIG["policies"][name]
        look = {key: entry[key] for key in ("label", "colour") if key in entry}
        looks[name if experiment.is_sweep else identity] = {"label": name} | look
    return looks


def compares(experiment):
    """Whether the two policies that the claims compare both play in an experiment."""
    return set(CONFIG.get("compare", ["?"])) <= set(experiment.points[0].policies)


def all_settings(pattern):
    return [pattern.format(dataset=d, eta=e, horizon=h) for d, e, h in PLAN.settings]


def sweep_inputs(pattern):
    """An input function: `pattern` filled in with every point of the wildcards' sweep."""
    return lambda wildcards: [
        pattern.format(**vars(point)) for point in PLAN.experiments[wildcards.experiment].points
    ]


def sweep_spec(wildcards):
    experiment = PLAN.experiments[wildcards.experiment]
    return job(
        "figures.sweeps",
        title=title(wildcards),
        figure=wildcards.figure,
        axes=experiment.axes,
        points=[vars(point) for point in experiment.points],
        policies=policy_looks(wildcards),
    )


def wanted():
    """Every figure and table of every experiment."""
    files = ["results/tables/assumptions.md", "results/summary.parquet"]
    for name, experiment in PLAN.experiments.items():
        figures = SINGLE_FIGURES + ["claims"] * compares(experiment)
        if experiment.is_sweep:
            figures = sweep_figures(experiment.axes)
        files += [f"results/figures/{name}/{figure}.png" for figure in figures]
    return files + lost_files()


def lost_files():
    """What Snakemake would not miss, because all that was made of it is still there."""
    files = []
    for (dataset, eta, horizon), policies in PLAN.settings.items():
        setting = f"dataset={dataset}/eta={eta}/horizon={horizon}"
        if Path(f"results/summaries/{setting}/summary.parquet").exists():
            for tree in ("runs", "plays"):
                files += runs_of(tree, dataset, eta, horizon, policies)
    if CONFIG["data"] == "real":
        files += [f"resources/raw/{name}" for name in wanted_files()]
    return [file for file in files if not Path(file).exists()]
