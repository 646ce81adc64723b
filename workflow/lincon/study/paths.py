"""The one map of results/: where each thing is kept, as patterns with {keys} to fill in.

Arms, problems and runs are shared by all studies; everything that is made of them belongs to one
study. Whatever distinguishes two runs is in their path: the setting, the policy, the engine that
played it, the seed, and `settings`, a short hash of the rest (`lincon.study.plan`).
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

RAW = "resources/raw/{file}"
ARMS = "results/arms/{dataset}.parquet"
PROBLEM = "results/problems/dataset={dataset}/eta={eta}/problem.json"
KERNEL = "results/kernels/{code}-{kernel}"
LOG = "results/logs/{rule}/{name}.log"
# Settings that are too long for a command line, by their hash.
SETTINGS = "results/settings/{hash}.json"

# All that jobs write is below these.
WRITTEN = ("resources", "results")

SETTING_KEYS = ("dataset", "eta", "horizon")
RUN_KEYS = (*SETTING_KEYS, "policy", "engine", "seed", "settings")
SETTING_FOLDER = "/".join(f"{key}={{{key}}}" for key in SETTING_KEYS)
RUN_FOLDER = "/".join(f"{key}={{{key}}}" for key in RUN_KEYS)
# The series of the runs, their plays per arm and, for those who ask for it, the arm of every round.
TREES = ("runs", "plays", "chosen")

BLOCK = re.compile(r"run=([0-9]+(?:-[0-9]+)?)\.parquet")

STUDIES = "results/studies"


@dataclass(frozen=True)
class StudyPaths:
    """Where one study keeps what is made of the runs."""

    study: str

    @property
    def folder(self) -> str:
        return f"{STUDIES}/{self.study}"

    @property
    def plan(self) -> str:
        return f"{self.folder}/plan.json"

    @property
    def summary(self) -> str:
        """The summary of one setting."""
        return f"{self.folder}/summaries/{SETTING_FOLDER}/summary.parquet"

    @property
    def everything(self) -> str:
        """The summaries of all settings in one table."""
        return f"{self.folder}/summary.parquet"

    def table(self, name: str) -> str:
        return f"{self.folder}/tables/{name}"

    @property
    def tables(self) -> str:
        return f"{self.folder}/tables"

    @property
    def experiment_tables(self) -> str:
        return f"{self.folder}/tables/{{experiment}}"

    @property
    def figures(self) -> str:
        return f"{self.folder}/figures/{{experiment}}"

    def tables_of(self, experiment: str) -> str:
        return self.experiment_tables.format(experiment=experiment)

    @property
    def atlas(self) -> str:
        return f"{self.folder}/atlas/{{atlas}}"

    @property
    def atlas_block(self) -> str:
        """How a block of an atlas' problems ended."""
        return f"{self.atlas}/outcomes/problems={{block}}.parquet"

    @property
    def page(self) -> str:
        return f"{self.folder}/report.html"

    @property
    def manifest(self) -> str:
        return f"{self.folder}/manifest.json"

    @property
    def provenance(self) -> str:
        return f"{self.folder}/provenance.json"


def run_pattern(tree: str) -> str:
    """The file of a run, or of a block of runs, in one of the trees."""
    return f"results/{tree}/{RUN_FOLDER}/run={{run}}.parquet"


def run_folder(tree: str, keys: dict[str, object]) -> str:
    """The folder of a policy's runs in one of the trees."""
    return f"results/{tree}/{RUN_FOLDER.format(**keys)}"


def block_name(first: int, last: int) -> str:
    """How a file names the runs that it holds: `7`, or `0-15`."""
    return str(first) if first == last else f"{first}-{last}"


def read_block(name: str) -> tuple[int, int]:
    """The first and the last run of a block named `7` or `0-15`."""
    first, _, last = name.partition("-")
    return int(first), int(last or first)


def blocks_there(folder: str | Path) -> dict[str, tuple[int, int]]:
    """The blocks of runs in a folder, by name."""
    folder = Path(folder)
    if not folder.is_dir():
        return {}
    found = filter(None, (BLOCK.fullmatch(file.name) for file in folder.iterdir()))
    blocks = {match[1]: read_block(match[1]) for match in found}
    # Another program's run=5-3 or run=007 is no block of ours.
    return {
        name: (first, last)
        for name, (first, last) in blocks.items()
        if first <= last and block_name(first, last) == name
    }


def cover(there: Iterable[tuple[int, int]], runs: int, size: int | None) -> list[str]:
    """The blocks that hold runs 0 to runs - 1, each once: those that are there, and new ones.

    What was played before is taken in whichever blocks it was played; only the gaps are filled,
    with blocks of at most `size` runs. No run is ever in two files. Without a size a gap is left.
    """
    longest: dict[int, int] = {}
    for first, last in there:
        longest[first] = max(last, longest.get(first, last))
    starts, result, run = sorted(longest), [], 0
    while run < runs:
        if run in longest:
            last = longest[run]
        elif size is None:
            run += 1
            continue
        else:
            later = bisect.bisect_right(starts, run)
            following = starts[later] if later < len(starts) else runs
            # Blocks begin at multiples of their size, so that two studies agree on them.
            last = min((run // size + 1) * size, following, runs) - 1
        result.append(block_name(run, last))
        run = last + 1
    return result


def run_files(tree: str, keys: dict[str, object], runs: int) -> list[Path]:
    """The files of a policy's runs that are there, each run in one of them."""
    folder = Path(run_folder(tree, keys))
    names = cover(blocks_there(folder).values(), runs, None)
    return [folder / f"run={name}.parquet" for name in names]
