"""The answer as a table of dots: one row per policy, one strip per constraint."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from lincon.analysis.results import Results
from lincon.report import view
from lincon.report.palette import Look
from lincon.report.text import p_value
from lincon.report.view import REFERENCE, Bound, amount

MOST = 3  # constraints with a strip; more are in the tables


class Strip(NamedTuple):
    """The column of dots of one constraint: `amounts` has each policy's, and its interval's ends,
    as per cent of the way from left to right; `at` is the place of the bound."""

    bound: Bound
    heading: str
    at: float
    amounts: pd.DataFrame


def strips(results: Results) -> list[Strip]:
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
        cells = [
            {
                "look": dressed[row["policy"]],
                "group": group,
                "standing": results.policies[row["policy"]].get("standing", ""),
                "kept": f"{row['kept_runs']}/{row['runs']}",
                "marks": [strip.amounts.loc[row["policy"]].to_dict() for strip in strips],
                "full": round(100.0 / most, 1),
                "joint": brief(*(results.scale * row[f"joint{e}"] for e in ("", "_low", "_high"))),
                "sure": _sure(row),
            }
            | _share(float(row["share_of_optimum"]), most)
            for _, row in rows.iterrows()
        ]
        made += [(words, cells)] if cells else []
    return made


def _share(share: float, most: float) -> dict[str, Any]:
    """The share of the optimum as a text, and as a bar."""
    if not math.isfinite(share):
        return {"share": "", "bar": 0.0}
    bar = round(100.0 * min(max(share, 0.0) / most, 1.0), 1)
    return {"share": f"{share:.0%}".replace("-", "\u2212"), "bar": bar}


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
