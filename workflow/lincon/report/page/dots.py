"""The answer as a table of dots: one row per policy, one strip per constraint."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from lincon.analysis.results import Results
from lincon.report import view
from lincon.report.palette import Look
from lincon.report.sentences import amount
from lincon.report.text import p_value
from lincon.report.view import REFERENCE, Bound

MOST = 3  # constraints with a strip; more are in the tables


@dataclass(frozen=True)
class Strip:
    """The column of dots of one constraint: where its bound and its ends are."""

    bound: Bound
    heading: str
    low: float
    high: float

    def place(self, x: float) -> float:
        """Per cent of the way from left to right."""
        return round(100.0 * (x - self.low) / ((self.high - self.low) or 1.0), 2)

    @property
    def at(self) -> float:
        return self.place(self.bound.bound)


def strips(results: Results) -> list[Strip]:
    """Those of the dearest constraints."""
    bounds = sorted(view.bounds(results.problem), key=lambda bound: -bound.price)
    return [_strip(results, bound) for bound in bounds[:MOST]]


def _strip(results: Results, bound: Bound) -> Strip:
    """From the lowest amount to the highest, with room, so that the bound is inside."""
    league, horizon = results.league, results.horizon
    rates = league[f"rate_{bound.j}"].to_numpy(dtype=float)
    spans = league[[f"shortfall_{bound.j}_{end}" for end in ("low", "high")]].to_numpy(dtype=float)
    sign = 1.0 if bound.at_least else -1.0
    ends = np.concatenate([rates, (bound.bound - sign * spans / horizon).ravel(), [bound.bound]])
    ends = ends[np.isfinite(ends)]
    pad = 0.08 * float(np.ptp(ends)) or 0.05
    word = "floor" if bound.paper else "at least" if bound.at_least else "at most"
    heading = f"{bound.amount} ({word} {amount(results, bound.j, bound.bound)})"
    return Strip(bound, heading, float(ends.min()) - pad, float(ends.max()) + pad)


def groups(
    results: Results, dressed: Mapping[str, Look], strips: Sequence[Strip]
) -> list[tuple[str, list[dict[str, Any]]]]:
    """The rows of the dot table, in the groups of the league."""
    made, league = [], results.league.assign(share=results.league["share_of_optimum"])
    if view.spends(results.problem):
        league["share"] = league["reward"] / (
            results.horizon * float(results.problem.optimum or 1.0)
        )
    shares = league["share"].dropna()
    most = min(3.0, max(1.0, float(shares.max()))) if len(shares) else 1.0
    for group, words in view.GROUPS.items():
        rows = league[league["group"] == group]
        cells = [
            _dots(results, row, dressed[row["policy"]], strips, most) for _, row in rows.iterrows()
        ]
        made += [(words, cells)] if cells else []
    return made


def _dots(
    results: Results, row: pd.Series, look: Look, strips: Sequence[Strip], most: float
) -> dict[str, Any]:
    marks = []
    for strip in strips:
        bound, horizon = strip.bound, results.horizon
        sign = 1.0 if bound.at_least else -1.0
        rate = float(row[f"rate_{bound.j}"])
        ends = [
            bound.bound - sign * float(row[f"shortfall_{bound.j}_{end}"]) / horizon
            for end in ("low", "high")
        ]
        known = all(math.isfinite(end) for end in ends)
        marks.append(
            {
                "text": _amount(results, bound.j, rate),
                "at": strip.place(rate),
                "ends": sorted(strip.place(end) for end in ends) if known else None,
            }
        )
    share, factor = float(row["share"]), results.factor("joint")
    joint = [factor * float(row[f"joint{end}"]) for end in ("", "_low", "_high")]
    return {
        "look": look,
        "group": row["group"],
        "rank": row["rank"],
        "kept": f"{row['kept_runs']}/{row['runs']}",
        "marks": marks,
        "share": f"{share:.0%}".replace("-", "\u2212") if math.isfinite(share) else "",
        "bar": round(100.0 * max(0.0, min(share / most, 1.0)), 1) if math.isfinite(share) else 0.0,
        "joint": brief(*joint),
        "sure": _sure(row),
        "full": round(100.0 / most, 1),
    }


def _amount(results: Results, j: int, x: float) -> str:
    text = f"{100.0 * x:.2f}%" if results.is_share(j) else f"{x:,.3g}"
    return text.replace("-", "\u2212")


def brief(value: float, low: float, high: float) -> str:
    """A number and half its interval, in as few letters as a column has: 252 \u00b1 7."""
    if not math.isfinite(value):
        return ""
    half = (high - low) / 2.0
    decimals = max(0, 2 - math.floor(math.log10(abs(value)))) if value else 0
    shown = [f"{x:,.{min(decimals, 6)}f}" for x in (value, half) if math.isfinite(x)]
    return " \u00b1 ".join(shown)


def _sure(row: pd.Series) -> str:
    """How sure the place is: best of its group, tied with it, or behind it."""
    if row["group"] == REFERENCE:
        return "ref."
    if math.isnan(row["p_holm"]):
        return "best" if not row["behind"] > 0.0 else ""
    return "tied" if row["tied"] else f"p {p_value(row['p_holm'])}".replace("p 0", "p = 0")
