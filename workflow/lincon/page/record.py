"""What the page is told besides the results: where a study came from, and its sweeps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd


@dataclass(frozen=True)
class Study:
    """The provenance of a study; whatever is not known is left empty and not shown."""

    name: str
    config: Mapping[str, Any] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    seeds: Mapping[str, Any] = field(default_factory=dict)
    commit: str = ""
    dirty: bool = False
    machine: Mapping[str, Any] = field(default_factory=dict)
    # One row a rule: rule, jobs, wall seconds, CPU seconds.
    times: pd.DataFrame | None = None
    command: str = ""
    time: str = ""
    # One entry a dataset: name, source, address, sha256, licence, note.
    datasets: Sequence[Mapping[str, Any]] = ()

    @classmethod
    def from_provenance(cls, name: str, record: Mapping[str, Any]) -> Study:
        """From the study's provenance.json; keys that the page does not know are left alone."""
        git = record.get("git") or {}
        times = record.get("times")
        return cls(
            name=name,
            config=record.get("config") or {},
            versions=record.get("versions") or {},
            seeds=record.get("seeds") or {},
            commit=str(git.get("commit") or record.get("commit") or ""),
            dirty=bool(git.get("dirty", record.get("dirty", False))),
            machine=record.get("machine") or {},
            times=pd.DataFrame(times) if times else None,
            command=str(record.get("command") or ""),
            time=str(record.get("time") or ""),
            datasets=_entries(record.get("datasets") or ()),
        )


def _entries(datasets: Any) -> list[dict[str, Any]]:
    """A list of entries, or a mapping of names to them."""
    if isinstance(datasets, Mapping):
        return [{"name": name} | dict(entry) for name, entry in datasets.items()]
    return [dict(entry) for entry in datasets]


@dataclass(frozen=True)
class Sweep:
    """Values at the horizon over one or two swept quantities.

    `values`: one row a point, policy and metric: policy, metric, basis, mean, ci_low, ci_high and a
    column for each of `axes`. `states`: one row a point: the axes, feasible, binding.
    """

    name: str
    title: str
    axes: tuple[str, ...]
    values: pd.DataFrame
    states: pd.DataFrame
    policies: Mapping[str, Mapping[str, str]]
    source: str = ""
    note: str = ""

    def expected(self, metric: str) -> pd.DataFrame:
        """The rows of a metric on the expected basis, which is all there is where none is named."""
        rows = self.values[self.values["metric"] == metric]
        return rows[rows["basis"] == "expected"] if "basis" in rows else rows
