"""What is there: how many runs of each experiment exist, and which run files nobody asks for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from lincon.study.config import validate
from lincon.study.plan import plan, run_files

TREES = ("runs", "plays")


def load(paths: Sequence[Path]) -> dict[str, Any]:
    """One config, validated: later files are merged into earlier ones, as `--configfile` does."""
    merged: dict[str, Any] = {}
    for path in paths:
        _merge(merged, yaml.safe_load(Path(path).read_text(encoding="utf-8")) or {})
    return validate(merged)


def _merge(base: dict[str, Any], extra: Mapping[str, Any]) -> None:
    for key, value in extra.items():
        if isinstance(value, Mapping) and isinstance(base.get(key), dict):
            _merge(base[key], value)
        else:
            base[key] = value


def status(summary: Iterable[str], config: Mapping[str, Any]) -> str:
    """A table from the lines of `snakemake --summary`: runs there, missing and stale.

    Stale is what Snakemake would run again: its own judgement of code, settings and inputs.
    """
    states = dict(_summary_states(summary))
    lines = [f"{'experiment':<24}{'runs':>8}{'there':>8}{'missing':>9}{'stale':>7}"]
    for name, experiment in plan(config).experiments.items():
        files = [
            file
            for point in experiment.points
            for file in run_files("runs", point.setting, point.policies, config["runs"])
        ]
        counts = Counter(states.get(file, "missing") for file in files)
        lines.append(
            f"{name:<24}{len(files):>8}{counts['there']:>8}{counts['missing']:>9}{counts['stale']:>7}"
        )
    return "\n".join(lines)


def _summary_states(lines: Iterable[str]) -> Iterable[tuple[str, str]]:
    for line in lines:
        columns = line.rstrip("\n").split("\t")
        if len(columns) < 6 or not columns[0].startswith("results/runs/"):
            continue
        file, planned = columns[0], columns[-1]
        missing = columns[-2] == "missing"
        yield file, "missing" if missing else "there" if planned == "no update" else "stale"


def unwanted(configs: Sequence[Sequence[Path]], root: Path = Path()) -> list[Path]:
    """Run and plays files below `root` that no experiment of any of the configs refers to."""
    wanted: set[str] = set()
    for paths in configs:
        config = load(paths)
        for point in plan(config).points():
            for tree in TREES:
                wanted.update(run_files(tree, point.setting, point.policies, config["runs"]))
    there = (file for tree in TREES for file in (root / "results" / tree).rglob("run=*.parquet"))
    return sorted(file for file in there if str(file.relative_to(root)) not in wanted)


def delete(files: Iterable[Path]) -> None:
    """Delete files, and the folders that this leaves empty."""
    for file in files:
        file.unlink()
        for folder in file.parents:
            if folder.name in TREES or any(folder.iterdir()):
                break
            folder.rmdir()
