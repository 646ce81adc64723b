"""The lines of code that put a study's winner into a service."""

from lincon.analysis.league import KEPT
from lincon.analysis.results import Results

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
    """The constructor of the best keeper that has a class, with the user's own file and history.

    Empty where nobody keeps the promise, and where no keeper has a class.
    """
    ranked, goal = results.ranked, results.problem.goal
    labels = [results.labels[one] for one in ranked[ranked["group"] == KEPT]["policy"]]
    capped = any(one.sense == "at_most" for one in goal.constraints)
    able = [one for one in labels if one in CLASSES and not (capped and one == "LinCon-KL-UCB")]
    if not able:
        return ""
    name = CLASSES[able[0]]
    note = "" if able[0] == labels[0] else f"# {able[0]}: the best that has a class for a service\n"
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
    return f"{note}{made}decision = policy.decide()\npolicy.update(decision.id, event)"
