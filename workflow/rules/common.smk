"""Loads and validates the config, and constrains the wildcards.

In: config/config.yaml (and what --configfile adds). Out: CONFIG, PLAN and the constants of the
rules; what can be tested is in the library, workflow/lincon.
"""

import json
import os
import re
import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError

LIBRARY = Path(workflow.basedir) / "workflow"
# Jobs call `python3 -m lincon`: the interpreter that runs Snakemake, unless a conda environment or a
# container puts its own first, and the library of this checkout.
os.environ.update(
    PATH=os.pathsep.join([str(Path(sys.executable).parent), *os.get_exec_path()]),
    PYTHONPATH=str(LIBRARY),
    # One job, one core: a second thread of BLAS would take another job's.
    OPENBLAS_NUM_THREADS="1",
)
sys.path.insert(0, str(LIBRARY))

from lincon.data import kinds
from lincon.data.sources import input_files
from lincon.study import config as lincon_config
from lincon.fingerprint import fingerprint
from lincon.errors import UserError
from lincon.kernel_cache import cache_folder
from lincon.study.plan import plan, run_files
from lincon.study.plan import suited_figures as sweep_figures
from lincon.engine.kernels import KERNELS

# Worked out once, here: every job would need a tenth of a second for it.
os.environ["NUMBA_CACHE_DIR"] = str(cache_folder())

try:
    for file in workflow.configfiles:
        lincon_config.refuse_duplicate_keys(file)
    CONFIG = lincon_config.validate(config)
    PLAN = plan(CONFIG)
except UserError as error:
    raise WorkflowError(str(error))

PANELS = ("panels", "regret", "violation", "reward", "ratio", "panels_realised")
THEORY_FIGURES = ("composite", "plays", "growth", "noise")
SINGLE_FIGURES = [
    "arms",
    *PANELS,
    *THEORY_FIGURES,
]
# How files are got is no part of what is computed, so it is not among a rule's params.
os.environ.update(LINCON_DATA=CONFIG["data"], LINCON_MIRRORS=json.dumps(CONFIG["mirrors"]))
# With `auto` the network decides what is computed, which a cache between machines must not share.
CACHEABLE = "omit-software" if CONFIG["data"] != "auto" else False
SETTINGS = json.dumps({"settings": list(PLAN.settings)})
COMPILED = f"results/kernels/{fingerprint('engine.simulate')}-{{kernel}}"
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
    kernel=any_of(sorted(set(KERNELS.values()))),
    run=r"\d+",
    experiment=any_of(PLAN.experiments),


def job(*modules, **spec):
    """A rule's only param: its settings as JSON, and the fingerprint of the code that it runs.

    Snakemake compares params as a nameless set and its between-workflow cache looks at nothing
    else, so everything that an output depends on, besides input files, is in this one value.
    """
    return {"spec": json.dumps(spec), "code": fingerprint(*modules)}


def compiled_kernel(wildcards):
    """The mark that the kernel which plays a policy is compiled."""
    estimator = PLAN.policies[wildcards.policy]["estimator"]
    return COMPILED.format(kernel=KERNELS[CONFIG["engine"], estimator])


def refuse_standins():
    """With `data: real`, an empty file, left for one that could not be downloaded, is no data."""
    for dataset in PLAN.datasets.values():
        for file in dataset.get("files", {}):
            raw = Path("resources/raw", file)
            if raw.exists() and not raw.stat().st_size:
                raise WorkflowError(
                    f"data is 'real', but {raw} could not be downloaded so far and stand-in arms took its "
                    "place; get it and replace them with: make real"
                )


if CONFIG["data"] == "real":
    refuse_standins()
