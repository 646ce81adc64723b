"""Experiments become settings: the grid of a sweep, expanded, with an identity for every path.

A dataset or policy whose parameter is replaced gets a name of its own, `wireless@snr_20`, so that
paths name what was computed and two experiments that share a setting share its runs.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from lincon.data import kinds
from lincon.errors import UserError
from lincon.policies.registry import make_policy
from lincon.study.config import engine_keys


@dataclass(frozen=True)
class Point:
    """One cell of an experiment's grid. `policies` maps the policy's id in paths to its name."""

    dataset: str
    eta: str
    horizon: int
    policies: dict[str, str] = field(hash=False)
    coordinates: dict[str, float] = field(hash=False)

    @property
    def setting(self) -> tuple[str, str, int]:
        return self.dataset, self.eta, self.horizon


@dataclass(frozen=True)
class Experiment:
    name: str
    label: str
    axes: tuple[str, ...]
    points: tuple[Point, ...]

    @property
    def is_sweep(self) -> bool:
        return bool(self.axes)


@dataclass
class Plan:
    """Every experiment of a config, and the datasets and policies that its paths name."""

    experiments: dict[str, Experiment] = field(default_factory=dict)
    datasets: dict[str, dict[str, Any]] = field(default_factory=dict)
    policies: dict[str, dict[str, Any]] = field(default_factory=dict)

    def points(self) -> Iterator[Point]:
        for experiment in self.experiments.values():
            yield from experiment.points

    @cached_property
    def settings(self) -> dict[tuple[str, str, int], list[str]]:
        """(dataset, eta, horizon) -> the policies that any experiment plays there."""
        result: dict[tuple[str, str, int], list[str]] = {}
        for point in self.points():
            known = result.setdefault(point.setting, [])
            known.extend(policy for policy in point.policies if policy not in known)
        return result


def plan(config: Mapping[str, Any]) -> Plan:
    """The plan of a validated config."""
    result = Plan()
    for name in config.get("only", config["experiments"]):
        entry = config["experiments"][name]
        axes = _axes(f"experiments.{name}", entry)
        swept = tuple(axis for axis, values in axes.items() if len(values) > 1)
        if len(swept) > 2:
            raise UserError(
                f"config: experiments.{name} sweeps {', '.join(swept)}; at most two are allowed"
            )
        points = []
        for values in itertools.product(*axes.values()):
            cell = dict(zip(axes, values, strict=True))
            point = _point(f"experiments.{name}", cell, swept, entry, config, result)
            _check_horizon(f"experiments.{name}.horizon", point, result.datasets[point.dataset])
            points.append(point)
        label = entry.get("label", config["datasets"][entry["dataset"]]["label"])
        result.experiments[name] = Experiment(name, label, swept, tuple(points))
    return result


def _axes(where: str, entry: Mapping[str, Any]) -> dict[str, list[float]]:
    """Every replaceable number of an experiment, as the list of its values."""
    axes = {"eta": _values(entry["eta"]), "horizon": _values(entry["horizon"])}
    axes |= {key: _values(entry[key]) for key in kinds.swept_properties() if key in entry}
    for policy, parameters in entry.get("parameters", {}).items():
        for parameter, value in parameters.items():
            axes[f"{policy}.{parameter}"] = _values(value)
    for eta in axes["eta"]:  # the schema sees the ends of a range alone
        if not 0 <= eta <= 1:
            raise UserError(f"config: {where}.eta goes to {eta:g}; allowed: in [0, 1]")
    for horizon in axes["horizon"]:
        if horizon != int(horizon) or horizon < 1:
            raise UserError(
                f"config: {where}.horizon goes to {horizon:g}; allowed: whole numbers from 1"
            )
    for axis, values in axes.items():
        if len(set(values)) < len(values):
            key = f"parameters.{axis}" if "." in axis else axis
            raise UserError(
                f"config: {where}.{key} has a value twice, of {values}; once is allowed"
            )
    return axes


def _values(value: Any) -> list[float]:
    if isinstance(value, Mapping):
        spaced = np.linspace(value["low"], value["high"], value["count"])
        return [float(f"{x:.12g}") for x in spaced]
    return list(value) if isinstance(value, list | tuple) else [value]


def _point(where, values, swept, entry, config, result: Plan) -> Point:
    dataset_entry = config["datasets"][entry["dataset"]]
    kind = kinds.KINDS[dataset_entry["kind"]]
    dataset_values = {key: values[key] for key in values if key in kind.swept}
    dataset = _variant(entry["dataset"], dataset_values)
    result.datasets[dataset] = kind.replaced(dataset_entry, dataset_values)
    kind.check_entry(result.datasets[dataset], f"config: {where}")
    policies = {}
    for policy in entry["policies"]:
        prefix = f"{policy}."
        replaced = {k.removeprefix(prefix): v for k, v in values.items() if k.startswith(prefix)}
        identity = _variant(policy, replaced)
        policies[identity] = policy
        result.policies[identity] = engine_keys(config["policies"][policy]) | replaced
        try:
            make_policy(policy, result.policies[identity])
        except UserError as error:
            raise UserError(f"config: {where}.parameters: {error}") from None
    coordinates = {axis: values[axis] for axis in swept}
    return Point(dataset, number(values["eta"]), int(values["horizon"]), policies, coordinates)


def _variant(name: str, replaced: Mapping[str, float]) -> str:
    if not replaced:
        return name
    return name + "@" + ",".join(f"{key}_{number(value)}" for key, value in replaced.items())


def number(value: float) -> str:
    """A number as paths show it, e.g. 0.5, 3, 0.001: the shortest text that reads back the same."""
    return np.format_float_positional(value, trim="-") if isinstance(value, float) else str(value)


def _check_horizon(where: str, point: Point, dataset: Mapping[str, Any]) -> None:
    arms = kinds.arms_of(dataset) or 1
    if point.horizon < arms:
        raise UserError(
            f"config: {where} is {point.horizon}, but {point.dataset} has {arms} arms and each is "
            f"played once first; allowed: {arms} or more"
        )


def run_files(
    tree: str, setting: tuple[str, str, int], policies: Iterable[str], runs: int
) -> list[str]:
    """The files of a setting's runs in results/runs or results/plays."""
    dataset, eta, horizon = setting
    folder = f"results/{tree}/dataset={dataset}/eta={eta}/horizon={horizon}"
    return [f"{folder}/policy={name}/run={run}.parquet" for name in policies for run in range(runs)]


def suited_figures(axes: tuple[str, ...]) -> list[str]:
    """Curves for one swept value, the frontier too if it is eta, a heat map for two."""
    if len(axes) == 2:
        return ["heat_map"]
    return ["sweep", "frontier"] if axes == ("eta",) else ["sweep"]
