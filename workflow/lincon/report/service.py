"""The lines of code that put a study's winner into a service."""

from lincon.analysis.league import KEPT
from lincon.analysis.results import Results
from lincon.report.sentences import best_of

# Policies of the config, by label, that have a class in lincon.online.
CLASSES = {
    "LinConTS": "LinConTS",
    "LinCon-KL-UCB": "LinConKLUCB",
    "TS ledger": "Ledger",
    "TS ledger, learned prior": "LearnedLedger",
}


def own_file(results: Results) -> str:
    """The CSV that the user's own arms are from."""
    arms = results.arms
    return arms.address if arms.source == "user" and arms.address.endswith(".csv") else ""


def service(results: Results) -> str:
    """Its constructor, with the user's own file and its history.

    Empty where nobody keeps the promise, and where the winner has no class.
    """
    row, goal = best_of(results), results.problem.goal
    kept = None if row is None or row["group"] != KEPT else row["policy"]
    name = CLASSES.get(results.labels[kept]) if kept else None
    capped = any(one.sense == "at_most" for one in goal.constraints)
    if name is None or (name == "LinConKLUCB" and capped):
        return ""
    promise = f"goal={goal.to_dict()}" if goal.eta is None else f"eta={goal.eta:g}"
    if file := own_file(results):
        made = (
            f"from lincon.online import {name}, read_arms\n\n"
            f"arms, history = read_arms({file!r})\n"
            f"policy = {name}(arms, {promise}, prior=history)\n"
        )
    else:
        made = (
            f"from lincon.online import {name}\n\n"
            f"policy = {name}({{...}}, {promise})  # arm -> value, or its columns\n"
        )
    return f"{made}decision = policy.decide()\npolicy.update(decision.id, event)"
