"""What is said of runs with their own means, with a history, with drift or with late feedback."""

from __future__ import annotations

from lincon.analysis.results import Results
from lincon.analysis.runs import INFEASIBLE_RUNS
from lincon.data.arms import POSTERIOR, WARM
from lincon.report.text import counted


def drawn(results: Results) -> bool:
    return results.arms.means == POSTERIOR


def of_which_means(results: Results) -> str:
    """How a sentence about the best mixture begins."""
    if "drift" in results.arms.world:
        return "At the means of the first round the"
    return "At the posterior means the" if drawn(results) else "The"


def with_history(results: Results) -> str:
    if results.arms.start != WARM:
        return ""
    return (
        "Policies began with your counts and tried no arm just to try it: this is what they cost "
        "with your history."
    )


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


def surprises(results: Results) -> str:
    """What the runs met that the theory does not know, in one sentence."""
    met = {"delay": "feedback came late or never", "drift": "the means drifted"}
    found = " and ".join(text for key, text in met.items() if f'"{key}"' in results.arms.world)
    if not found:
        return ""
    against = "; each round is held against its own optimum" if results.own_optimum else ""
    return f"{found[0].upper()}{found[1:]}{against}: no lower bound or theorem applies."
