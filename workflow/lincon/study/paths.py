"""Where things are below results/, as patterns with {keys} to fill in; the names of blocks of runs.

Arms, problems and runs are shared by all studies; what is made of them belongs to one study.
Whatever distinguishes two runs is in their path. `<results>` and `<resources>` are Snakemake's path
variables, which a workflow that uses this one as a module may set.
"""

RAW = "<resources>/raw/{file}"
ARMS = "<results>/arms/{dataset}.parquet"
PROBLEM = "<results>/problems/dataset={dataset}/constraints={constraints}/problem.json"
KERNEL = "<results>/kernels/{code}-{kernel}"
LOGS = "<results>/logs"
STUDIES = "results/studies"

GROUP_KEYS = ["dataset", "constraints", "horizon"]
RUN_KEYS = [*GROUP_KEYS, "policy", "engine", "seed", "settings"]


def blocks(runs: int, size: int) -> list[str]:
    """The names of the blocks of `size` runs that divide runs 0 to runs - 1: `7`, or `0-15`.

    Their borders are fixed: more runs add blocks, and change at most the last one.
    """
    pairs = ((first, min(first + size, runs) - 1) for first in range(0, runs, size))
    return [str(first) if first == last else f"{first}-{last}" for first, last in pairs]


def read_block(name: str) -> tuple[int, int]:
    """The first and the last run of a block."""
    first, _, last = name.partition("-")
    return int(first), int(last or first)
