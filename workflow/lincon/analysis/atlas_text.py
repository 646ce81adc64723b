"""What an atlas says: three sentences that its numbers justify, and its ranks as Markdown."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from lincon.analysis.atlas import MET, Atlas
from lincon.analysis.table import Table, latex_file
from lincon.analysis.text import markdown_text, number, percent

HEADINGS = (
    *("policy", "mean rank", "95% interval", "best on", "within 2x", "median factor"),
    *("runs that met the floor", "problems on which it meets the floor"),
)
CRITERIA = {
    "composite": "By composite regret",
    "floor": f"By composite regret, of those that meet the floor in {MET:.0%} of runs or more",
}


def sentences(atlas: Atlas, labels: Mapping[str, str]) -> list[str]:
    """On composite regret; on where that changes; on what it takes to meet the floor."""
    plain = atlas.ranks[atlas.ranks["criterion"] == "composite"].reset_index(drop=True)
    return [
        _overall(plain, labels),
        _along_slack(atlas.problems, labels),
        _of_floor(atlas, plain, labels),
    ]


def _overall(ranks: pd.DataFrame, labels: Mapping[str, str]) -> str:
    best = ranks.iloc[0]
    interval = ""
    if np.isfinite(best["ci_low"]):
        interval = f" (95% interval {best['ci_low']:.2f} to {best['ci_high']:.2f})"
    text = (
        f"Over {best['n_problems']:,} problems {labels[best['policy']]} has the least mean rank in "
        f"composite regret, {best['mean_rank']:.2f} of {len(ranks)}{interval}, and is within twice "
        f"the least of its problem on {percent(best['within_two'])} of them"
    )
    tied = ranks.iloc[1:][~(ranks["behind_low"].iloc[1:] > 0.0)]
    if len(ranks) == 1:
        return f"{text}."
    if len(tied):
        names = _list([labels[policy] for policy in tied["policy"]])
        return f"{text}; its rank cannot be told from that of {names}."
    following = ranks.iloc[1]
    return (
        f"{text}; the next, {labels[following['policy']]}, is {following['behind']:.2f} ranks "
        f"behind ({following['behind_low']:.2f} to {following['behind_high']:.2f}, paired)."
    )


def _along_slack(problems: pd.DataFrame, labels: Mapping[str, str]) -> str:
    """Who wins most problems at the least and at the largest slack."""
    ends = sorted({problems["slack"].min(), problems["slack"].max()})
    parts = []
    for slack in ends:
        here = problems[problems["slack"] == slack]
        won = here[here["rank_composite"] == 1.0]["policy"].value_counts()
        if won.empty:
            return "On no problem does one policy alone have the least composite regret."
        count = here["problem"].nunique()
        most = [labels[str(policy)] for policy in won.index[won == won.iloc[0]]]
        have, each = ("has", "") if len(most) == 1 else ("have", " each")
        parts.append(
            f"at a slack of {slack:g} {_list(most)} {have} the least composite regret "
            f"most often, on {won.iloc[0]} of {count:,} problems{each}"
        )
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}."


def _of_floor(atlas: Atlas, plain: pd.DataFrame, labels: Mapping[str, str]) -> str:
    safe = plain.sort_values("meets_floor_on", ascending=False, kind="stable").iloc[0]
    text = (
        f"No policy meets the floor in at least {MET:.0%} of its runs on more problems than "
        f"{labels[safe['policy']]}, which does on {percent(safe['meets_floor_on'])} and has "
        f"{_times(safe)}"
    )
    best = plain.iloc[0]
    if best["policy"] == safe["policy"]:
        return f"{text}."
    return f"{text}; {labels[best['policy']]} meets it on {percent(best['meets_floor_on'])}."


def _times(row: pd.Series) -> str:
    return f"{number(row['median_factor'])} times the least composite regret on the median problem"


def _list(names: list[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def markdown(
    atlas: Atlas, labels: Mapping[str, str], title: str, eta: float, horizon: int, runs: int
) -> str:
    """The sentences, and a table a criterion."""
    count = atlas.problems["problem"].nunique()
    lines = [f"# {markdown_text(title)}", ""]
    lines += [f"{count:,} problems, eta = {eta:g}, T = {horizon:,}, runs of each policy: {runs:,}."]
    safe = {policy: markdown_text(label) for policy, label in labels.items()}
    lines += ["", *(f"{i}. {text}" for i, text in enumerate(sentences(atlas, safe), 1))]
    for heading, table in tables(atlas, labels).items():
        lines += ["", f"## {heading}", "", *table.markdown()]
    return "\n".join(lines) + "\n"


def latex(atlas: Atlas, labels: Mapping[str, str]) -> str:
    return latex_file(tables(atlas, labels))


def tables(atlas: Atlas, labels: Mapping[str, str]) -> dict[str, Table]:
    """The ranks under each criterion, by title."""
    made = {}
    for criterion, heading in CRITERIA.items():
        ranks = atlas.ranks[atlas.ranks["criterion"] == criterion]
        rows = [_row(row, labels) for _, row in ranks.iterrows()]
        made[heading] = Table(HEADINGS, "l" + "r" * (len(HEADINGS) - 1), rows)
    return made


def _row(row: pd.Series, labels: Mapping[str, str]) -> list[str]:
    interval = f"{row['ci_low']:.2f} to {row['ci_high']:.2f}" if np.isfinite(row["ci_low"]) else ""
    cells = [labels[row["policy"]], f"{row['mean_rank']:.2f}", interval]
    cells += [percent(row["best_on"]), percent(row["within_two"]), number(row["median_factor"])]
    return [*cells, percent(row["floor_met"]), percent(row["meets_floor_on"])]
