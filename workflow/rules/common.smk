"""The study: its config, checked, and its plan.

PLAN.table has one row per experiment, cell of its grid and policy. RUNS has one per policy whose
runs are needed, GROUPS those of each dataset, constraints and horizon.
"""

import json
import re
import shlex
import sys
from pathlib import Path

from snakemake.utils import Paramspace

# Where the library is installed, that one is used.
LIBRARY = Path(str(workflow.current_basedir)).parent
sys.path.append(str(LIBRARY))

from lincon.data.kinds import KINDS
from lincon.errors import UserError
from lincon.fingerprint import fingerprint
from lincon.study import paths
from lincon.study.config import read_study
from lincon.study.paths import GROUP_KEYS, RUN_KEYS, blocks
from lincon.study.plan import plan, require_tables

try:
    CONFIG = read_study(workflow.configfiles, config)
    PLAN = plan(CONFIG)
    # In a workflow that uses this one as a module, other rules may make the tables.
    if Path(workflow.basedir) in (LIBRARY, LIBRARY.parent):
        require_tables(PLAN)
except UserError as error:
    # Not a WorkflowError, under which Snakemake would write a line of this file: the mistake is the
    # user's, and the sentence says where.
    sys.exit(str(error))

RUNS = PLAN.table.drop_duplicates(RUN_KEYS).astype({"horizon": str, "seed": str})
GROUPS = dict(list(RUNS.groupby(GROUP_KEYS, sort=False)))
JOBS = RUNS.set_index(RUN_KEYS).to_dict("index")

RUN = Paramspace(RUNS[RUN_KEYS], param_sep="=").wildcard_pattern
GROUP = Paramspace(RUNS[GROUP_KEYS], param_sep="=").wildcard_pattern
OUT = f"<results>/studies/{CONFIG['study']}"
OUTCOMES = f"{OUT}/results/{GROUP}/outcomes.parquet"
CURVES = f"{OUT}/results/{GROUP}/curves.parquet"
LOGS = f"<results>/logs/{CONFIG['study']}"
# Simulations run the interpreter of Snakemake, whether or not its environment is active.
PYTHON = shlex.quote(sys.executable)
# Of scripts, with --sdm conda; without it everything runs where Snakemake does.
ENVIRONMENT = "../envs/lincon.yaml"


def any_of(names):
    return "|".join(re.escape(str(name)) for name in names) or "none"


def as_json(value):
    """For rules with a report: Snakemake writes their params into its page, labels and all."""
    return json.dumps(value).replace("<", "\\u003c")


wildcard_constraints:
    dataset=any_of(PLAN.datasets),
    constraints=any_of(PLAN.goals),
    horizon=r"\d+",
    policy=any_of(RUNS["policy"].unique()),
    engine="lazy|dense|python",
    seed=r"\d+",
    settings="[0-9a-f]{8}",
    run=r"\d+(-\d+)?",
    experiment=any_of(PLAN.axes),


def sources(wildcards):
    """What arms are made of: the user's own file, raw files, or nothing for stand-in arms."""
    dataset = PLAN.datasets[wildcards.dataset]
    if CONFIG["data"] == "standin" and KINDS[dataset["kind"]].stand_in:
        return []
    own = [dataset["path"]] if "path" in dataset else []
    return own + expand(paths.RAW, file=dataset.get("files", {}))


def job_of(wildcards):
    """What the plan says of the policy, settings and problem that wildcards name."""
    return JOBS[tuple(wildcards[key] for key in RUN_KEYS)]


def group_of(wildcards):
    """The rows of RUNS of a dataset with constraints and a horizon."""
    return GROUPS[tuple(wildcards[key] for key in GROUP_KEYS)]


def runs_of(rows):
    """The files of the runs of these rows, by blocks."""
    folders = Paramspace(rows[RUN_KEYS], param_sep="=").instance_patterns
    return [
        f"<results>/runs/{folder}/run={block}.parquet"
        for folder, size in zip(folders, rows["block"])
        for block in blocks(CONFIG["runs"], size)
    ]


def cells_of(pattern, experiments):
    """The files of these experiments, one per cell of their grids, in order."""
    cells = PLAN.table.drop_duplicates(["experiment", "cell"])
    return expand(pattern, zip, **cells[cells["experiment"].isin(experiments)][GROUP_KEYS])


def results_of(*experiments):
    """All that tables and figures of these experiments are made of."""
    patterns = {"outcomes": OUTCOMES, "curves": CURVES}
    patterns |= {"problems": paths.PROBLEM, "arms": paths.ARMS}
    return {name: cells_of(pattern, experiments) for name, pattern in patterns.items()}
