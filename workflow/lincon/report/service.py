"""The lines of code that put a study's winner into a service.

A policy is recognised by its config entry, never by its label.
"""

import json
from collections.abc import Mapping
from typing import Any

from lincon.analysis.league import KEPT
from lincon.analysis.results import Results
from lincon.data.arms import Arms
from lincon.errors import UserError
from lincon.online import GittinsLedger, LinConKLUCB, LinConTS, TSLedger
from lincon.policies.registry import Policy, make_policy
from lincon.policies.standard import STANDARD
from lincon.problem.goal import Goal

# By name, the config entry that a class of lincon.online plays.
CLASSES = {
    cls.__name__: STANDARD[cls.STANDARD] for cls in (LinConTS, LinConKLUCB, TSLedger, GittinsLedger)
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


def service(results: Results) -> str:
    """Code that constructs the best keeper that has a class, on the user's CSV and history.

    Empty where the arms are from no such file, where no policy keeps the constraints, and where no
    keeper has a class.
    """
    ranked, arms = results.ranked, results.arms
    keepers = list(ranked[ranked["group"] == KEPT]["policy"])
    classes = {policy: class_of(results.policies[policy].get("policy", {})) for policy in keepers}
    able = [policy for policy in keepers if classes[policy]]
    if not able or arms.source != "user" or not arms.address.endswith(".csv"):
        return ""
    better = able[0] != keepers[0]
    note = f"# {results.labels[able[0]]}: the best that has a class\n" if better else ""
    return note + code(classes[able[0]], results.problem.goal, arms, results.horizon)


def code(name: str, goal: Goal, arms: Arms, horizon: int) -> str:
    """Code that constructs a class of lincon.online on the file of these arms."""
    reading = json.loads(arms.reading or "{}")
    read = ", ".join([repr(arms.address), *(f"{key}={held!r}" for key, held in reading.items())])
    asked = f"goal={goal.to_dict()}" if goal.eta is None else f"floor={goal.eta!r}"
    arguments = ["arms", asked, "history=history"]
    arguments += [f"horizon={horizon}"] * (name == GittinsLedger.__name__)
    if arms.kinds:
        arguments.append(f"kinds={dict(zip(arms.kinds, arms.kind_shares.tolist(), strict=True))}")
    kind = f"kind={arms.kinds[0]!r}" if arms.kinds else ""
    return (
        f"from lincon.online import {name}, read_arms\n\n"
        f"arms, history = read_arms({read})\n"
        f"policy = {name}({', '.join(arguments)})\n"
        f"decision = policy.decide({kind})\n"
        "policy.update(decision.id, event)"
    )
