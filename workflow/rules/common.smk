"""Loads and validates the config, and constrains the wildcards.

In: config/config.yaml (and what --configfile adds). Out: CONFIG, PLAN and the constants of the
rules; what can be tested is in the library, workflow/lincon.
"""

import json
import os
import re
import shlex
import sys
from pathlib import Path

from snakemake.logging import logger

try:
    import lincon
except ImportError:
    # Not installed: the copy beside these rules, if there is one.
    sys.path.append(str(Path(workflow.current_basedir).parent))
    import lincon

from lincon.command_line.main import job
from lincon.data.download import without_passwords
from lincon.data.fetch import fetch, in_folders
from lincon.engine.kernels import KERNELS, kernel_of
from lincon.errors import UserError
from lincon.files import sweep_tree
from lincon.fingerprint import fingerprint
from lincon.kernel_cache import cache_folder
from lincon.policies.own import own_source, own_sources
from lincon.shared import real_command
from lincon.study import paths
from lincon.study.alive import hold
from lincon.study.atlas import atlases
from lincon.study.blocks import arms_of, blocks_of, run_seconds
from lincon.study.config import default_study, validate
from lincon.study.inventory import conflicts
from lincon.study.named_files import placeholders, require_files
from lincon.study.plan import plan
from lincon.study.published import fetched_keys, published_of
from lincon.study.style import Style, source
from lincon.study.yaml_text import check_text

# Jobs call `python3 -m lincon`: the interpreter that runs Snakemake, unless a conda environment or a
# container puts its own first, with the library of this checkout, or the one installed there.
LIBRARY = Path(lincon.__file__).parents[1]
if LIBRARY.name != "site-packages":
    os.environ.update(PYTHONPATH=str(LIBRARY))
os.environ.update(
    PATH=os.pathsep.join([str(Path(sys.executable).parent), *os.get_exec_path()]),
    # One job, one core: a second thread of BLAS would take another job's.
    OPENBLAS_NUM_THREADS="1",
)

# A stage finds its files by the one map of results/ in the library, which a prefix would move. (A
# storage changes paths as well, and gives stages local copies under the paths that they know.)
STORAGE = workflow.storage_settings.default_storage_provider
if not STORAGE and workflow.modifier.modify_path("results") != "results":
    sys.exit(
        "lincon cannot be a module with `prefix` or `replace_prefix`; to have its results elsewhere, "
        "run Snakemake there, with --directory"
    )

# Held until this process ends: `lincon recover` clears up after the dead, never beside the living.
ALIVE = hold()

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
    # The rules of another workflow may make them, and a storage may hold them.
    if workflow.modifier.is_main_snakefile() and not STORAGE:
        require_files(PLAN)
except UserError as error:
    # Not a WorkflowError, under which Snakemake would write a line of this file: the mistake is the
    # user's, and the sentence says where.
    sys.exit(str(error))

for conflict in conflicts(CONFIG, PLAN):
    logger.warning(conflict)

STUDY = paths.StudyPaths(CONFIG["study"])
# How figures look: what they are written as, and the file that they depend on.
STYLE = CONFIG.get("style", {})
STYLE_FILE, FORMATS = source(Style.of(STYLE)), Style.of(STYLE).suffixes
# How files are got is no part of what is computed, so it is not among a rule's params.
os.environ.update(
    LINCON_DATA=CONFIG["data"],
    LINCON_MIRRORS=json.dumps(CONFIG["mirrors"]),
    # For the page: what to type to get the same again. Jobs of a cluster keep what they are given.
    LINCON_COMMAND=os.environ.get("LINCON_COMMAND")
    or without_passwords(shlex.join(["snakemake", *sys.argv[1:]])),
)
# With `auto` the network decides what is computed, which a cache between machines must not share.
CACHEABLE = "omit-software" if CONFIG["data"] != "auto" else False
COMPILED = paths.KERNEL.format(code=fingerprint("engine"), kernel="{kernel}")
TREES = ["runs", "plays"] + ["chosen"] * (CONFIG["record"] == "plays")
# Experiment -> the published runs of its setting; none where nobody is to be asked.
PUBLISHED = {
    name: found for name in PLAN.experiments if (found := published_of(CONFIG, PLAN, name))
}
NOTICES = job(
    "notices",
    study=CONFIG["study"],
    problems=sorted({setting[:2] for setting in PLAN.settings}),
    experiments=[name for name, e in PLAN.experiments.items() if not e.is_sweep],
    published=sorted({paths.RAW.format(file=found.file) for found in PUBLISHED.values()}),
)["settings"]
RAW = {
    name: entry
    for data in CONFIG["datasets"].values()
    for name, entry in data.get("files", {}).items()
}


def any_of(names):
    return "|".join(re.escape(str(name)) for name in names) or "none"


wildcard_constraints:
    file=any_of(RAW),
    published=any_of(sorted({found.file for found in PUBLISHED.values()})),
    dataset=any_of(PLAN.datasets),
    eta=any_of(sorted({point.eta for point in PLAN.points()})),
    horizon=any_of(sorted({point.horizon for point in PLAN.points()})),
    policy=any_of(PLAN.players),
    engine="lazy|dense|python",
    seed=r"\d+",
    settings="[0-9a-f]{8}",
    kernel=any_of(sorted(set(KERNELS.values()))),
    run=r"\d+(-\d+)?",
    experiment=any_of(PLAN.experiments),
    atlas=any_of(ATLASES),
    block=r"\d+(-\d+)?",


# `lincon real` is on its way to get them.
for raw in [] if "LINCON_GET_REAL" in os.environ else placeholders(PLAN):
    place = in_folders(raw.name, CONFIG["mirrors"])
    # An empty file is not data. Snakemake would not replace it where later results are there.
    if CONFIG["data"] == "real" and place:
        try:
            fetch(raw.name, raw.parent, mirrors=[str(Path(place).parent)], **RAW[raw.name])
        except UserError as error:
            sys.exit(str(error))
    elif CONFIG["data"] == "real":
        sys.exit(
            f"data is 'real', but {raw} could not be downloaded so far and stand-in arms took its "
            f"place; get it and replace them with: {real_command()}, with the config files of this call"
        )
    elif CONFIG["data"] == "auto" and place:
        logger.warning(
            f"{raw} is now available from {place}, but stand-in arms took its place before; replace "
            f"them with: {real_command(str(Path(place).parent))}, with the config files of this call"
        )


def look_when_a_job_ends():
    """Let the scheduler look for work when a job ends, not by the clock as well.

    By its default of 100 jobs a second Snakemake looks again a second after every look: each job that
    ends adds one more look a second, with a thread, for the rest of the run (its issue 3804), and a
    thousand jobs later it does little else. A limit that the user set stays, and so does the one
    before a cluster's queue.
    """
    limit = getattr(workflow.scheduler, "job_rate_limiter", None)
    if limit is not None and workflow.local_exec and (limit.max_jobs, limit.timespan) == (100, 1):
        workflow.scheduler.job_rate_limiter = None
