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

try:
    for file in workflow.configfiles:
        lincon_config.refuse_duplicate_keys(file)
    CONFIG = lincon_config.validate(config)
    PLAN = plan(CONFIG)
except UserError as error:
    raise WorkflowError(str(error))

RUNS = range(CONFIG["runs"])
BASES = ("expected", "realised")
# How files are got is no part of what is computed: these stay out of the rules' params.
FETCH_OPTIONS = "--mirrors " + " ".join(map(shlex.quote, CONFIG["mirrors"]))
STANDIN_ALLOWED = "--standin-allowed" if CONFIG["data"] == "auto" else ""
# With `auto` the network decides what is computed, which a cache between machines must not share.
CACHEABLE = "omit-software" if CONFIG["data"] != "auto" else False
KERNELS = f"results/kernels/{fingerprint('simulate')}"
RAW = {
    name: entry for data in CONFIG["datasets"].values() for name, entry in data.get("files", {}).items()
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


def setting_runs(wildcards):
    return expand(
        "results/runs/dataset={dataset}/eta={eta}/horizon={horizon}/policy={policy}/run={run}.parquet",
        **wildcards,
        policy=setting_policies(wildcards),
        run=RUNS,
    )


def the_point(wildcards):
    """The one point of an experiment that is no sweep."""
    return PLAN.experiments[wildcards.experiment].points[0]


def of_point(pattern):
    """An input function: `pattern` filled in with the setting of the wildcards' experiment."""
    return lambda wildcards: pattern.format(**vars(the_point(wildcards)))


def policy_looks(wildcards):
    """Label and colour of the policies of an experiment, in the order of its legend."""
    entries = {}
    for identity, name in the_point(wildcards).policies.items():
        entry = CONFIG["policies"][name]
        entries[identity] = {"label": name} | {
            key: entry[key] for key in ("label", "colour") if key in entry
        }
    return entries


def wanted_figures():
    wanted = []
    for name, experiment in PLAN.experiments.items():
        if not experiment.is_sweep:
            wanted += expand("results/figures/{experiment}/arms.png", experiment=name)
            wanted += expand(
                "results/figures/{experiment}/{basis}/panels.png", experiment=name, basis=BASES
            )
    return wanted


def wanted_problems():
    return sorted(
        {
            f"results/problems/dataset={point.dataset}/eta={point.eta}/problem.json"
            for point in PLAN.points()
        }
    )
