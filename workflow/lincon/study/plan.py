"""The plan of a config: one table with a row per experiment, cell of its grid and policy.

    experiment cell coordinates | dataset constraints horizon policy engine seed settings | name ...

The columns in the middle (RUN_KEYS) name the folder of a policy's runs, so experiments that share
a row share its runs. A dataset or policy whose parameter is replaced gets a name of its own,
`wireless@snr_20`; a dataset's id ends with a hash of its declaration; `settings` is a short hash of
the policy and of how many rounds are recorded. Every bound of a goal may be swept, on an axis of
the constraint's name; the short form's is `eta`.
"""

import hashlib
import itertools
import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from lincon.data import kinds
from lincon.engine.kernels import kernel_of
from lincon.errors import UserError, did_you_mean
from lincon.policies.own import own_source, own_sources
from lincon.policies.registry import Policy, engine_of, make_policy, standing
from lincon.problem.goal import SENSES, Goal, number
from lincon.study.config import engine_keys
from lincon.study.paths import GROUP_KEYS

Entry = Mapping[str, Any]
# Keys of an experiment and the value of each that needs the counts behind the means.
COUNTS_AS = {"means": "posterior", "start": "warm"}
# Longest names in a path, of goals and of datasets and policies: a path's part has 255 bytes.
GOAL, VARIANT = 150, 200
# The keys that pin a raw file's content.
PINS = ("sha256", "address")
# Seconds of play per job with `runs_per_job: auto`; a job takes about 0.7 s to start.
SECONDS = 4.0
# Microseconds per round, measured (docs/engine.md): constant part, and per arm.
ROUND = {"lazy": (1.0, 0.0002), "dense": (1.0, 0.08), "python": (30.0, 0.1)}
# Assumed number of arms where only the dataset's file knows.
ARMS = 1000


@dataclass(frozen=True)
class Plan:
    """`table` as above; the swept `axes` of each experiment; `datasets` and `goals` by their names
    in paths."""

    config: Entry
    table: pd.DataFrame
    axes: dict[str, list[str]]
    datasets: dict[str, dict[str, Any]]
    goals: dict[str, dict[str, Any]]

    def experiment(self, name: str) -> dict[str, Any]:
        """An experiment as tables, figures and page need it, in plain values.

        `cells` has an item per cell of the grid: its coordinates, horizon and `policies`, id in
        paths -> name. `looks` says how each name is shown.
        """
        config, entry = self.config, self.config["experiments"][name]
        rows = self.table[self.table["experiment"] == name]
        cells: dict[int, dict[str, Any]] = {}
        for row in rows.to_dict("records"):
            known = {key: row[key] for key in ("coordinates", *GROUP_KEYS)}
            cell = cells.setdefault(row["cell"], known | {"policies": {}})
            cell["policies"][row["policy"]] = row["name"]
        names = list(dict.fromkeys(rows["name"]))
        compare = config.get("compare", [])
        return {
            "name": name,
            "title": entry.get("label", config["datasets"][entry["dataset"]]["label"]),
            "axes": self.axes[name],
            "cells": list(cells.values()),
            "looks": {policy: look(config["policies"][policy], policy) for policy in names},
            "compare": list(compare) if set(compare) <= set(names) else [],
        }


def look(entry: Entry, name: str) -> dict[str, Any]:
    """How a policy is shown: its label, colour and standing; a reference knows the means."""
    known = {"label": entry.get("label", name), "policy": engine_keys(entry)}
    known |= {"colour": entry["colour"]} if "colour" in entry else {}
    known |= {"reference": True} if standing(entry)[1] == "knows the means" else {}
    return known | {"standing": ", ".join(filter(None, standing(entry)[:2]))}


def plan(config: Entry) -> Plan:
    """The plan of a validated config."""
    result = Plan(config, pd.DataFrame(), {}, {}, {})
    rows: list[dict[str, Any]] = []
    for name in config.get("only", config["experiments"]):
        entry = config["experiments"][name]
        grid = _grid(entry)
        swept = [axis for axis, values in grid.items() if len(values) > 1]
        if len(swept) > 2:
            sentence = f"sweeps {', '.join(swept)}; at most two are allowed"
            raise UserError(f"config: experiments.{name} {sentence}")
        result.axes[name] = swept
        for cell, point in enumerate(itertools.product(*grid.values())):
            values = dict(zip(grid, point, strict=True))
            common = {"experiment": name, "cell": cell}
            common |= {"coordinates": {axis: values[axis] for axis in swept}}
            rows += [common | row for row in _cell(f"experiments.{name}", values, entry, result)]
    table = pd.DataFrame(rows)
    hashes = own_sources(config["policies"].items())
    table["source"] = [hashes.get(own_source(entry), "") for entry in table["entry"]]
    for group, shared in table.groupby(GROUP_KEYS, sort=False):
        if shared["tolerances"].nunique() > 1:
            names = ", ".join(dict.fromkeys(shared["experiment"]))
            raise UserError(
                f"config: experiments {names} share {group[0]}, {group[1]} and their horizon, but "
                "not the tolerance; give all the same"
            )
    return Plan(config, table, result.axes, result.datasets, result.goals)


def _grid(entry: Entry) -> dict[str, list[float]]:
    """Every replaceable number of an experiment, as the list of its values, by its axis."""
    grid = {one["name"]: one[_sense(one)] for one in entry.get("constraints", ())}
    grid |= {key: entry[key] for key in ("eta", "horizon", *kinds.all_swept()) if key in entry}
    for policy, parameters in entry.get("parameters", {}).items():
        grid |= {f"{policy}.{parameter}": value for parameter, value in parameters.items()}
    return {axis: x if isinstance(x, list) else [x] for axis, x in grid.items()}


def _sense(constraint: Entry) -> str:
    return next(sense for sense in SENSES if sense in constraint)


def _cell(
    where: str, values: Mapping[str, Any], entry: Entry, result: Plan
) -> list[dict[str, Any]]:
    """The rows of one cell, one per policy; its dataset and goal are put into the plan."""
    config, horizon = result.config, int(values["horizon"])
    dataset, arms = _dataset(where, values, entry, result)
    goal = _goal(where, values, entry)
    text = _name_in_path(goal.text, GOAL)
    result.goals[text] = goal.to_dict()
    declared = result.datasets[dataset]
    warm = "warm" in declared.get(kinds.COUNTS_AS, ())
    special = {"delay", "drift", "kinds", "kind_column"} & declared.keys() or warm
    bounded = [entry] if "eta" in entry else entry["constraints"]
    common = {"dataset": dataset, "constraints": text, "horizon": horizon}
    common |= {"tolerances": tuple(one.get("tolerance") for one in bounded)}
    rows = []
    for name in entry["policies"]:
        parameters = entry.get("parameters", {}).get(name, ())
        replaced = {parameter: values[f"{name}.{parameter}"] for parameter in parameters}
        policy_entry = engine_keys(config["policies"][name]) | replaced
        try:
            policy = make_policy(name, policy_entry)
        except UserError as error:
            raise UserError(f"config: {where}: {error}") from None
        if policy.forces_plays and not warm and arms and horizon < arms:
            raise UserError(
                f"config: {where}.horizon is {horizon}, but {dataset} has {arms} arms and {name} "
                f"plays each of them once first; allowed: {arms} or more"
            )
        engine = engine_of(policy, config["engine"], goal, special)
        path = {"policy": variant(name, replaced), "engine": engine, "seed": config["seed"]}
        path |= {"settings": settings_hash(policy, config["points"])}
        kernels = [kernel for kernel in [kernel_of(policy_entry, engine)] if kernel]
        job = {"name": name, "entry": policy_entry, "kernels": kernels}
        rows.append(common | path | job | _costs(config, name, engine, arms or ARMS, horizon))
    return rows


def _goal(where: str, values: Mapping[str, Any], entry: Entry) -> Goal:
    """The goal with one value for each bound; `UserError` if no arms could meet it."""
    constraints = [one | {_sense(one): values[one["name"]]} for one in entry.get("constraints", ())]
    for one in constraints:
        one.pop("tolerance", None)
    asked = {"eta": values["eta"]} if "eta" in entry else {"constraints": constraints}
    return Goal.from_dict(asked | {"objective": entry.get("objective")}, f"config: {where}")


def _dataset(
    where: str, values: Mapping[str, Any], entry: Entry, result: Plan
) -> tuple[str, int | None]:
    """The id of a cell's dataset, which is put into the plan, and its number of arms if known."""
    declared = result.config["datasets"][entry["dataset"]]
    # A constraint may have the name of a key that the experiment leaves alone.
    replaceable = set(kinds.swept(declared["kind"])) & set(entry)
    replaced = {key: values[key] for key in values if key in replaceable}
    counts_as = [value for key, value in COUNTS_AS.items() if entry.get(key) == value]
    columns = kinds.KINDS[declared["kind"]].columns
    if counts_as and columns is not None and "trials" not in columns:
        raise UserError(
            f"config: {where}: kind {declared['kind']} has no successes and trials for "
            f"{' and '.join(counts_as)}; allowed: a dataset that has these columns"
        )
    declaration = kinds.replaced(declared, replaced)
    declaration |= {kinds.COUNTS_AS: counts_as} if counts_as else {}
    identity = dataset_id(variant(entry["dataset"], replaced, counts_as), declaration)
    result.datasets[identity] = declaration
    return identity, kinds.parse(declaration, where).arm_count()


def arm_keys(entry: Entry) -> dict[str, Any]:
    """The keys of a dataset that its arms depend on: which raw files, not where they come from."""
    kept = {key: entry[key] for key in sorted(entry) if key not in kinds.NOT_ARMS}
    if "files" in kept:
        kept["files"] = {
            name: next(({pin: file[pin]} for pin in PINS if pin in file), {})
            for name, file in kept["files"].items()
        }
    return kept


def dataset_id(name: str, entry: Entry) -> str:
    """`coupon-1f3a5c7e`: the name, and a hash of the declaration.

    Random numbers are keyed by the name alone, so equal arms under one name meet equal events.
    """
    return f"{name}-{_hash(arm_keys(entry))}"


def dataset_name(identity: str) -> str:
    """The name that an id begins with."""
    return identity.rpartition("-")[0]


def require_tables(result: Plan) -> None:
    """Refuse a user's table that is not there."""
    for identity, entry in result.datasets.items():
        if "path" in entry and not Path(entry["path"]).exists():
            name = dataset_name(identity).partition("@")[0]
            beside = sorted(str(p) for p in Path(entry["path"]).parent.glob("*.csv"))
            near = did_you_mean(entry["path"], beside)
            raise UserError(
                f"config: datasets.{name}.path: {entry['path']} does not exist{near}; allowed: a "
                f"CSV or Parquet file, by its path from {Path.cwd()}"
            )


def settings_hash(policy: Policy, points: int) -> str:
    """A short hash of what a policy is, all defaults filled in, and of the recorded rounds."""
    meaning = asdict(policy) | {"points": points}
    del meaning["name"]
    return _hash(meaning)


def _hash(meaning: Any) -> str:
    return hashlib.sha256(json.dumps(meaning, sort_keys=True).encode()).hexdigest()[:8]


def variant(name: str, replaced: Mapping[str, float], further: Iterable[str] = ()) -> str:
    """The name in paths of what has parameters replaced, as in `wireless@snr_20`."""
    parts = [*(f"{key}_{number(value)}" for key, value in replaced.items()), *further]
    return _name_in_path(f"{name}@{','.join(parts)}", VARIANT) if parts else name


def _name_in_path(name: str, longest: int) -> str:
    if len(name) > longest:
        raise UserError(
            f"config: {name[:longest]}... is too long for the name of a file; give datasets, "
            "policies or constraints shorter names, or replace fewer parameters"
        )
    return name


def _costs(config: Entry, name: str, engine: str, arms: int, horizon: int) -> dict[str, Any]:
    """`block`: runs per job, and its `minutes`; `limit`: seconds of one run of a user's policy."""
    base, per_arm = ROUND[engine]
    seconds = 1e-6 * (base + per_arm * arms) * horizon
    asked = config["runs_per_job"]
    block = max(1, math.ceil(SECONDS / seconds)) if asked == "auto" else int(asked)
    limit = math.ceil(config["policies"][name].get("time_limit", 60 + 0.01 * horizon))
    return {
        "block": block,
        # Three times what a laptop needs.
        "minutes": math.ceil((10 + 3 * seconds * min(block, config["runs"])) / 60),
        "limit": limit if engine == "python" else 0,
        "mem_mb": round(500 + 0.0005 * arms),
    }
