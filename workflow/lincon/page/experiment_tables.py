"""The tables of an experiment and of a sweep, with labels for ids and headings for columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pandas as pd

from lincon.analysis.results import POINTWISE
from lincon.page.looks import looks
from lincon.page.record import Sweep
from lincon.page.tables import Table

if TYPE_CHECKING:
    from lincon.analysis.results import Results

VALUES = {
    "policy": "policy",
    "metric": "metric",
    "basis": "basis",
    "mean": "mean",
    "ci_low": "95% low",
    "ci_high": "95% high",
    "std": "std over runs",
    "n_runs": "runs",
}
LEAGUE = {
    "rank": "rank",
    "policy": "policy",
    "composite": "composite regret",
    "ci_low": "95% low",
    "ci_high": "95% high",
    "behind": "behind",
    "p_holm": "p (Holm)",
    "floor_met": "floor met, runs",
    "worst_deficit": "worst deficit",
    "rounds_until_kept": "last deficit, round",
    "event_rate": "event rate",
    "share_of_optimum": "share of optimum",
    "n_runs": "runs",
}
CLAIMS = {
    "claim": "claim",
    "policy": "policy",
    "against": "against",
    "basis": "basis",
    "value": "value",
    "reference": "against value",
    "difference": "difference",
    "ci_low": "95% low",
    "ci_high": "95% high",
    "share_of_runs": "share of runs",
    "share_of_time": "share of rounds",
    "verdict_alone": "alone",
    "verdict": "verdict",
}
ARMS = {"mean": "\u03bc", "value": "r", "xi": "\u03be", "kl": "d(\u03bc, \u03be)", "gap": "D"}
NO_CLAIMS = "None are checked here: the two policies that are compared do not both play."


def tables(key: str, results: Results) -> list[Table]:
    """League, claims if there are any, values at T, arms."""
    made = [league(f"{key}-league", results)]
    if results.claims is not None and len(results.claims):
        made.append(claims(f"{key}-claims", results))
    return [*made, values(f"{key}-values", results), arms(f"{key}-arms", results)]


def league(key: str, results: Results) -> Table:
    frame = _labelled(results.league, _labels(results.policies))
    caption = "Ranks with = cannot be told from the best; behind is the paired difference to it."
    return Table(key, "League", frame, LEAGUE, caption, shown=tuple(LEAGUE))


def claims(key: str, results: Results) -> Table:
    if results.claims is None or results.claims.empty:
        return Table(key, "Claims", pd.DataFrame(columns=list(CLAIMS)), CLAIMS, NO_CLAIMS)
    frame = _labelled(results.claims, _labels(results.policies))
    return Table(key, "Claims", frame, CLAIMS, folded=True, shown=tuple(CLAIMS))


def values(key: str, results: Results) -> Table:
    last = results.summary[results.summary["t"] == results.horizon]
    frame = _labelled(last[[name for name in VALUES if name in last]], _labels(results.policies))
    caption = "Every metric at the last round."
    if results.bands != POINTWISE:
        caption = (
            "Every metric at the last round; the intervals are those of bands for whole curves."
        )
    return Table(key, "Values at T", frame, VALUES, caption, folded=True)


def arms(key: str, results: Results) -> Table:
    table = results.theory.drop(columns="arm", errors="ignore")
    table = table.sort_values(["optimal", "share"], ascending=False, kind="stable")
    return Table(key, "Arms", table, ARMS, "The optimal arms first.", rows=300, folded=True)


def sweep(key: str, record: Sweep) -> Table:
    columns = [name for name in (*record.axes, *VALUES) if name in record.values]
    frame = _labelled(record.values[columns], _labels(record.policies))
    return Table(key, "Values", frame, VALUES, folded=True)


def _labels(policies: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    return {policy: look.label for policy, look in looks(policies).items()}


def _labelled(frame: pd.DataFrame, labels: Mapping[str, str]) -> pd.DataFrame:
    """The columns that hold ids of policies, with labels in their place."""
    columns = [column for column in ("policy", "against") if column in frame]
    return frame.assign(**{c: [labels.get(x, x) for x in frame[c]] for c in columns})
