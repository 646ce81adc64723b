"""The policies that every config and the Python API know by name (docs/policies.md).

A config may change a key of one (`policies: {lincon_kl_ucb: {c: 3}}`) and add its own.
"""

from collections.abc import Mapping
from typing import Any

STANDARD: dict[str, dict[str, Any]] = {
    # The paper's two.
    "lincon_ts": {"label": "LinConTS", "estimator": "beta_sample"},
    "lincon_kl_ucb": {
        "label": "LinCon-KL-UCB",
        "estimator": "kl_ucb",
        "c": 0,  # the weight of log log t in the index, as in the published experiments
    },
    # The literature.
    "con_ucb": {
        "label": "Con-UCB",
        "estimator": "ucb1",
        "explore": 0.75,
        "origin": "adapted",
        "differs": "one arm per round; log t in place of log T",
    },
    "ts_paced": {
        "label": "TS paced",
        "estimator": "beta_sample",
        "target": "paced",
        "fallback": "greedy",
        "origin": "adapted",
        "differs": "a floor in place of an inventory",
    },
    # Recommended: anytime, and for a known horizon with prompt events.
    "ts_ledger": {
        "label": "TS ledger",
        "estimator": "beta_sample",
        "prior": "learned",
        "steering": "ledger",
        "fallback": "greedy",
    },
    "gittins_ledger": {
        "label": "Gittins ledger",
        "estimator": "gittins",
        "prior": "learned",
        "target": "paced",
        "steering": "ledger",
        "fallback": "greedy",
        "ramp": 0.5,
        "spread": 1,
        "reserve": 0.5,
        "allowance": 4,
    },
    # Baselines that ignore the constraints.
    "thompson": {"label": "Thompson sampling", "estimator": "beta_sample", "target": "none"},
    "kl_ucb": {"label": "KL-UCB", "estimator": "kl_ucb", "target": "none"},
    # Reference: knows the means.
    "oracle": {"label": "Oracle", "estimator": "truth"},
    # Baseline: learns nothing.
    "uniform": {"label": "Uniform", "estimator": "none"},
}


def with_standard(policies: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """The standard policies with these keys changed, and further ones.

    An entry that names another estimator or a Python class replaces the standard one.
    """
    merged = {name: dict(entry) for name, entry in STANDARD.items()}
    for name, entry in policies.items():
        new = name not in merged or {"estimator", "python"} & set(entry)
        merged[name] = dict(entry) if new else merged[name] | dict(entry)
    return merged
