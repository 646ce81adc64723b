"""Which experiments have published runs of their setting, and which policies played them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from lincon.policies.registry import make_policy
from lincon.problem.goal import Goal
from lincon.study.plan import POINTS, Plan, settings_hash

# The authors' names of their two policies, and what these are here.
AUTHORS = {
    "lincon_ts": {"estimator": "beta_sample", "selector": "lp"},
    "lincon_kl_ucb": {"estimator": "kl_ucb", "selector": "lp"},
}
# What an entry of `published_runs` says of the runs; its other keys say how to get the file.
SETTING = ("eta", "horizon")


@dataclass(frozen=True)
class Published:
    """A published file and, by the id of each policy of ours, the authors' name for the same."""

    file: str
    entry: dict[str, Any] = field(hash=False)
    policies: dict[str, str] = field(hash=False)


def published_of(config: Mapping[str, Any], plan: Plan, name: str) -> Published | None:
    """The published runs of an experiment's setting: its dataset, floor and horizon."""
    experiment = plan.experiments[name]
    if not config["published"] or config["data"] == "standin" or experiment.is_sweep:
        return None
    point = experiment.points[0]
    goal = Goal.from_dict(plan.goals[point.constraints])
    policies = _counterparts(plan, point.policies)
    for file, entry in plan.datasets[point.dataset].get("published_runs", {}).items():
        same = (goal.eta, point.horizon) == (entry["eta"], entry["horizon"])
        # Arms whose numbers an experiment replaces are other arms.
        if same and policies and "@" not in point.dataset:
            return Published(file, entry, policies)
    return None


def fetched_keys(entry: Mapping[str, Any]) -> dict[str, Any]:
    """The keys by which the file is got."""
    return {key: entry[key] for key in entry if key not in SETTING}


def _counterparts(plan: Plan, policies: Mapping[str, str]) -> dict[str, str]:
    """By what a policy is, not by its name; of two that are the same, the first."""
    meanings = {settings_hash(make_policy(n, spec), POINTS): n for n, spec in AUTHORS.items()}
    found: dict[str, str] = {}
    for identity in policies:
        player = plan.players[identity]
        meaning = settings_hash(make_policy(player.name, player.entry), POINTS)
        if meaning in meanings and meanings[meaning] not in found.values():
            found[identity] = meanings[meaning]
    return found
