"""The one map of results/: where each thing is kept, as patterns with {keys} to fill in.

Arms, problems and runs are shared by all studies; everything that is made of them belongs to one
study. Whatever distinguishes two runs is in their path: the content of the arms
(`lincon.study.identity`), the constraints, the horizon, the policy, the engine that played it, the
seed, and `settings`, a short hash of the rest (`lincon.study.plan`). `<results>` and `<resources>`
are Snakemake's path variables, which a workflow that uses this one as a module may set.
"""

import bisect
import re
from collections.abc import Iterable
from pathlib import Path

RAW = "<resources>/raw/{file}"
ARMS = "<results>/arms/{dataset}.parquet"
PROBLEM = "<results>/problems/dataset={dataset}/constraints={constraints}/problem.json"
KERNEL = "<results>/kernels/{code}-{kernel}"
LOGS = "<results>/logs"

SETTING_KEYS = ("dataset", "constraints", "horizon")
RUN_KEYS = (*SETTING_KEYS, "policy", "engine", "seed", "settings")
SETTING = "/".join(f"{key}={{{key}}}" for key in SETTING_KEYS)
RUN = "/".join(f"{key}={{{key}}}" for key in RUN_KEYS)
# The series of the runs, their plays per arm and, for those who ask for it, the arm of every round.
RUNS, PLAYS, CHOSEN = (
    f"<results>/{tree}/{RUN}/run={{run}}.parquet" for tree in ("runs", "plays", "chosen")
)
BLOCK = re.compile(r"run=([0-9]+(?:-[0-9]+)?)\.parquet")
STUDIES = "<results>/studies"


def here(pattern: str, results: str = "results", resources: str = "resources") -> str:
    """The pattern with its path variables filled in, by default with Snakemake's defaults."""
    return pattern.replace("<results>", results).replace("<resources>", resources)


def block_name(first: int, last: int) -> str:
    """How a file names the runs that it holds: `7`, or `0-15`."""
    return str(first) if first == last else f"{first}-{last}"


def read_block(name: str) -> tuple[int, int]:
    """The first and the last run of a block named `7` or `0-15`."""
    first, _, last = name.partition("-")
    return int(first), int(last or first)


def blocks_there(folder: str | Path) -> list[tuple[int, int]]:
    """The blocks of runs in a folder."""
    found = (BLOCK.fullmatch(file.name) for file in Path(folder).glob("run=*.parquet"))
    blocks = [read_block(match[1]) for match in found if match]
    # One that ends before it begins is not of ours, and would be gone round indefinitely.
    return [(first, last) for first, last in blocks if first <= last]


def cover(there: Iterable[tuple[int, int]], runs: int, size: int) -> list[str]:
    """The blocks that hold runs 0 to runs - 1, each once: those that are there, and new ones.

    What was played before is taken in whichever blocks it was played; only the gaps are filled,
    with blocks of at most `size` runs. No run is ever in two files.
    """
    longest: dict[int, int] = {}
    for first, last in there:
        longest[first] = max(last, longest.get(first, last))
    starts, result, run = sorted(longest), [], 0
    while run < runs:
        last = longest.get(run, -1)
        if last < 0:
            later = bisect.bisect_right(starts, run)
            following = starts[later] if later < len(starts) else runs
            # Blocks begin at multiples of their size, so that two studies agree on them.
            last = min((run // size + 1) * size, following, runs) - 1
        result.append(block_name(run, last))
        run = last + 1
    return result
