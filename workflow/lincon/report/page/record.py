"""Where a study came from, as the page tells it: data, code, seeds and machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from lincon.report.table import Table

CITATION = """\
@inproceedings{saxena2020thompson,
  title     = {Thompson Sampling for Linearly Constrained Bandits},
  author    = {Saxena, Vidit and Gonzalez, Joseph E. and Jald{\\'e}n, Joakim},
  booktitle = {International Conference on Artificial Intelligence and Statistics (AISTATS)},
  year      = {2020}
}"""
DATASET = ("name", "source", "arms", "licence", "address", "sha256", "note")


@dataclass(frozen=True)
class Study:
    """A study's provenance.json; whatever is not known is left empty and not shown."""

    name: str
    record: Mapping[str, Any] = field(default_factory=dict)

    @property
    def commit(self) -> str:
        git = self.record.get("git") or {}
        commit = str(git.get("commit") or "")
        return f"{commit} (with uncommitted changes)" if commit and git.get("dirty") else commit

    @property
    def seed(self) -> str:
        return str((self.record.get("seeds") or {}).get("seed", ""))

    def tables(self) -> list[Table]:
        """Datasets, versions, seeds, machine, times: those of them that are known."""
        made = []
        datasets = self.record.get("datasets") or {}
        if datasets:
            frame = pd.DataFrame([{"name": name} | dict(e) for name, e in datasets.items()])
            columns = [column for column in DATASET if column in frame]
            made.append(Table.of(frame[columns], title="Data", key="datasets"))
        run = {"git commit": self.commit, "time": str(self.record.get("time") or "")}
        run |= {name: str(seed) for name, seed in (self.record.get("seeds") or {}).items()}
        for key, title, entries in (
            ("run", "This run", {name: text for name, text in run.items() if text}),
            ("machine", "Machine", self.record.get("machine") or {}),
            ("versions", "Versions", self.record.get("versions") or {}),
        ):
            rows = [[str(name), str(value)] for name, value in entries.items()]
            made += (
                [Table(["what", "value"], rows, title, key, folded=key != "run")] if rows else []
            )
        times = self.record.get("times")
        if times:
            made.append(
                Table.of(pd.DataFrame(times), title="Time by rule", key="times", folded=True)
            )
        return made
