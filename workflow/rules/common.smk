"""The study: its config, checked, and its plan.

In: config/config.yaml and what --configfile adds. Out: CONFIG; PLAN, whose table has one row per
experiment, cell and policy; RUNS, its rows without the experiments; the patterns of paths.
"""

import re
import shlex
import sys
from pathlib import Path

from snakemake.utils import Paramspace

try:
    import lincon
except ImportError:  # not installed: rules can be read all the same
    sys.path.append(str(Path(workflow.current_basedir).parent))

from lincon.errors import UserError
from lincon.fingerprint import fingerprint
from lincon.study import paths
from lincon.study.config import read_study
from lincon.study.paths import GROUP_KEYS, RUN_KEYS, blocks, read_block
from lincon.study.plan import plan, require_tables

# Where this workflow is used by itself. As a module of another one, whose rules may make its tables,
# it has that one's folder.
ROOTS = Path(workflow.current_basedir).parents[:2]

try:
    CONFIG = read_study(workflow.configfiles, config)
    PLAN = plan(CONFIG)
    if Path(workflow.basedir) in ROOTS:
        require_tables(PLAN)
except UserError as error:
    # Not a WorkflowError, under which Snakemake would write a line of this file: the mistake is the
    # user's, and the sentence says where.
    sys.exit(str(error))

RUNS = PLAN.table.drop_duplicates(RUN_KEYS)
GROUPS = dict(list(RUNS.groupby(GROUP_KEYS, sort=False)))
BY_RUN = RUNS.set_index(RUN_KEYS).sort_index()
# Jobs run the interpreter of Snakemake, whether or not its environment is active.
PYTHON = shlex.quote(sys.executable)

RUN = Paramspace(RUNS[RUN_KEYS], param_sep="=").wildcard_pattern
GROUP = Paramspace(RUNS[GROUP_KEYS], param_sep="=").wildcard_pattern
STUDY = f"<results>/studies/{CONFIG['study']}"
LOGS = f"<results>/logs/{CONFIG['study']}"


def any_of(names):
    return "|".join(re.escape(str(name)) for name in names) or "none"


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


def planned(wildcards):
    """The row of the plan that wildcards name."""
    keys = (
        int(wildcards[key]) if key in ("horizon", "seed") else wildcards[key] for key in RUN_KEYS
    )
    return BY_RUN.loc[tuple(keys)]


def group_of(wildcards):
    """The rows of a dataset with constraints and a horizon."""
    return GROUPS[wildcards.dataset, wildcards.constraints, int(wildcards.horizon)]


def files_of(tree, rows):
    """The files of the runs of these rows in results/runs or results/plays."""
    folders = Paramspace(rows[RUN_KEYS], param_sep="=").instance_patterns
    return [
        f"<results>/{tree}/{folder}/run={block}.parquet"
        for folder, size in zip(folders, rows["block"])
        for block in blocks(CONFIG["runs"], size)
    ]
