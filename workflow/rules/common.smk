"""The config, checked, the plan that follows from it, and what the rules share.

In: config/config.yaml (and what --configfile adds). Out: CONFIG, PLAN, STUDY and functions that
turn settings of the plan into paths. All of it loads with the packages that Snakemake brings.
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
from lincon.policies.own import own_source, own_sources
from lincon.study import paths
from lincon.study.atlas import atlases
from lincon.study.blocks import arms_of, blocks_of, minutes
from lincon.study.config import default_study, validate
from lincon.study.identity import arm_keys, dataset_id, dataset_name, standin_used, user_file
from lincon.study.plan import plan
from lincon.study.published import fetched_keys, published_of
from lincon.study.style import Style, source
from lincon.study.yaml_text import check_text

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
    for file in workflow.configfiles:
        check_text(file)
    CONFIG = validate({"study": default_study(workflow.configfiles)} | config)
    PLAN = plan(CONFIG)
    ATLASES = atlases(CONFIG)
    PLAYERS = [*PLAN.players.values(), *(p for atlas in ATLASES.values() for p in atlas.players)]
    OWN_SOURCES = own_sources((player.name, player.entry) for player in PLAYERS)
except UserError as error:
    # Not a WorkflowError, under which Snakemake would write a line of this file: the mistake is the
    # user's, and the sentence says where.
    sys.exit(str(error))


rule places:
    """Never run: it asks what Snakemake's path variables are, which a module may set."""
    output:
        # Local files alone are not moved by a module's prefix, which is for Snakemake to add.
        results=local("<results>/places"),
        resources=local("<resources>/places"),


PLACES = {name: str(Path(place).parent) for name, place in rules.places.output.items()}
RAW, ARMS, PROBLEM, RUNS, PLAYS, CHOSEN, LOGS, STUDIES = (
    paths.here(getattr(paths, name), **PLACES)
    for name in ("RAW", "ARMS", "PROBLEM", "RUNS", "PLAYS", "CHOSEN", "LOGS", "STUDIES")
)
STUDY, LOG = f"{STUDIES}/{CONFIG['study']}", f"{LOGS}/{CONFIG['study']}"
SUMMARY = f"{STUDY}/summaries/{paths.SETTING}/summary.parquet"
TABLES, FIGURES = f"{STUDY}/tables/{{experiment}}", f"{STUDY}/figures/{{experiment}}"
STYLE = CONFIG.get("style", {})
# How figures look: what they are written as, and the file that they depend on.
STYLE_FILE, FORMATS = source(Style.of(STYLE)), Style.of(STYLE).suffixes
SWEEPS = [name for name, experiment in PLAN.experiments.items() if experiment.is_sweep]
PLAIN = [name for name in PLAN.experiments if name not in SWEEPS]
# Experiment -> the published runs of its setting; none where nobody is to be asked.
PUBLISHED = {name: found for name in PLAIN if (found := published_of(CONFIG, PLAN, name))}


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
    experiment=any_of(PLAIN),
    atlas=any_of(ATLASES),
    block=r"\d+(-\d+)?",


def raw_file(file):
    """The path of a raw file, after the checkpoint: what can be downloaded decides what is run."""
    path = Path(rules.fetch.output.raw.format(file=file))
    if not path.exists():
        checkpoints.fetched.get()
    return path


@cache
def identity(dataset):
    """The id of a dataset in paths, which says what its arms are made of."""
    entry = PLAN.datasets[dataset]
    if (own := user_file(entry)) and not Path(own).exists():
        checkpoints.fetched.get()  # for another rule makes it
    return dataset_id(dataset, entry, standin_used(entry, CONFIG["data"], raw_file))


def in_setting(pattern, setting):
    """A pattern filled in with a setting of the plan."""
    dataset, constraints, horizon = setting
    keys = {"dataset": identity(dataset), "constraints": constraints, "horizon": horizon}
    return pattern.format_map(keys)


def setting_of(wildcards):
    """The setting of the plan that wildcards name."""
    return dataset_name(wildcards.dataset), wildcards.constraints, int(wildcards.horizon)


def player_of(wildcards):
    """The policy that wildcards name, with the engine that plays it in their setting."""
    return PLAN.player(wildcards.policy, setting_of(wildcards))


def point_of(wildcards):
    """The one point of an experiment that is not a sweep."""
    return PLAN.experiments[wildcards.experiment].points[0]


def of_point(pattern):
    """An input function: the pattern filled in with the setting of the wildcards' experiment."""
    return lambda wildcards: in_setting(pattern, point_of(wildcards).setting)


def point_runs(pattern):
    """An input function: the runs of the wildcards' experiment."""
    return lambda wildcards: runs_of(
        pattern, point_of(wildcards).setting, point_of(wildcards).policies
    )


def runs_of(pattern, setting, policies):
    """The files of these policies' runs in a setting: blocks that are there, and new ones."""
    files = []
    for policy in policies:
        player = PLAN.player(policy, setting)
        keys = player.keys(setting) | {"dataset": identity(setting[0])}
        folder = Path(rules.simulate.output.runs.format(**keys, run="")).parent
        blocks = blocks_of(CONFIG, PLAN, setting, player, folder)
        files += [pattern.format(**keys, run=block) for block in blocks]
    return files


def look_of(name, coloured=False):
    """What a policy is called, whether it is a reference, and the colour that the config gives it."""
    entry = CONFIG["policies"][name]
    reference = entry.get("reference") or entry.get("estimator") == "truth"
    look = {"label": entry.get("label", name)} | ({"reference": True} if reference else {})
    return look | ({"colour": entry["colour"]} if coloured and "colour" in entry else {})


def colours_of(policies):
    """Policy id -> its colour, of those that have one of their own."""
    entries = {identity: CONFIG["policies"][name] for identity, name in policies.items()}
    return {identity: entry["colour"] for identity, entry in entries.items() if "colour" in entry}


def compared(experiment):
    """The ids of the two policies that the claims compare, if both play in an experiment."""
    policies = PLAN.experiments[experiment].points[0].policies
    by_name = {name: policy for policy, name in policies.items()}
    compare = CONFIG.get("compare", [])
    return [by_name[name] for name in compare] if set(compare) <= set(by_name) else []


def in_formats(folder, names, formats=FORMATS):
    """Figures in a folder: each in every format."""
    return [f"{folder}/{name}.{suffix}" for name in names for suffix in formats]
