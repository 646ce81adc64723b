"""What is there: how many runs of each experiment exist, and which run files nobody asks for."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from lincon.errors import UserError
from lincon.study.atlas import Atlas, atlases
from lincon.study.blocks import blocks_of
from lincon.study.config import default_study, validate
from lincon.study.paths import RUN_FOLDER, STUDIES, TREES, StudyPaths, read_block, run_pattern
from lincon.study.plan import Plan, Setting, plan
from lincon.study.yaml_text import check_text


def load(paths: Sequence[Path], extra: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """One config, validated: later files are merged into earlier ones, as `--configfile` does.

    What is `extra` comes last, as of `--config`.
    """
    merged: dict[str, Any] = {}
    for path in paths:
        check_text(path)
        _merge(merged, yaml.safe_load(Path(path).read_text(encoding="utf-8")) or {})
    _merge(merged, extra or {})
    return validate({"study": default_study(paths)} | merged)


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
    lines = list(summary)
    if not any(line.startswith("output_file\t") for line in lines):
        raise UserError(
            "standard input holds no `snakemake --summary`; what Snakemake said instead is above"
        )
    states = dict(_summary_states(lines))
    planned = plan(config)
    rows: dict[str, Counter[str]] = {}
    for name, experiment in planned.experiments.items():
        rows[name] = Counter()
        for point in experiment.points:
            for policy in point.policies:
                rows[name] += _count(config, planned, point.setting, policy, states)
    for name, atlas in atlases(config).items():
        rows[name] = _count_atlas(config["study"], atlas, states)
    table = [f"{'experiment':<24}{'runs':>8}{'there':>8}{'missing':>9}{'stale':>7}"]
    for name, counts in rows.items():
        there, missing, stale = (counts[state] for state in ("there", "missing", "stale"))
        table.append(f"{name:<24}{counts.total():>8}{there:>8}{missing:>9}{stale:>7}")
    return "\n".join(table)


def _count(
    config: Mapping[str, Any],
    planned: Plan,
    setting: Setting,
    policy: str,
    states: Mapping[str, str],
) -> Counter[str]:
    player = planned.players[policy]
    keys = player.keys(setting)
    counts: Counter[str] = Counter()
    for name in blocks_of(config, planned, setting, player):
        first, last = read_block(name)
        state = states.get(run_pattern("runs").format(**keys, run=name), "missing")
        counts[state] += min(last, config["runs"] - 1) - first + 1
    return counts


def _count_atlas(study: str, atlas: Atlas, states: Mapping[str, str]) -> Counter[str]:
    """Every policy plays all runs on each problem of a block."""
    counts: Counter[str] = Counter()
    for block in atlas.blocks:
        first, last = read_block(block)
        file = StudyPaths(study).atlas_block.format(atlas=atlas.name, block=block)
        runs = (last - first + 1) * len(atlas.players) * atlas.runs
        counts[states.get(file, "missing")] += runs
    return counts


def _summary_states(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    for line in lines:
        columns = line.rstrip("\n").split("\t")
        if len(columns) < 6:
            continue
        file, planned = columns[0], columns[-1]
        missing = columns[-2] == "missing"
        yield file, "missing" if missing else "there" if planned == "no update" else "stale"


@dataclass(frozen=True)
class Stale:
    """Run files that no study refers to, and the studies that were asked."""

    files: list[Path]
    studies: list[str]


def stale(root: Path, forget: Sequence[str] = ()) -> Stale:
    """The run files below `root` that no study which was run there refers to, by their plans."""
    plans = {path.parent.name: path for path in sorted((root / STUDIES).glob("*/plan.json"))}
    unknown = sorted(set(forget) - set(plans))
    if unknown:
        raise UserError(f"--forget: there is no study {unknown[0]!r} in {STUDIES}")
    wanted: set[str] = set()
    studies = [name for name in plans if name not in forget]
    for name in studies:
        try:
            wanted |= _folders(json.loads(plans[name].read_text(encoding="utf-8")))
        except (UserError, ValueError, KeyError, TypeError, RecursionError) as error:
            raise UserError(
                f"the plan of study {name} ({error}) cannot be read, so nothing can be said to be "
                "stale; run that study again, or name it after --forget"
            ) from None
    files = [
        file
        for tree in TREES
        for file in (root / "results" / tree).rglob("run=*.parquet")
        if str(file.parent.relative_to(root / "results" / tree)) not in wanted
    ]
    return Stale(sorted(files), studies)


def _folders(config: Mapping[str, Any]) -> set[str]:
    """The folders of all runs of a study; runs beyond those it asked for count as wanted too."""
    planned = plan(validate(config))
    return {
        RUN_FOLDER.format(**planned.players[policy].keys(setting))
        for setting, policies in planned.settings.items()
        for policy in policies
    }


def conflicts(config: Mapping[str, Any], planned: Plan, root: Path = Path()) -> list[str]:
    """Datasets that another study defines otherwise under the same name: their runs alternate."""
    found = []
    for path in sorted((root / STUDIES).glob("*/plan.json")):
        if path.parent.name == config["study"]:
            continue
        try:
            theirs = json.loads(path.read_text(encoding="utf-8"))["datasets"]
            known = {name: _arms_keys(entry) for name, entry in theirs.items()}
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OSError):
            continue
        for name in {dataset.partition("@")[0] for dataset in planned.datasets}:
            if name in known and known[name] != _arms_keys(config["datasets"][name]):
                found.append(
                    f"dataset {name} is defined otherwise in study {path.parent.name}: its arms "
                    "and runs replace those; give it another name to keep both"
                )
    return found


def _arms_keys(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in entry.items() if key not in ("label", "licence")}


def listing(found: Stale) -> str:
    """What would be deleted, by setting and policy, with sizes."""
    studies = ", ".join(found.studies) or "none"
    if not found.files:
        return f"No run file is stale. Studies that were asked: {studies}."
    sizes: dict[Path, list[int]] = defaultdict(list)
    for file in found.files:
        sizes[file.parent].append(file.stat().st_size)
    lines = [
        f"{sum(size) / 1e6:>9.2f} MB {len(size):>6} files  {folder}"
        for folder, size in sorted(sizes.items())
    ]
    total = sum(sum(size) for size in sizes.values())
    lines.append(
        f"{total / 1e6:>9.2f} MB {len(found.files):>6} files that no study refers to "
        f"(studies: {studies}); --delete deletes them"
    )
    return "\n".join(lines)


def delete(files: Iterable[Path]) -> None:
    """Delete files, and the folders that this leaves empty."""
    for file in files:
        file.unlink()
        for folder in file.parents:
            if folder.name in TREES or any(folder.iterdir()):
                break
            folder.rmdir()
