"""Which runs a stage reads, and reading them: shared by the stages that look at runs."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from lincon.study.paths import run_files

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class RunsOf:
    """The runs of one policy in one setting; `policy` is its id in paths and tables."""

    dataset: str
    eta: str
    horizon: int
    policy: str
    engine: str
    seed: int
    settings: str


def read_all(tree: str, players: list[dict], runs: int) -> dict[str, pd.DataFrame]:
    """Policy id -> its runs 0 to runs - 1 from results/runs or results/plays."""
    from lincon.analysis.metrics import read_runs

    result = {}
    for player in players:
        keys = asdict(RunsOf(**player))
        result[keys["policy"]] = read_runs(run_files(tree, keys, runs), keys["policy"], runs)
    return result
