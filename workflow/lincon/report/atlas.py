"""What an atlas says: sentences that its numbers justify, and its ranks as a table."""

import math
from collections.abc import Mapping

import pandas as pd

from lincon.analysis.atlas import Atlas
from lincon.report.table import Interval, Shown, Table, document
from lincon.report.text import listed, markdown_text, number, one_line, percent

NOTE = """\
Policies that keep the floor in at least 80% of their runs come first on each problem, then those
that sometimes do, then those that never do, each by joint regret J; ranks are averaged over
problems. A factor is J over the lowest of all policies on the same problem, whether or not that
policy keeps the floor."""
FACTORS = {
    "median_factor": "J factor: median",
    "q90_factor": "90%",
    "worst_factor": "worst",
    "long_factor": "long T: median",
    "long_worst_factor": "long T: worst",
}


def sentences(atlas: Atlas, labels: Mapping[str, str]) -> list[str]:
    """Who ranks first; what that costs; where it changes; who has the lowest J of all."""
    names = {policy: one_line(label) for policy, label in labels.items()}
    first = next(iter(names.values()))
    best = atlas.ranks.iloc[0]
    lowest = atlas.ranks.loc[atlas.ranks["relative"].idxmin()]
    said = [_overall(atlas, names), _cost(best, names, first), _along_slack(atlas, names)]
    if lowest["policy"] != best["policy"]:
        said.append(
            f"{_cost(lowest, names, first)} That is the lowest; it keeps the floor on "
            f"{percent(lowest['keeps_on'])} of the problems."
        )
    return said


def _overall(atlas: Atlas, names: Mapping[str, str]) -> str:
    best, others = atlas.ranks.iloc[0], atlas.ranks.iloc[1:]
    text = (
        f"Over {best['n_problems']:,} problems {names[best['policy']]} ranks first, feasibility "
        f"before joint regret: mean rank {Interval.of(best, 'mean_rank', ends='ci')} of "
        f"{len(atlas.ranks)}. It keeps the floor on {percent(best['keeps_on'])} of them"
    )
    tied = others[~(others["behind_low"] > 0.0)]
    if len(tied):
        rest = listed([names[policy] for policy in tied["policy"]])
        return f"{text}; its rank is not significantly different from that of {rest}."
    if others.empty:
        return f"{text}."
    second = others.iloc[0]
    behind = Interval.of(second, "behind")
    return f"{text}; the next, {names[second['policy']]}, is {behind} ranks behind (paired)."


def _cost(row: pd.Series, names: Mapping[str, str], first: str) -> str:
    middle, tail, worst = (number(row[f"{q}_factor"]) for q in ("median", "q90", "worst"))
    text = (
        f"The joint regret of {names[row['policy']]} is {number(row['relative'])} times that of "
        f"{first} (geometric mean), and {middle} times the lowest on the median problem, {tail} "
        f"times or more on one in ten, {worst} times on the worst"
    )
    if math.isfinite(row["long_factor"]):
        text += (
            f"; over the long horizon {number(row['long_factor'])} times on the median problem, "
            f"{number(row['long_worst_factor'])} times on the worst"
        )
    return f"{text}."


def _along_slack(atlas: Atlas, names: Mapping[str, str]) -> str:
    """Who ranks first most often at the smallest and at the largest slack."""
    problems, parts = atlas.problems, []
    for slack in sorted({problems["slack"].min(), problems["slack"].max()}):
        here = problems[problems["slack"] == slack]
        won = here[here["rank"] == 1.0]["policy"].value_counts()
        if won.empty:
            return "On no problem is one policy alone the best."
        most = listed([names[str(policy)] for policy in won.index[won == won.iloc[0]]])
        count, kept = here["problem"].nunique(), (here["best"] & (here["group"] == "kept")).sum()
        parts.append(
            f"at a slack of {slack:g} somebody keeps the floor on {kept} of {count:,} problems, "
            f"and {most} ranks first on {won.iloc[0]}"
        )
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}."


def table(atlas: Atlas, labels: Mapping[str, str]) -> Table:
    headings = ["policy", "mean rank (95%)", "ranks first on", "keeps the floor on"]
    headings += ["runs that kept it", f"J / J({one_line(next(iter(labels.values())))})"]
    rows = []
    for _, row in atlas.ranks.iterrows():
        shares = [Shown(percent(row[n]), row[n]) for n in ("first_on", "keeps_on", "kept")]
        numbers = [row[name] for name in ("relative", *FACTORS)]
        rows.append(
            [labels[row["policy"]], Interval.of(row, "mean_rank", ends="ci"), *shares, *numbers]
        )
    title = "Feasibility first, then joint regret"
    return Table([*headings, *FACTORS.values()], rows, title, "ranks", NOTE)


def markdown(
    atlas: Atlas, labels: Mapping[str, str], title: str, bound: str, horizon: int, runs: int
) -> str:
    count, made = atlas.problems["problem"].nunique(), table(atlas, labels)
    about = f"{count:,} problems, {bound}, T = {horizon:,}, {runs:,} runs of each policy."
    said = [f"{i}. {markdown_text(text)}" for i, text in enumerate(sentences(atlas, labels), 1)]
    parts = (about, "\n".join(said), f"## {made.title}", made.markdown(), NOTE)
    return document(markdown_text(title), "", *parts)
