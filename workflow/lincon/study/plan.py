"""Experiments become settings: the grid of a sweep, expanded, with an identity for every path.

A dataset or policy whose parameter is replaced gets a name of its own, `wireless@snr_20`, so that
paths name what was computed and two experiments that share a setting share its runs. Everything
else that distinguishes two runs is in the path as well: the engine that plays, the seed, and a
short hash of the policy's meaning and of how many rounds are recorded. Every bound of a goal may be
swept, on an axis of the constraint's name; the short form's is `eta`.
"""

import hashlib
import itertools
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from lincon.data import kinds
from lincon.errors import UserError
from lincon.policies.parts import OPTIONAL, TABLES
from lincon.policies.registry import Policy, engine_of, make_policy
from lincon.problem.goal import FLOOR, SENSES, Goal, number
from lincon.study.config import engine_keys
from lincon.study.paths import RUN_KEYS
from lincon.study.records import Config

Setting = tuple[str, str, int]  # dataset, the text of the goal, horizon
# The choices of a policy that were not always there; where one is not made, nobody notices.
DEFAULTS = {kind: next(iter(TABLES[kind].values())) for kind in OPTIONAL if kind != "target"}
# Keys of an experiment and the value of each that needs the counts behind the means.
COUNTS_AS = {"means": "posterior", "start": "warm"}
# A name in a path has at most 255 bytes: that of a goal, and that of a dataset or a policy.
GOAL, VARIANT = 150, 200


@dataclass(frozen=True)
class Player:
    """A policy as it is played: `policy` is its id in paths, `name` its name in the config."""

    policy: str
    name: str
    entry: dict[str, Any]
    engine: str
    seed: int
    settings: str

    def keys(self, setting: Setting) -> dict[str, Any]:
        """What the path of its runs in a setting is filled in with."""
        known = (*setting, self.policy, self.engine, self.seed, self.settings)
        return dict(zip(RUN_KEYS, known, strict=True))


@dataclass(frozen=True)
class Point:
    """One cell of an experiment's grid. `policies` maps the policy's id in paths to its name."""

    dataset: str
    constraints: str
    horizon: int
    policies: dict[str, str]
    coordinates: dict[str, float]

    @property
    def setting(self) -> Setting:
        return self.dataset, self.constraints, self.horizon


@dataclass(frozen=True)
class Experiment:
    name: str
    label: str
    axes: tuple[str, ...]
    points: list[Point]
    # The axes that are bounds of constraints.
    bounds: set[str]

    @property
    def is_sweep(self) -> bool:
        return bool(self.axes)

    @property
    def figures(self) -> list[str]:
        """Of a sweep: curves for one swept value, a heat map for two; of bounds the frontier."""
        first = "heat_map" if len(self.axes) == 2 else "sweep"
        return [first, "frontier"] if set(self.axes) <= self.bounds else [first]


@dataclass
class Plan:
    """Every experiment of a config, and the datasets and policies that its paths name."""

    experiments: dict[str, Experiment] = field(default_factory=dict)
    datasets: dict[str, dict[str, Any]] = field(default_factory=dict)
    players: dict[str, Player] = field(default_factory=dict)
    # By the text that names it in paths.
    goals: dict[str, dict[str, Any]] = field(default_factory=dict)
    # Per constraint of a setting; None is the default.
    tolerances: dict[Setting, tuple[float | None, ...]] = field(default_factory=dict)

    def player(self, policy: str, setting: Setting) -> Player:
        """A policy as it is played in a setting: the lazy engine does not play every goal."""
        player = self.players[policy]
        if player.engine == "python":
            return player
        made, goal = make_policy(player.name, player.entry), Goal.from_dict(self.goals[setting[1]])
        dataset = self.datasets[setting[0]]
        world = {"delay", "drift"} & dataset.keys() or "warm" in dataset.get(kinds.COUNTS_AS, ())
        return replace(player, engine=engine_of(made, player.engine, goal, world))

    @cached_property
    def required(self) -> set[tuple[str, str]]:
        """(dataset, constraints) that must be feasible; a sweep may go beyond what is."""
        plain = [e for e in self.experiments.values() if not e.is_sweep]
        return {(point.dataset, point.constraints) for e in plain for point in e.points}

    @cached_property
    def settings(self) -> dict[Setting, list[str]]:
        """(dataset, constraints, horizon) -> the policies that any experiment plays there."""
        result: dict[Setting, dict[str, str]] = {}
        for experiment in self.experiments.values():
            for point in experiment.points:
                result.setdefault(point.setting, {}).update(point.policies)
        return {setting: list(policies) for setting, policies in result.items()}


def plan(config: Mapping[str, Any]) -> Plan:
    """The plan of a validated config."""
    result = Plan()
    for name in config.get("only", config["experiments"]):
        entry, where = config["experiments"][name], f"experiments.{name}"
        axes = _axes(entry)
        swept = tuple(axis for axis, values in axes.items() if len(values) > 1)
        if len(swept) > 2:
            raise UserError(f"config: {where} sweeps {', '.join(swept)}; at most two are allowed")
        cells = [dict(zip(axes, one, strict=True)) for one in itertools.product(*axes.values())]
        points = [_point(where, cell, swept, entry, config, result) for cell in cells]
        label = entry.get("label", config["datasets"][entry["dataset"]]["label"])
        result.experiments[name] = Experiment(name, label, swept, points, set(bounds_of(entry)))
    return result


def _axes(entry: Mapping[str, Any]) -> dict[str, list[float]]:
    """Every replaceable number of an experiment, as the list of its values."""
    axes = bounds_of(entry) | {"horizon": entry["horizon"]}
    axes |= {key: entry[key] for key in kinds.all_swept() if key in entry}
    for policy, parameters in entry.get("parameters", {}).items():
        axes |= {f"{policy}.{parameter}": value for parameter, value in parameters.items()}
    return {axis: x if isinstance(x, list) else [x] for axis, x in axes.items()}


def _point(
    where: str,
    values: Mapping[str, Any],
    swept: Iterable[str],
    entry: Mapping[str, Any],
    config: Mapping[str, Any],
    result: Plan,
) -> Point:
    dataset_entry = config["datasets"][entry["dataset"]]
    # A constraint may have the name of a key that the experiment leaves alone.
    known = set(kinds.swept(dataset_entry["kind"])) & set(entry)
    dataset_values = {key: values[key] for key in values if key in known}
    counts_as = _counts_as(where, entry, dataset_entry)
    dataset = variant(entry["dataset"], dataset_values, counts_as)
    result.datasets[dataset] = kinds.replaced(dataset_entry, dataset_values)
    if counts_as:
        result.datasets[dataset][kinds.COUNTS_AS] = counts_as
    arms = kinds.parse(result.datasets[dataset], where).arm_count() or 1
    policies = {}
    for policy in entry["policies"]:
        named = entry.get("parameters", {}).get(policy, ())
        replaced = {parameter: values[f"{policy}.{parameter}"] for parameter in named}
        identity = variant(policy, replaced)
        policies[identity] = policy
        if identity not in result.players:
            result.players[identity] = player_of(where, identity, policy, replaced, config)
    goal = goal_of(where, entry, values)
    result.goals[_name_in_path(goal.text, GOAL)] = goal.to_dict()
    coordinates = {axis: values[axis] for axis in swept}
    point = Point(dataset, goal.text, int(values["horizon"]), policies, coordinates)
    tolerances = tuple(one.get("tolerance") for one in constraints_of(entry).values())
    if result.tolerances.setdefault(point.setting, tolerances) != tolerances:
        raise UserError(
            f"config: {where} shares {dataset}, {goal.text} and its horizon with another "
            "experiment, but not the tolerance; give both the same"
        )
    if point.horizon < arms:
        raise UserError(
            f"config: {where}.horizon is {point.horizon}, but {dataset} has {arms} arms and each "
            f"is played once first; allowed: {arms} or more"
        )
    return point


def _counts_as(where: str, entry: Mapping[str, Any], dataset_entry: Mapping[str, Any]) -> list[str]:
    """What the experiment makes of the counts behind the means, for which there must be some."""
    found = [value for key, value in COUNTS_AS.items() if entry.get(key) == value]
    columns = kinds.KINDS[dataset_entry["kind"]].columns
    if found and columns is not None and "trials" not in columns:
        raise UserError(
            f"config: {where}: kind {dataset_entry['kind']} has no successes and trials for "
            f"{' and '.join(found)}; allowed: a dataset that has these columns"
        )
    return found


def constraints_of(entry: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The constraints as the config has them, by the name of their axis; `eta` is short for one."""
    if "eta" not in entry:
        return {one["name"]: one for one in entry["constraints"]}
    short = {"name": FLOOR, "per_event": 1, "at_least": entry["eta"]}
    return {"eta": short | {"tolerance": entry.get("tolerance")}}


def bounds_of(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Each bound as the config has it, a number or a list, by the name of its axis."""
    return {axis: one[_sense(one)] for axis, one in constraints_of(entry).items()}


def goal_of(where: str, entry: Mapping[str, Any], bounds: Mapping[str, float]) -> Goal:
    """The goal with one value for each bound; `UserError` where no arms could ever suit it."""
    constraints = [{**one, _sense(one): bounds[x]} for x, one in constraints_of(entry).items()]
    for one in constraints:
        one.pop("tolerance", None)
    asked = {"eta": bounds["eta"]} if "eta" in entry else {"constraints": constraints}
    return Goal.from_dict(asked | {"objective": entry.get("objective")}, f"config: {where}")


def _sense(constraint: Mapping[str, Any]) -> str:
    return next(sense for sense in SENSES if sense in constraint)


def player_of(
    where: str, identity: str, name: str, replaced: Mapping[str, float], config: Mapping[str, Any]
) -> Player:
    """A policy of the config with parameters replaced; `UserError` where its parts do not fit."""
    entry = engine_keys(config["policies"][name]) | dict(replaced)
    try:
        policy = make_policy(name, entry)
    except UserError as error:
        raise UserError(f"config: {where}: {error}") from None
    engine, settings = engine_of(policy, config["engine"]), settings_hash(policy, config["points"])
    return Player(identity, name, entry, engine, config["seed"], settings)


def settings_hash(policy: Policy, points: int) -> str:
    """A short hash of what a policy is, and of how many rounds are recorded if not as usual.

    What is at its default is left out: something new does not give old runs another name.
    """
    meaning: dict[str, Any] = {}
    if policy.python:
        source = f"{policy.python.source}:{policy.python.name}"
        meaning = {"python": source} | policy.python.parameters
    else:
        for kind, table in TABLES.items():
            part = table[getattr(policy, kind)]
            if part is not DEFAULTS.get(kind):
                meaning[kind] = part.name
            for parameter in part.parameters:
                if policy.parameters[parameter.name] != parameter.default:
                    meaning[parameter.name] = policy.parameters[parameter.name]
    if points != Config.model_fields["points"].default:
        meaning["points"] = points
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
