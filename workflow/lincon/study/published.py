"""Which experiments have published runs of their setting, and which policies played them."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from lincon.policies.registry import make_policy
from lincon.problem.goal import Goal
from lincon.study.plan import Plan, settings_hash

# The authors' names of their two policies, and what these are here.
AUTHORS = {
    "lincon_ts": {"estimator": "beta_sample", "selector": "lp"},
    "lincon_kl_ucb": {"estimator": "kl_ucb", "selector": "lp"},
}


class Published(NamedTuple):
    """A published file and, by the id of each policy of ours, the authors' name for the same."""

    file: str
    entry: dict[str, Any]
    policies: dict[str, str]


def published_of(config: Mapping[str, Any], plan: Plan, name: str) -> Published | None:
    """The published runs of an experiment's setting: its dataset, floor and horizon."""
    experiment = plan.experiments[name]
    if not config["published"] or config["data"] == "standin" or experiment.is_sweep:
        return None
    point = experiment.points[0]
    # By what a policy is, not by its name; of two that are the same, the first.
    made = {n: make_policy(n, spec) for n, spec in AUTHORS.items()}
    theirs = {settings_hash(policy, config["points"]): n for n, policy in made.items()}
    played = {one: theirs.pop(plan.players[one].settings, "") for one in point.policies}
    policies = {one: author for one, author in played.items() if author}
    goal = Goal.from_dict(plan.goals[point.constraints])
    for file, entry in plan.datasets[point.dataset].get("published_runs", {}).items():
        same = (goal.eta, point.horizon) == (entry["eta"], entry["horizon"])
        # Arms whose numbers an experiment replaces are other arms.
        if same and policies and "@" not in point.dataset:
            return Published(file, entry, policies)
    return None
