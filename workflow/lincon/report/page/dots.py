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
from lincon.report.text import p_value
from lincon.report.view import REFERENCE, Bound
from lincon.report.words import amount

MOST = 3  # constraints with a strip; more are in the tables


@dataclass(frozen=True)
class Strip:
    """The column of dots of one constraint: `amounts` has each policy's, and its interval's ends,
    as per cent of the way from left to right; `at` is the place of the bound."""

    bound: Bound
    heading: str
    at: float
    amounts: pd.DataFrame


def strips(results: Results) -> list[Strip]:
    """Those of the dearest constraints."""
    bounds = sorted(view.bounds(results.problem), key=lambda bound: -bound.price)
    return [_strip(results, bound) for bound in bounds[:MOST]]


def _strip(results: Results, bound: Bound) -> Strip:
    """From the lowest amount to the highest, with room, so that the bound is inside."""
    league, j = results.league.set_index("policy"), bound.j
    sign = (1.0 if bound.at_least else -1.0) / results.horizon
    spans = bound.bound - sign * league[[f"shortfall_{j}_low", f"shortfall_{j}_high"]]
    low, high = spans.min(axis=1), spans.max(axis=1)
    amounts = pd.DataFrame({"at": league[f"rate_{j}"], "low": low, "high": high})
    ends = np.append(amounts.to_numpy(dtype=float), bound.bound)
    span = float(np.nanmax(ends) - np.nanmin(ends)) or 0.6
    left, whole = float(np.nanmin(ends)) - 0.08 * span, 1.16 * span
    places = (100.0 * (amounts - left) / whole).round(2)
    word = "floor" if bound.paper else "at least" if bound.at_least else "at most"
    heading = f"{bound.amount} ({word} {amount(results, j, bound.bound)})"
    at = round(100.0 * (bound.bound - left) / whole, 2)
    texts = [_amount(results, j, x) for x in amounts["at"]]
    return Strip(bound, heading, at, places.assign(text=texts))


def groups(
    results: Results, dressed: Mapping[str, Look], strips: Sequence[Strip]
) -> list[tuple[str, list[dict[str, Any]]]]:
    """The rows of the dot table, in the groups of the league."""
    league = results.league
    shares = league["share_of_optimum"].dropna()
    most = float(np.clip(shares.max(), 1.0, 3.0)) if len(shares) else 1.0
    made = []
    for group, words in view.GROUPS.items():
        rows = league[league["group"] == group]
        cells = [_row(results, row, dressed, strips, most) for _, row in rows.iterrows()]
        made += [(words, cells)] if cells else []
    return made


def _row(
    results: Results,
    row: pd.Series,
    dressed: Mapping[str, Look],
    strips: Sequence[Strip],
    most: float,
) -> dict[str, Any]:
    share, factor = float(row["share_of_optimum"]), results.factor("joint")
    known = math.isfinite(share)
    return {
        "look": dressed[row["policy"]],
        "group": row["group"],
        "standing": results.policies[row["policy"]].get("standing", ""),
        "kept": f"{row['kept_runs']}/{row['runs']}",
        "marks": [strip.amounts.loc[row["policy"]].to_dict() for strip in strips],
        "share": f"{share:.0%}".replace("-", "\u2212") if known else "",
        "bar": round(100.0 * min(max(share, 0.0) / most, 1.0), 1) if known else 0.0,
        "full": round(100.0 / most, 1),
        "joint": brief(*(factor * row[f"joint{end}"] for end in ("", "_low", "_high"))),
        "sure": _sure(row),
    }


def _amount(results: Results, j: int, x: float) -> str:
    text = f"{100.0 * x:.2f}%" if results.is_share(j) else f"{x:,.3g}"
    return text.replace("-", "\u2212")


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
