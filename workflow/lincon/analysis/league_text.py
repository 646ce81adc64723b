"""The league as Markdown and LaTeX, and its answer in three sentences."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from lincon.analysis.table import Table, latex_file
from lincon.analysis.text import markdown_text, number, one_line, with_interval
from lincon.data.arms import Arms
from lincon.problem.record import Problem

HEADINGS = (
    "rank",
    "policy",
    "composite regret (95%)",
    "behind the best (95%)",
    "p (Holm)",
    "floor met at T",
    "worst deficit",
    "floor kept from round",
)
NOT_KEPT = "not by T"
NOTE = (
    "Composite regret at T on the expected basis, mean over {runs}. Differences are of paired "
    "runs, with their own 95% intervals; p-values are corrected over all pairs of policies (Holm). "
    "Policies that cannot be told from the best share its rank. The worst deficit is the largest "
    "of all runs, in events; the floor is kept from the round after its last deficit (median)."
)

# So many policies that cannot be told from the best are named in a sentence; the league has all.
NAMED = 4


def table(frame: pd.DataFrame, labels: Mapping[str, str]) -> Table:
    return Table(HEADINGS, "ll" + "r" * (len(HEADINGS) - 2), rows(frame, labels))


def rows(frame: pd.DataFrame, labels: Mapping[str, str]) -> list[list[str]]:
    """The cells of the league as plain text, one list a policy."""
    return [_cells(row, labels) for _, row in frame.iterrows()]


def _cells(row: pd.Series, labels: Mapping[str, str]) -> list[str]:
    own = with_interval(row["composite"], row["ci_low"], row["ci_high"])
    behind = "best" if row["behind"] == 0.0 and np.isnan(row["behind_low"]) else ""
    if not np.isnan(row["behind_low"]):
        behind = with_interval(row["behind"], row["behind_low"], row["behind_high"])
    p = "" if np.isnan(row["p_holm"]) else "< 0.001" if row["p_holm"] < 1e-3 else ""
    return [
        row["rank"] or "reference",
        one_line(labels.get(row["policy"], row["policy"])),
        own,
        behind,
        p or ("" if np.isnan(row["p_holm"]) else f"{row['p_holm']:.2g}"),
        f"{row['floor_met']} of {row['n_runs']} runs",
        number(row["worst_deficit"]),
        kept_from(row),
    ]


def kept_from(row: pd.Series) -> str:
    """From which round on the floor is kept, in the median run.

    Where half of the runs do not keep it, the median is between a round and none.
    """
    if row["never_kept"] * 2 >= row["n_runs"]:
        return NOT_KEPT
    return f"{row['rounds_until_kept'] + 1:,.0f}"


def to_markdown(frame: pd.DataFrame, labels: Mapping[str, str], answer: Sequence[str]) -> str:
    lines = ["# Which policy", "", *(markdown_text(each) for each in answer), ""]
    lines += table(frame, labels).markdown()
    return "\n".join([*lines, "", NOTE.format(runs=runs_in_words(frame)), ""])


def to_latex(frame: pd.DataFrame, labels: Mapping[str, str], problem: Problem | None = None) -> str:
    return latex_file({"Which policy": table(frame, labels)}, problem)


def runs_in_words(frame: pd.DataFrame) -> str:
    runs = int(frame["n_runs"].iloc[0])
    return "1 run" if runs == 1 else f"{runs:,} runs"


def chosen(frame: pd.DataFrame) -> pd.Series:
    """The policy to use: of those that cannot be told from the best, the one that keeps the floor.

    That is the one that met it in the most runs, then the one with the smallest worst deficit. If
    none met it in half of its runs it is the best: 3 runs of 100 are no reason over 2.
    """
    tied = frame[frame["tied"] & ~frame["reference"]]
    keeping = tied[~_misses(tied)]
    if keeping.empty:
        return tied.iloc[0]
    return keeping.sort_values(["floor_met", "worst_deficit"], ascending=[False, True]).iloc[0]


def _misses(league: Any) -> Any:
    """Whether a policy (a row), or each of several, missed the floor in most of its runs."""
    return league["floor_met"] * 2 < league["n_runs"]


def answer(
    frame: pd.DataFrame,
    problem: Problem,
    arms: Arms,
    labels: Mapping[str, str],
    horizon: int,
    title: str = "",
    unit: str = "",
    scale: float = 1.0,
) -> list[str]:
    """Which policy, on these arms, at this floor, and what it will cost: three sentences."""
    if not problem.feasible:
        return [
            f"No policy can meet a floor of {rate(problem.eta)} on {title or problem.dataset}: its "
            f"best arm has an event rate of {rate(problem.reachable[0])}."
        ]
    best = chosen(frame)

    def name(policy: object) -> str:
        return one_line(labels.get(str(policy), str(policy)))

    return [
        _which(frame, best, problem, name, horizon, title),
        _cost(best, problem, arms, horizon, unit, scale),
        _floor(frame, best, name),
    ]


def _which(
    frame: pd.DataFrame,
    best: pd.Series,
    problem: Problem,
    name: Callable[[object], str],
    horizon: int,
    title: str,
) -> str:
    ranked = frame[~frame["reference"]]
    where = (
        f"On {one_line(title) or problem.dataset} ({problem.arms:,} "
        f"{'arm' if problem.arms == 1 else 'arms'}) at a floor of {rate(problem.eta)} over "
        f"{horizon:,} rounds, "
    )
    others = [name(p) for p in ranked.loc[ranked["tied"], "policy"] if p != best["policy"]]
    regret = "composite regret of " + with_interval(
        best["composite"], best["ci_low"], best["ci_high"]
    )
    used = name(best["policy"])
    if len(ranked) == 1:
        return f"{where}{used}, the only policy played, has a {regret}."
    # Least regret is no promise: who has a floor to keep must read it first.
    though = ", though it misses the floor" if _misses(best) else ""
    if not others:
        return (
            f"{where}use {used}{though}: its {regret} is the least of "
            f"{len(ranked)} policies, and told apart from the others with {runs_in_words(frame)}."
        )
    # Two that cannot be told from the best may well be told from each other.
    tie = (
        "these two cannot be told apart"
        if len(others) == 1
        else f"the others of these {len(others) + 1} cannot be told from "
        f"{name(ranked['policy'].iloc[0])}, which has the least,"
    )
    first = (
        "as none of them met the floor in half of the runs, the least regret comes first"
        if though
        else f"{used} comes first by how it keeps the floor"
    )
    named = others if len(others) <= NAMED + 1 else [*others[:NAMED], f"{len(others) - NAMED} more"]
    return (
        f"{where}use {used}{though}, with a {regret}, or {listed(named)}: {tie} with "
        f"{runs_in_words(frame)}, and {first}."
    )


def _cost(
    best: pd.Series, problem: Problem, arms: Arms, horizon: int, unit: str, scale: float
) -> str:
    mixture = listed(
        [
            f"{one_line(arms.label[arm])} ({rate(share)})"
            for arm, share in zip(problem.support, problem.shares, strict=True)
        ]
    )
    assert problem.optimum is not None
    of = f" {unit}" if unit else ""
    lost = best["regret"]
    share = f" ({best['share_of_optimum']:.1%} of it)" if problem.optimum > 0 else ""
    events = sum(
        x * float(arms.mean[i]) for i, x in zip(problem.support, problem.shares, strict=True)
    )
    optimum = (
        f"The best possible is {mixture}: {amount(problem.optimum * scale)}{of} a round "
        f"at an event rate of {rate(events)}"
    )
    earned = f"{amount(abs(lost) * scale)}{of} {'less' if lost >= 0 else 'more'}"
    tail = "" if lost >= 0 else ", at the floor's expense"
    return f"{optimum}; over {horizon:,} rounds this policy earned {earned}{share}{tail}."


def _floor(frame: pd.DataFrame, best: pd.Series, name: Callable[[object], str]) -> str:
    worst = f"at worst {amount(best['worst_deficit'])} events below it on the way"
    if best["worst_deficit"] == 0.0:
        worst = "never below it"
    kept = kept_from(best)
    since = f"kept from round {kept} on in the median run"
    if kept == NOT_KEPT:
        missed = f"{best['never_kept']} of {best['n_runs']} runs"
        since = f"not kept for good before the end in {missed}"
    safer = _safer(frame, best)
    other = ""
    if safer is not None:
        # A policy that ties with the best by its own noise may have more than one that does not.
        more = safer["composite"] - best["composite"]
        other = (
            f" (where it must be met at the end, {name(safer['policy'])} did so in "
            f"{safer['floor_met']}, for {amount(abs(more))} {'more' if more >= 0 else 'less'} "
            "composite regret)"
        )
    return (
        f"{name(best['policy'])} met the floor at the end in {best['floor_met']} of "
        f"{best['n_runs']} runs{other}, with an event rate of {best['event_rate']:.2%}; "
        f"it was {worst}, and the floor was {since}."
    )


def _safer(frame: pd.DataFrame, best: pd.Series) -> pd.Series | None:
    """The cheapest policy that met the floor in nine runs of ten, if the chosen one did not."""
    reliable = frame[~frame["reference"] & (frame["floor_met"] >= 0.9 * frame["n_runs"])]
    if best["floor_met"] >= 0.9 * best["n_runs"] or reliable.empty:
        return None
    return reliable.sort_values("composite").iloc[0]


def rate(x: float) -> str:
    return f"{100 * x:.3g}%"


def amount(x: float) -> str:
    return f"{x:,.0f}" if abs(x) >= 99.5 else f"{x:.3g}"


def listed(names: Sequence[str]) -> str:
    if len(names) < 2:
        return "".join(names)
    return ", ".join(names[:-1]) + " and " + names[-1]
