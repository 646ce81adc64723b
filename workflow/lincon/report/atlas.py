"""What an atlas says: who ranks first, and the ranks as a table."""

from collections.abc import Mapping
from typing import Any

from lincon.analysis.atlas import Atlas
from lincon.report.table import Interval, Shown, Table, document
from lincon.report.text import listed, markdown_text, one_line, percent

NOTE = """\
Policies that keep the floor in at least 80% of their runs come first on each problem, then those
that sometimes do, then those that never do, each by joint regret J; ranks are averaged over
problems. A factor is J over the lowest of all policies on the same problem, whether or not that
policy keeps the floor; ratios to the J of one policy are geometric means."""
FACTORS = {
    "median_factor": "J factor: median",
    "q90_factor": "90%",
    "worst_factor": "worst",
    "long_factor": "long T: median",
    "long_worst_factor": "long T: worst",
}


def sentence(atlas: Atlas, labels: Mapping[str, str]) -> str:
    """Who ranks first, and who is not significantly different from it."""
    names = {policy: one_line(label) for policy, label in labels.items()}
    best, others = atlas.ranks.iloc[0], atlas.ranks.iloc[1:]
    text = (
        f"Over {best['n_problems']:,} problems {names[best['policy']]} ranks first, feasibility "
        f"before joint regret: mean rank {Interval.of(best, 'mean_rank')} of {len(atlas.ranks)}. "
        f"It keeps the floor on {percent(best['keeps_on'])} of them"
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


def table(atlas: Atlas, labels: Mapping[str, str]) -> Table:
    headings = ["policy", "mean rank (95%)", "ranks first on", "keeps the floor on"]
    headings += ["runs that kept it", f"J / J({one_line(next(iter(labels.values())))})"]
    rows = []
    for _, row in atlas.ranks.iterrows():
        shares = [Shown(percent(row[n]), row[n]) for n in ("first_on", "keeps_on", "kept")]
        numbers = [row[name] for name in ("relative", *FACTORS)]
        rows.append([labels[row["policy"]], Interval.of(row, "mean_rank"), *shares, *numbers])
    title = "Feasibility first, then joint regret"
    return Table([*headings, *FACTORS.values()], rows, title, "ranks", NOTE)


def markdown(atlas: Atlas, labels: Mapping[str, str], about: Mapping[str, Any]) -> str:
    """`about` has the atlas' title, bound, horizon and runs."""
    count, made = atlas.problems["problem"].nunique(), table(atlas, labels)
    facts = (
        f"{count:,} problems, {about['bound']}, T = {about['horizon']:,}, "
        f"{about['runs']:,} runs of each policy."
    )
    parts = (markdown_text(sentence(atlas, labels)), f"## {made.title}", made.markdown(), NOTE)
    return document(markdown_text(about["title"]), "", facts, *parts)
