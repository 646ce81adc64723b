"""The study, and what the rules share: where its files are, and which of them a setting has.

In: config/config.yaml (and what --configfile adds). Out: HERE, the study; CONFIG and PLAN, its
config and its plan. All of it loads with the packages that Snakemake brings.
"""

import os
import re
import shlex
import sys
from functools import cache
from pathlib import Path

try:
    import lincon
except ImportError:
    # Not installed: the copy beside these rules, if there is one.
    sys.path.append(str(Path(workflow.current_basedir).parent))
    import lincon

from lincon.data.raw import without_passwords
from lincon.errors import UserError
from lincon.fingerprint import fingerprint
from lincon.kernel_cache import cache_folder
from lincon.study import paths
from lincon.study.identity import dataset_id, dataset_name, standin_used
from lincon.study.study import Study
from lincon.study.style import Style, source

# Jobs run the interpreter of Snakemake with the library of this checkout, or the one installed.
LIBRARY = Path(lincon.__file__).parents[1]
if LIBRARY.name != "site-packages":
    os.environ.update(PYTHONPATH=str(LIBRARY))
os.environ.update(
    PATH=os.pathsep.join([str(Path(sys.executable).parent), *os.get_exec_path()]),
    # One job, one core: a second thread of BLAS would take another job's.
    OPENBLAS_NUM_THREADS="1",
)
# For the page: what to type to get the same again. Jobs of a cluster keep what they are given.
os.environ.setdefault("LINCON_COMMAND", without_passwords(shlex.join(["snakemake", *sys.argv[1:]])))

try:
    # Worked out once, here: every job would need a tenth of a second for it.
    os.environ.update(NUMBA_CACHE_DIR=str(cache_folder()))
    HERE = Study(workflow.configfiles, config)
except UserError as error:
    # Not a WorkflowError, under which Snakemake would write a line of this file: the mistake is the
    # user's, and the sentence says where.
    sys.exit(str(error))
CONFIG, PLAN = HERE.config, HERE.plan


rule places:
    """Never run: it asks what Snakemake's path variables are, which a module may set."""
    output:
        # Local files alone are not moved by a module's prefix, which is for Snakemake to add.
        results=local("<results>/places"),
        resources=local("<resources>/places"),


PLACES = {name: str(Path(place).parent) for name, place in rules.places.output.items()}
RAW, ARMS, PROBLEM, KERNEL, RUNS, PLAYS, CHOSEN, LOGS, STUDIES = (
    paths.here(getattr(paths, name), **PLACES)
    for name in "RAW ARMS PROBLEM KERNEL RUNS PLAYS CHOSEN LOGS STUDIES".split()
)
STUDY, LOG = f"{STUDIES}/{CONFIG['study']}", f"{LOGS}/{CONFIG['study']}"
SUMMARY = f"{STUDY}/summaries/{paths.SETTING}/summary.parquet"
TABLES, FIGURES = f"{STUDY}/tables/{{experiment}}", f"{STUDY}/figures/{{experiment}}"
# How figures look: what they are written as, and the file that they depend on.
STYLE = CONFIG.get("style", {})
STYLE_FILE, FORMATS = source(Style(**STYLE)), Style(**STYLE).suffixes
OTHERS = [suffix for suffix in FORMATS if suffix != "png"]


def any_of(names):
    return "|".join(re.escape(str(name)) for name in names) or "none"


wildcard_constraints:
    dataset="[^/]+-[0-9a-f]{8}",
    constraints=any_of(PLAN.goals),
    horizon=r"\d+",
    policy=any_of(PLAN.players),
    engine="lazy|dense|python",
    seed=r"\d+",
    settings="[0-9a-f]{8}",
    run=r"\d+(-\d+)?",
    experiment=any_of(HERE.plain),


def raw_file(file):
    """The path of a raw file, after the checkpoint: what can be downloaded decides what is run."""
    path = Path(rules.fetch.output.raw.format(file=file))
    if not path.exists():
        checkpoints.fetched.get()
    return path


def stands_in(dataset):
    """Whether stand-in arms are played in place of a dataset's."""
    return standin_used(PLAN.datasets[dataset], CONFIG["data"], raw_file)


@cache
def identity(dataset):
    """The id of a dataset in paths, which says what its arms are made of."""
    entry = PLAN.datasets[dataset]
    if (own := entry.get("path")) and not Path(own).exists():
        checkpoints.fetched.get()  # for another rule makes it
    return dataset_id(dataset, entry, stands_in(dataset))


def in_setting(pattern, setting):
    """A pattern filled in with a setting of the plan."""
    dataset, constraints, horizon = setting
    return pattern.format(dataset=identity(dataset), constraints=constraints, horizon=horizon)


def setting_of(wildcards):
    """The setting of the plan that wildcards name."""
    return dataset_name(wildcards.dataset), wildcards.constraints, int(wildcards.horizon)


def player_of(wildcards):
    """The policy that wildcards name, with the engine that plays it in their setting."""
    return PLAN.player(wildcards.policy, setting_of(wildcards))


def point_of(wildcards):
    """The one point of an experiment that is not a sweep."""
    return PLAN.experiments[wildcards.experiment].points[0]


def runs_of(pattern, setting, policies):
    """The files of these policies' runs in a setting: blocks that are there, and new ones."""
    files = []
    for policy in policies:
        player = PLAN.player(policy, setting)
        keys = player.keys(setting) | {"dataset": identity(setting[0])}
        folder = Path(rules.simulate.output.runs.format(**keys, run="")).parent
        blocks = HERE.blocks(setting, player, folder)
        files += [pattern.format(**keys, run=block) for block in blocks]
    return files


def shown(file, figure, caption, category):
    """A file that Snakemake's report shows, by what it is."""
    labels = {"figure": figure}
    return report(file, caption=f"../report/{caption}.rst", category=category, labels=labels)


def in_formats(folder, names, formats):
    """Figures in a folder: each in these formats."""
    return [f"{folder}/{name}.{suffix}" for name in names for suffix in formats]
