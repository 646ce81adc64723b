"""What the page shows of an experiment or a sweep: the dot table, charts, figures and tables."""

from __future__ import annotations

import base64
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from PIL import Image

from lincon.analysis.claims import HOLDS
from lincon.analysis.results import Results
from lincon.analysis.sweeps import Sweep
from lincon.report import experiment as tables_of
from lincon.report import sentences, view
from lincon.report.figures.registry import DECLARED, LABELS
from lincon.report.page import dots
from lincon.report.page.dots import Strip
from lincon.report.palette import Look, looks
from lincon.report.sweeps import answer_of_sweep, points_table
from lincon.report.table import Table
from lincon.report.text import number

# The charts over the rounds; the other figures are shown as they were drawn.
PANELS = ("regret", "violation", "reward", "ratio")
ROWS = 100
# Policies of the config, by label, that have a class in lincon.online.
SERVICE = {
    "LinConTS": "LinConTS",
    "LinCon-KL-UCB": "LinConKLUCB",
    "TS ledger": "Ledger",
    "TS ledger, learned prior": "LearnedLedger",
}
INTERACTIVE = ("league", "plane", "panels", "realised")
ROUNDS = 160  # recorded rounds that a chart gets; an eye sees no more


@dataclass(frozen=True)
class Picture:
    """A figure of the study, whole within the page."""

    label: str
    title: str
    caption: str
    uri: str
    size: tuple[int, int]


@dataclass(frozen=True)
class Section:
    """One experiment or sweep, ready for the template."""

    key: str
    title: str
    facts: str
    finding: str
    tone: str
    words: list[str]
    pictures: list[Picture]
    tables: list[Table]
    looks: Mapping[str, Look] = field(default_factory=dict)
    strips: list[Strip] = field(default_factory=list)
    groups: list[tuple[str, list[dict[str, Any]]]] = field(default_factory=list)
    belief: str = ""
    panels: dict[str, dict[str, Any]] = field(default_factory=dict)
    plane: dict[str, Any] = field(default_factory=dict)
    rounds: list[int] = field(default_factory=list)
    service: str = ""
    counted: str = "reward"  # or cost, where the goal is to spend little

    @property
    def payload(self) -> dict[str, Any]:
        """What the page's script draws from."""
        policies = [
            {"p": look.key, "name": look.label, "dash": list(look.dashes)}
            | {"muted": look.muted, "reference": look.reference}
            for look in self.looks.values()
        ]
        return {
            "policies": policies,
            "t": self.rounds,
            "panels": self.panels,
            "plane": self.plane,
        }


def of_experiment(key: str, results: Results, figures: Sequence[Path]) -> Section:
    answer, dressed = sentences.answer_of(results), looks(results.policies, view.prominent(results))
    strips = dots.strips(results)
    shown = [path for path in figures if path.stem not in INTERACTIVE]
    shown.sort(key=lambda path: list(DECLARED).index(path.stem))
    panels = _panels(results, dressed)
    return Section(
        key,
        results.title,
        answer.heading,
        sentences.finding(results),
        answer.tone,
        answer.advice,
        [picture(path) for path in shown],
        [_keyed(key, table) for table in _tables(results) if table.rows],
        dressed,
        strips,
        dots.groups(results, dressed, strips),
        _belief(results),
        panels,
        _plane(results, dressed),
        _rounds(results),
        service(results),
        "cost" if view.spends(results.problem) else "reward",
    )


def _keyed(key: str, table: Table) -> Table:
    """A table under a key that no other section has, folded; of many rows the CSV has the rest."""
    return replace(table, key=f"{key}-{table.key}", folded=True, limit=ROWS)


def _tables(results: Results) -> list[Table]:
    names = ("league", "claims", "bounds", "growth", "values", "arms")
    return [getattr(tables_of, name)(results) for name in names]


def _belief(results: Results) -> str:
    """What the answer rests on, in a line."""
    said = ["1 run" if results.runs == 1 else f"{results.runs:,} paired runs"]
    if results.runs_needed:
        said.append(f"about {results.runs_needed:,} would rank these policies")
    claims = results.claims
    if claims is not None and len(claims):
        compared = claims[claims["against"] != "theory"]
        joint = compared[(compared["quantity"] == "joint") & compared["detectable"].notna()]
        if len(joint):
            least = results.factor("joint") * float(joint["detectable"].iloc[0])
            said.append(f"smallest detectable difference in joint regret {number(least)}")
        held = Counter(compared["verdict"])[HOLDS]
        whose = "claims of the paper" if len(compared) < len(claims) else "comparisons"
        said.append(f"{held} of {len(compared)} {whose} hold")
    return " \u00b7 ".join(said)


def service(results: Results) -> str:
    """The lines of code that put the winner into a service, where it has a class for it."""
    row = sentences.best_of(results)
    name = SERVICE.get(results.labels[row["policy"]]) if row is not None else None
    if name is None or results.problem.goal.eta is None:
        return ""
    return (
        f"from lincon.online import {name}\n\n"
        f"policy = {name}({{...}}, eta={results.problem.goal.eta:g})  # arm -> value\n"
        "arm = policy.choose()\n"
        "policy.update(arm, event)"
    )


def _rounds(results: Results) -> list[int]:
    """The rounds that charts show: evenly spaced ones of those recorded, and the last."""
    t = np.unique(results.summary["t"])
    if len(t) > ROUNDS:
        t = t[np.unique(np.linspace(0, len(t) - 1, ROUNDS).astype(int))]
    return [int(x) for x in t]


def _panels(results: Results, dressed: Mapping[str, Look]) -> dict[str, dict[str, Any]]:
    """Metric -> its curves per basis and policy: means and both ends of the intervals."""
    made, rounds = {}, _rounds(results)
    for metric, title, label in view.panels(results, PANELS):
        curves = {}
        for basis in ("expected", "realised"):
            rows = view.rows_of(results, metric, basis)
            rows = view.comparable(rows, dressed)[0] if metric == "ratio" else rows
            curves[basis] = _curves(rows, rounds, dressed)
        if any(curves.values()):
            skip = view.LATE * results.horizon if metric == "ratio" else 0
            made[metric] = {"title": title, "ylabel": label, "curves": curves, "skip": skip}
    return made


def _curves(
    rows: pd.DataFrame, rounds: Sequence[int], dressed: Mapping[str, Look]
) -> dict[str, list[list[float | None]]]:
    found = {}
    for policy, look in dressed.items():
        own = rows[rows["policy"] == policy].set_index("t").reindex(rounds)
        if own["mean"].notna().any():
            found[look.key] = [[plain(x) for x in own[c]] for c in ("mean", "ci_low", "ci_high")]
    return found


def _plane(results: Results, dressed: Mapping[str, Look]) -> dict[str, Any]:
    if not results.problem.feasible:
        return {}
    bound, unit = view.dearest(results.problem), results.unit_of("regret")
    points = view.plane(results, bound)
    what = "events short of the floor" if bound.paper else f"{bound.name}: shortfall"
    return {
        "points": [
            {"p": dressed[str(policy)].key} | {name: plain(x) for name, x in row.items()}
            for policy, row in points.iterrows()
        ],
        "xlabel": f"{what} at T",
        "ylabel": f"regret at T{f' ({unit})' if unit else ''}",
    }


def plain(value: float) -> float | None:
    """A number as JSON has it: six digits are more than an eye can read off a chart."""
    return float(f"{value:.6g}") if math.isfinite(value) else None


def of_sweep(key: str, sweep: Sweep, figures: Sequence[Path]) -> Section:
    answer = answer_of_sweep(sweep)
    finding = answer.advice[0].rstrip(".") if answer.advice else sweep.title
    return Section(
        key,
        sweep.title,
        answer.heading,
        finding if len(finding) <= 110 else sweep.title,
        answer.tone,
        answer.advice,
        [picture(path) for path in figures],
        [_keyed(key, points_table(sweep))],
    )


def picture(path: Path) -> Picture:
    """A drawn figure with the title and caption that its file carries."""
    with Image.open(path) as image:
        held, size = dict(getattr(image, "text", {})), image.size
    uri = f"data:image/png;base64,{base64.b64encode(path.read_bytes()).decode()}"
    return Picture(LABELS[path.stem], held["Title"], held["Description"], uri, size)
