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
from lincon.report.palette import Look, looks
from lincon.report.service import service
from lincon.report.sweeps import answer_of_sweep, points_table
from lincon.report.table import Table
from lincon.report.text import counted, number, p_value
from lincon.report.view import REFERENCE, Bound, amount

# The charts over the rounds; the other figures are shown as they were drawn.
PANELS = ("regret", "violation", "reward", "ratio")
INTERACTIVE = ("league", "plane", "panels", "realised")
ENDS = ("mean", "ci_low", "ci_high")
TABLES = ("league", "claims", "bounds", "growth", "arms")
ROUNDS = 160  # recorded rounds that a chart gets; an eye sees no more
ROWS = 100  # of a table; its CSV has the rest
MOST = 3  # constraints with a strip of dots; more are in the tables


class Strip(NamedTuple):
    """The column of dots of one constraint: `amounts` has each policy's, and its interval's ends,
    as per cent of the way from left to right; `at` is the place of the bound."""

    bound: Bound
    heading: str
    at: float
    amounts: pd.DataFrame


@dataclass(frozen=True)
class Section:
    """One experiment or sweep, ready for the template; `payload` is what the script draws from."""

    key: str
    title: str
    facts: str
    finding: str
    tone: str
    words: list[str]
    pictures: list[dict[str, Any]]  # the study's figures, whole within the page
    tables: list[Table]
    looks: Mapping[str, Look] = field(default_factory=dict)
    strips: list[Strip] = field(default_factory=list)
    groups: list[tuple[str, list[dict[str, Any]]]] = field(default_factory=list)
    belief: str = ""
    service: str = ""
    counted: str = "reward"  # or cost, where the goal is to spend little
    payload: dict[str, Any] = field(default_factory=dict)


def of_experiment(key: str, results: Results, figures: Sequence[Path]) -> Section:
    answer, dressed = sentences.answer_of(results), looks(results.policies, view.prominent(results))
    strips = _strips(results)
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
        groups=_groups(results, dressed, strips),
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


def _strips(results: Results) -> list[Strip]:
    """Those of the dearest constraints, each from the lowest amount to the highest, with room."""
    bounds = sorted(view.bounds(results.problem), key=lambda bound: -bound.price)
    league, found = results.league.set_index("policy"), []
    for bound in bounds[:MOST]:
        j, sign = bound.j, (1.0 if bound.at_least else -1.0) / results.horizon
        spans = bound.bound - sign * league[[f"shortfall_{j}_low", f"shortfall_{j}_high"]]
        amounts = pd.DataFrame(
            {"at": league[f"rate_{j}"], "low": spans.min(axis=1), "high": spans.max(axis=1)}
        )
        ends = np.append(amounts.to_numpy(dtype=float), bound.bound)
        span = float(np.nanmax(ends) - np.nanmin(ends)) or 0.6
        left, whole = float(np.nanmin(ends)) - 0.08 * span, 1.16 * span
        word = "floor" if bound.paper else "at least" if bound.at_least else "at most"
        heading = f"{bound.amount} ({word} {amount(results, j, bound.bound)})"
        form = "{:.2%}" if results.is_share(j) else "{:,.3g}"
        texts = [form.format(x).replace("-", "\u2212") for x in amounts["at"]]
        places = (100.0 * (amounts - left) / whole).round(2).assign(text=texts)
        at = round(100.0 * (bound.bound - left) / whole, 2)
        found.append(Strip(bound, heading, at, places))
    return found


def _groups(
    results: Results, dressed: Mapping[str, Look], strips: Sequence[Strip]
) -> list[tuple[str, list[dict[str, Any]]]]:
    """The rows of the dot table, in the groups of the league."""
    shares, made = results.league["share_of_optimum"], []
    most = float(np.fmin(np.fmax(shares.max(), 1.0), 3.0))
    bars = (100.0 * (shares / most).clip(0.0, 1.0)).round(1).fillna(0.0)
    texts = [f"{x:.0%}".replace("-", "\u2212") if math.isfinite(x) else "" for x in shares]
    league = results.league.assign(bar=bars, share=texts)
    for group, words in view.GROUPS.items():
        cells = [
            {
                "look": dressed[row["policy"]],
                "group": group,
                "standing": results.policies[row["policy"]].get("standing", ""),
                "kept": f"{row['kept_runs']}/{row['runs']}",
                "marks": [strip.amounts.loc[row["policy"]].to_dict() for strip in strips],
                "share": row["share"],
                "bar": row["bar"],
                "full": round(100.0 / most, 1),
                "joint": brief(*(results.scale * row[f"joint{e}"] for e in ("", "_low", "_high"))),
                "sure": _sure(row),
            }
            for _, row in league[league["group"] == group].iterrows()
        ]
        made += [(words, cells)] if cells else []
    return made


def brief(value: float, low: float, high: float) -> str:
    """A number and half its interval, in as few letters as a column has: 252 \u00b1 7."""
    if not math.isfinite(value):
        return ""
    if abs(value) >= 1e6:
        return f"{brief(value / 1e6, low / 1e6, high / 1e6)} M"
    decimals = min(6, max(0, 2 - math.floor(math.log10(abs(value))))) if value else 0
    half = (high - low) / 2.0
    return " \u00b1 ".join(f"{x:,.{decimals}f}" for x in (value, half) if math.isfinite(x))


def _sure(row: pd.Series) -> str:
    """How sure the place is: best of its group, tied with it, or behind it."""
    if row["group"] == REFERENCE:
        return "ref."
    if math.isnan(row["p_holm"]):
        return "best" if not row["behind"] > 0.0 else ""
    return "tied" if row["tied"] else f"p {p_value(row['p_holm'])}".replace("p 0", "p = 0")


def _belief(results: Results) -> str:
    """What the answer rests on, in a line."""
    said = [counted(results.runs, "paired run" if results.runs > 1 else "run")]
    if results.runs_needed:
        said.append(f"about {results.runs_needed:,} would rank these policies")
    claims = results.claims
    if len(claims):
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
            curves[basis] = {
                dressed[str(policy)].key: [[plain(x) for x in own[end]] for end in ENDS]
                for policy, own in rows[rows["t"].isin(rounds)].groupby("policy", sort=False)
                if own["mean"].notna().any()
            }
        if any(curves.values()):
            skip = view.LATE * results.horizon if metric == "ratio" else 0
            made[metric] = {"title": title, "ylabel": label, "curves": curves, "skip": skip}
    return made


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


def picture(path: Path) -> dict[str, Any]:
    """A drawn figure with the title and caption that its file carries."""
    with Image.open(path) as image:
        held, size = dict(getattr(image, "text", {})), image.size
    uri = f"data:image/png;base64,{base64.b64encode(path.read_bytes()).decode()}"
    shown = {"label": LABELS[path.stem], "title": held["Title"], "caption": held["Description"]}
    return shown | {"uri": uri, "size": size}
