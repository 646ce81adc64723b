"""What an atlas says: three sentences that its numbers justify, and its ranks as tables."""

from __future__ import annotations

import math
from collections.abc import Mapping

import pandas as pd

from lincon.analysis.atlas import Atlas
from lincon.analysis.league import MOST
from lincon.report.table import Interval, Shown, Table
from lincon.report.text import listed, markdown_text, number, one_line, percent

HEADINGS = (
    *("policy", "mean rank (95%)", "best on", "within 2x", "median factor", "90% factor"),
    *("worst factor", "median, long T", "worst, long T"),
    *("runs that kept the floor", "problems on which it keeps it"),
)
FACTORS = ("median_factor", "q90_factor", "worst_factor", "long_factor", "long_worst_factor")
TITLES = {
    "kept": f"Feasibility first (kept in {MOST:.0%} of runs or more), then joint regret",
    "joint": "By joint regret alone",
}


def sentences(atlas: Atlas, labels: Mapping[str, str]) -> list[str]:
    """Who ranks first; where that changes; what the one who keeps the floor most often costs."""
    names = {policy: one_line(label) for policy, label in labels.items()}
    return [_overall(atlas, names), _along_slack(atlas, names), _of_floor(atlas, names)]


def _ranks(atlas: Atlas, criterion: str) -> pd.DataFrame:
    return atlas.ranks[atlas.ranks["criterion"] == criterion].reset_index(drop=True)


def _overall(atlas: Atlas, names: Mapping[str, str]) -> str:
    ranks = _ranks(atlas, "kept")
    best, others = ranks.iloc[0], ranks.iloc[1:]
    first = Interval(best["mean_rank"], best["ci_low"], best["ci_high"])
    text = (
        f"Over {best['n_problems']:,} problems {names[best['policy']]} ranks first, feasibility "
        f"before joint regret: mean rank {first} of {len(ranks)}. It keeps the floor on "
        f"{percent(best['keeps_on'])} of them"
    )
    tied = others[~(others["behind_low"] > 0.0)]
    if len(tied):
        rest = listed([names[policy] for policy in tied["policy"]])
        return f"{text}; its rank is not significantly different from that of {rest}."
    if others.empty:
        return f"{text}."
    second = others.iloc[0]
    behind = Interval(second["behind"], second["behind_low"], second["behind_high"])
    return f"{text}; the next, {names[second['policy']]}, is {behind} ranks behind (paired)."


def _along_slack(atlas: Atlas, names: Mapping[str, str]) -> str:
    """Who wins most problems at the smallest and at the largest slack."""
    problems, parts = atlas.problems, []
    for slack in sorted({problems["slack"].min(), problems["slack"].max()}):
        here = problems[problems["slack"] == slack]
        won = here[here["rank_kept"] == 1.0]["policy"].value_counts()
        if won.empty:
            return "On no problem is one policy alone the best."
        most = listed([names[str(policy)] for policy in won.index[won == won.iloc[0]]])
        count = here["problem"].nunique()
        parts.append(
            f"at a slack of {slack:g} {most} ranks first on {won.iloc[0]} of {count:,} problems"
        )
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}."


def _of_floor(atlas: Atlas, names: Mapping[str, str]) -> str:
    ranks = _ranks(atlas, "joint")
    safe = ranks.sort_values("keeps_on", ascending=False, kind="stable").iloc[0]
    text = (
        f"{names[safe['policy']]} keeps the floor on the most problems, "
        f"{percent(safe['keeps_on'])}; its joint regret is {_factors(safe)}"
    )
    low = ranks.iloc[0]
    if low["policy"] == safe["policy"]:
        return f"{text}."
    return (
        f"{text}. {names[low['policy']]} has the lowest mean rank by joint regret alone, keeps the "
        f"floor on {percent(low['keeps_on'])}, and has {_factors(low)}."
    )


def _factors(row: pd.Series) -> str:
    middle, tail, worst = (number(row[f"{q}_factor"]) for q in ("median", "q90", "worst"))
    return (
        f"{middle} times the lowest on the median problem, {tail} times on one in ten, {worst} "
        "times on the worst"
    )


def tables(atlas: Atlas, labels: Mapping[str, str]) -> list[Table]:
    """The ranks under each criterion."""
    return [
        Table(
            HEADINGS,
            [_row(row, labels) for _, row in _ranks(atlas, criterion).iterrows()],
            title,
            criterion,
        )
        for criterion, title in TITLES.items()
    ]


def _row(row: pd.Series, labels: Mapping[str, str]) -> list[object]:
    shares = [Shown(percent(row[name]), row[name]) for name in ("best_on", "within_two")]
    factors = [row[name] for name in FACTORS]
    cells = [Shown("not kept", x) if math.isinf(x) else x for x in factors]
    held = [Shown(percent(row[name]), row[name]) for name in ("kept", "keeps_on")]
    rank = Interval(row["mean_rank"], row["ci_low"], row["ci_high"])
    return [labels[row["policy"]], rank, *shares, *cells, *held]


def markdown(
    atlas: Atlas, labels: Mapping[str, str], title: str, bound: str, horizon: int, runs: int
) -> str:
    """The sentences, and one table per criterion."""
    count = atlas.problems["problem"].nunique()
    parts = [f"# {markdown_text(title)}"]
    parts += [f"{count:,} problems, {bound}, T = {horizon:,}, runs of each policy: {runs:,}."]
    said = [f"{i}. {markdown_text(text)}" for i, text in enumerate(sentences(atlas, labels), 1)]
    parts += ["\n".join(said)]
    for table in tables(atlas, labels):
        parts += [f"## {table.title}", table.markdown().rstrip()]
    return "\n\n".join(parts) + "\n"
