"""What the page shows of an experiment or a sweep: the dot table, charts, figures and tables."""

import base64
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from PIL import Image

from lincon.analysis.claims import HOLDS
from lincon.analysis.results import Results
from lincon.analysis.sweeps import Sweep
from lincon.report import sentences, view
from lincon.report import tables as tables_of
from lincon.report.figures.registry import DECLARED, LABELS
from lincon.report.page import dots
from lincon.report.palette import Look, looks
from lincon.report.service import service
from lincon.report.sweeps import answer_of_sweep, points_table
from lincon.report.table import Table
from lincon.report.text import counted, number

# The charts over the rounds; the other figures are shown as they were drawn.
PANELS = ("regret", "violation", "reward", "ratio")
INTERACTIVE = ("league", "plane", "panels", "realised")
TABLES = ("league", "claims", "bounds", "growth", "arms")
ROUNDS = 160  # recorded rounds that a chart gets; an eye sees no more
ROWS = 100  # of a table; its CSV has the rest


class Picture(NamedTuple):
    """A figure of the study, whole within the page."""

    label: str
    title: str
    caption: str
    uri: str
    size: tuple[int, int]


@dataclass(frozen=True)
class Section:
    """One experiment or sweep, ready for the template; `payload` is what the script draws from."""

    key: str
    title: str
    facts: str
    finding: str
    tone: str
    words: list[str]
    pictures: list[Picture]
    tables: list[Table]
    looks: Mapping[str, Look] = field(default_factory=dict)
    strips: list[dots.Strip] = field(default_factory=list)
    groups: list[tuple[str, list[dict[str, Any]]]] = field(default_factory=list)
    belief: str = ""
    service: str = ""
    counted: str = "reward"  # or cost, where the goal is to spend little
    payload: dict[str, Any] = field(default_factory=dict)


def of_experiment(key: str, results: Results, figures: Sequence[Path]) -> Section:
    answer, dressed = sentences.answer_of(results), looks(results.policies, view.prominent(results))
    strips = dots.strips(results)
    shown = [path for path in figures if path.stem not in INTERACTIVE]
    policies = [
        {"p": look.key, "name": look.label, "dash": list(look.dashes)}
        | {"muted": look.muted, "reference": look.reference}
        for look in dressed.values()
    ]
    panels, plane = _panels(results, dressed), _plane(results, dressed)
    made = (getattr(tables_of, name)(results) for name in TABLES)
    return Section(
        key=key,
        title=results.title,
        facts=answer.heading,
        finding=sentences.finding(results),
        tone=answer.tone,
        words=answer.advice,
        pictures=[picture(p) for p in sorted(shown, key=lambda p: list(DECLARED).index(p.stem))],
        tables=[_keyed(key, table) for table in made if table.rows],
        looks=dressed,
        strips=strips,
        groups=dots.groups(results, dressed, strips),
        belief=_belief(results),
        service=service(results),
        counted=view.counted_in(results.problem)[0],
        payload={"policies": policies, "t": _rounds(results), "panels": panels, "plane": plane},
    )


def of_sweep(key: str, sweep: Sweep, figures: Sequence[Path]) -> Section:
    heading, tone, advice = answer_of_sweep(sweep)
    finding = advice[0].rstrip(".") if advice else sweep.title
    finding = finding if len(finding) <= 110 else sweep.title
    shown = ([picture(path) for path in figures], [_keyed(key, points_table(sweep))])
    return Section(key, sweep.title, heading, finding, tone, advice, *shown)


def _keyed(key: str, table: Table) -> Table:
    """A table under a key that no other section has, folded."""
    return replace(table, key=f"{key}-{table.key}", folded=True, limit=ROWS)


def _belief(results: Results) -> str:
    """What the answer rests on, in a line."""
    said = [counted(results.runs, "paired run" if results.runs > 1 else "run")]
    if results.runs_needed:
        said.append(f"about {results.runs_needed:,} would rank these policies")
    claims = results.claims
    if claims is not None and len(claims):
        compared = claims[claims["against"] != "theory"]
        least = compared.loc[compared["quantity"] == "joint", "detectable"].dropna()
        if len(least):
            shown = number(results.scale * float(least.iloc[0]))
            said.append(f"smallest detectable difference in joint regret {shown}")
        held = int((compared["verdict"] == HOLDS).sum())
        whose = "claims of the paper" if len(compared) < len(claims) else "comparisons"
        said.append(f"{held} of {len(compared)} {whose} hold")
    return " \u00b7 ".join(said)


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
    bound = view.dearest(results.problem)
    return {
        "points": [
            {"p": dressed[str(policy)].key} | {name: plain(x) for name, x in row.items()}
            for policy, row in view.plane(results, bound).iterrows()
        ],
        "xlabel": f"{bound.shortfall} at T",
        "ylabel": f"regret at T ({results.unit})" if results.unit else "regret at T",
    }


def plain(value: float) -> float | None:
    """A number as JSON has it: six digits are more than an eye can read off a chart."""
    return float(f"{value:.6g}") if math.isfinite(value) else None


def picture(path: Path) -> Picture:
    """A drawn figure with the title and caption that its file carries."""
    with Image.open(path) as image:
        held, size = dict(getattr(image, "text", {})), image.size
    uri = f"data:image/png;base64,{base64.b64encode(path.read_bytes()).decode()}"
    return Picture(LABELS[path.stem], held["Title"], held["Description"], uri, size)
