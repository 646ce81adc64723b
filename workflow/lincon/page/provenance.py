"""The end of the page: where the data came from, and what it takes to get the same again."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from lincon.page.record import Study
from lincon.page.tables import Table

CITATION = """\
@inproceedings{saxena2020thompson,
  title     = {Thompson Sampling for Linearly Constrained Bandits},
  author    = {Saxena, Vidit and Gonzalez, Joseph E. and Jald{\\'e}n, Joakim},
  booktitle = {International Conference on Artificial Intelligence and Statistics (AISTATS)},
  year      = {2020}
}"""
DATASET = ("name", "source", "arms", "licence", "address", "sha256", "note")


def tables(study: Study) -> list[Table]:
    """Datasets, versions, seeds, machine, times: those of them that are known."""
    made = []
    if study.datasets:
        frame = pd.DataFrame([dict(entry) for entry in study.datasets])
        frame = frame[[column for column in DATASET if column in frame]]
        made.append(Table("datasets", "Data", frame))
    run: dict[str, object] = {}
    if study.commit:
        run["git commit"] = study.commit + (" (with changes not committed)" if study.dirty else "")
    if study.time:
        run["time"] = study.time
    made += _pairs("run", "This run", run | dict(study.seeds))
    made += _pairs("machine", "Machine", study.machine)
    made += _pairs("versions", "Versions", study.versions)
    if study.times is not None and len(study.times):
        made.append(Table("times", "Time by rule", study.times))
    return made


def _pairs(key: str, title: str, entries: Mapping[str, object]) -> list[Table]:
    if not entries:
        return []
    frame = pd.DataFrame({"what": list(entries), "value": [str(x) for x in entries.values()]})
    return [Table(key, title, frame)]
