"""What is said where every run drew its own means from the counts behind them."""

from __future__ import annotations

from lincon.analysis.results import Results
from lincon.analysis.runs import INFEASIBLE_RUNS
from lincon.data.arms import POSTERIOR
from lincon.report.text import counted


def drawn(results: Results) -> bool:
    return results.arms.means == POSTERIOR


def like_these(results: Results, promise: str) -> str:
    """What the answer holds for, and which runs it leaves out; empty where means are given."""
    if not drawn(results):
        return ""
    left_out = int(results.metadata.get(INFEASIBLE_RUNS, 0))
    text = (
        "Every run drew its means from the posterior of your counts and is held against its own "
        "optimum: this holds for arms like these, and intervals include how little is known of them"
    )
    if not left_out:
        return f"{text}."
    return (
        f"{text}. {counted(left_out, 'run')} of {results.runs + left_out} drew means with which no "
        f"mixture keeps {promise}; {'it is' if left_out == 1 else 'they are'} left out."
    )
