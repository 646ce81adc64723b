"""Which runs a stage reads: shared by the stages that look at runs."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path

from lincon.study.paths import run_files


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


def files_of(tree: str, players: list[dict], runs: int) -> dict[str, list[Path]]:
    """Policy id -> the files of its runs 0 to runs - 1 in results/runs or results/plays."""
    keys = [asdict(RunsOf(**player)) for player in players]
    return {each["policy"]: run_files(tree, each, runs) for each in keys}
