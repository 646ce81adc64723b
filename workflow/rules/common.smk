"""Loads and validates the config, constrains the wildcards, and holds the input functions.

In: config/config.yaml (and what --configfile adds). Out: CONFIG, PLAN and small functions of
wildcards for the rules; what can be tested is in the library, workflow/lincon.
"""

import json
import os
import re
import shlex
import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError

LIBRARY = Path(workflow.basedir) / "workflow"
# Jobs call `python3 -m lincon`: the interpreter that runs Snakemake, unless a conda environment or a
# container puts its own first, and the library of this checkout.
os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
os.environ["PYTHONPATH"] = str(LIBRARY)
sys.path.insert(0, str(LIBRARY))

from lincon import config as lincon_config
from lincon.code import fingerprint
from lincon.errors import UserError
from lincon.experiments import plan
from lincon.experiments import suited_figures as sweep_figures

try:
    for file in workflow.configfiles:
        lincon_config.refuse_duplicate_keys(file)
    CONFIG = lincon_config.validate(config)
    PLAN = plan(CONFIG)
except UserError as error:
    raise WorkflowError(str(error))

RUNS = range(CONFIG["runs"])
BASES = ("expected", "realised")
PANELS = ("panels", "regret", "violation", "reward", "ratio")
THEORY_FIGURES = ("composite", "plays", "growth", "noise")
SINGLE_FIGURES = [
    "arms",
    *(f"{basis}/{panel}" for basis in BASES for panel in PANELS),
    *THEORY_FIGURES,
]
# How files are got is no part of what is computed: these stay out of the rules' params.
FETCH_OPTIONS = "--mirrors " + " ".join(map(shlex.quote, CONFIG["mirrors"]))
STANDIN_ALLOWED = "--standin-allowed" if CONFIG["data"] == "auto" else ""
# With `auto` the network decides what is computed, which a cache between machines must not share.
CACHEABLE = "omit-software" if CONFIG["data"] != "auto" else False
SETTINGS = json.dumps({"settings": list(PLAN.settings())})
KERNELS = f"results/kernels/{fingerprint('simulate')}"
RAW = {
    name: entry
    for data in CONFIG["datasets"].values()
    for name, entry in data.get("files", {}).items()
}


def any_of(names):
    return "|".join(re.escape(str(name)) for name in names) or "none"


wildcard_constraints:
    file=any_of(RAW),
    dataset=any_of(PLAN.datasets),
    eta=any_of(sorted({point.eta for point in PLAN.points()})),
    horizon=any_of(sorted({point.horizon for point in PLAN.points()})),
    policy=any_of(PLAN.policies),
    run=r"\d+",
    experiment=any_of(PLAN.experiments),


def job(*modules, **spec):
    """A rule's only param: its settings as JSON, and the fingerprint of the code that it runs.

    Snakemake compares params as a nameless set and its between-workflow cache looks at nothing
    else, so everything that an output depends on, besides input files, is in this one value.
    """
    return {"spec": json.dumps(spec), "code": fingerprint(*modules)}


def wanted_files():
    """The raw files behind the datasets that the experiments use."""
    return {name: RAW[name] for data in PLAN.datasets.values() for name in data.get("files", {})}


def raw_files(wildcards):
    """The raw files behind a dataset; none where only the stand-in is wanted."""
    dataset = PLAN.datasets[wildcards.dataset]
    if dataset["kind"] == "user":
        return [dataset["path"]]
    if CONFIG["data"] == "standin":
        return []
    return [f"resources/raw/{name}" for name in dataset.get("files", {})]


def refuse_standins():
    """With `data: real`, arms that were made while their raw file could not be had are no result."""
    for name, dataset in PLAN.datasets.items():
        for file in dataset.get("files", {}):
            raw = Path("resources/raw", file)
            if Path(f"results/arms/{name}.parquet").exists() and not (
                raw.exists() and raw.stat().st_size
            ):
                raise WorkflowError(
                    f"data is 'real', but {raw} could not be had so far and stand-in arms took its "
                    "place; get it and replace them with: make real"
                )


if CONFIG["data"] == "real":
    refuse_standins()


def extract_spec(wildcards):
    dataset = PLAN.datasets[wildcards.dataset]
    entry = {key: dataset[key] for key in sorted(dataset) if key not in ("label", "licence")}
    data = "standin" if CONFIG["data"] == "standin" else "auto"
    return job("sources", dataset=wildcards.dataset, data=data, **entry)


def simulate_spec(wildcards):
    return job(
        "simulate",
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


def setting_policies(wildcards):
    return PLAN.settings()[wildcards.dataset, wildcards.eta, int(wildcards.horizon)]


def runs_of(tree, dataset, eta, horizon, policies):
    return expand(
        "results/{tree}/dataset={dataset}/eta={eta}/horizon={horizon}/policy={policy}/run={run}.parquet",
        tree=tree,
        dataset=dataset,
        eta=eta,
        horizon=horizon,
        policy=policies,
        run=RUNS,
    )


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
    return [pattern.format(dataset=d, eta=e, horizon=h) for d, e, h in PLAN.settings()]


def sweep_inputs(pattern):
    """An input function: `pattern` filled in with every point of the wildcards' sweep."""
    return lambda wildcards: [
        pattern.format(**vars(point)) for point in PLAN.experiments[wildcards.experiment].points
    ]


def sweep_spec(wildcards):
    experiment = PLAN.experiments[wildcards.experiment]
    return job(
        "sweeps",
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
    return files
