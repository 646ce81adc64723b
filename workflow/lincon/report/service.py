"""The lines of code that put a study's winner into a service.

A policy is recognised by its config entry, never by its label.
"""

import json
from collections.abc import Mapping
from typing import Any

from lincon.analysis.league import KEPT
from lincon.analysis.results import Results
from lincon.errors import UserError
from lincon.policies.registry import Policy, make_policy
from lincon.policies.standard import STANDARD

LINCON_TS, LINCON_KL_UCB = "LinConTS", "LinConKLUCB"
TS_LEDGER, GITTINS_LEDGER = "TSLedger", "GittinsLedger"
# Class of lincon.online -> the config entry that it plays.
CLASSES = {
    LINCON_TS: STANDARD["lincon_ts"],
    LINCON_KL_UCB: STANDARD["lincon_kl_ucb"],
    TS_LEDGER: STANDARD["ts_ledger"],
    GITTINS_LEDGER: STANDARD["gittins_ledger"],
}
# Keys of an entry that say nothing of what is played.
DESCRIPTIVE = {"name", "label", "colour", "origin", "needs", "differs", "reference"}


def class_of(entry: Mapping[str, Any]) -> str:
    """The class of lincon.online that plays as this config entry; empty where there is none."""
    played = _played(entry)
    same = (name for name, known in CLASSES.items() if _played(known) == played)
    return next(same, "") if played else ""


def _played(entry: Mapping[str, Any]) -> Policy | None:
    """What a config entry plays, whatever it is called."""
    try:
        return make_policy("", {key: entry[key] for key in entry if key not in DESCRIPTIVE})
    except UserError:
        return None


def user_file(results: Results) -> str:
    """The CSV that the user's arms are from."""
    arms = results.arms
    return arms.address if arms.source == "user" and arms.address.endswith(".csv") else ""


def service(results: Results) -> str:
    """Code that constructs the best keeper that has a class, on the user's file and history.

    Empty where no policy keeps the constraints, and where no keeper has a class.
    """
    ranked = results.ranked
    keepers = list(ranked[ranked["group"] == KEPT]["policy"])
    entries = {policy: results.policies[policy].get("policy", {}) for policy in keepers}
    able = [policy for policy in keepers if class_of(entries[policy])]
    if not able:
        return ""
    name = class_of(entries[able[0]])
    best = results.labels[able[0]]
    note = "" if able == keepers[: len(able)] else f"# {best}: the best that has a class\n"
    goal = results.problem.goal
    asked = f"goal={goal.to_dict()}" if goal.eta is None else f"floor={goal.eta:g}"
    arguments = [asked, *[f"horizon={results.horizon}"] * (name == GITTINS_LEDGER)]
    if file := user_file(results):
        chosen = where(results)
        rows = f", where={chosen}" if chosen else ""
        arguments.append("history=history")
        constructed = (
            f"from lincon.online import {name}, read_arms\n\n"
            f"arms, history = read_arms({file!r}{rows})\n"
            f"policy = {name}(arms, {', '.join(arguments)})\n"
        )
    else:
        constructed = (
            f"from lincon.online import {name}\n\n"
            f"policy = {name}({{...}}, {', '.join(arguments)})  # arm -> value, or its columns\n"
        )
    return f"{note}{constructed}decision = policy.decide()\npolicy.update(decision.id, event)"


def where(results: Results) -> dict[str, Any]:
    """The rows of the user's file that are arms, as in the dataset's key `where`."""
    return dict(json.loads(getattr(results.arms, "chosen", "") or "{}"))
