"""Choose each policy's exploration knob on generated problems, for the bench to use on other arms.

    .venv/bin/python benchmarks/knobs.py        # about three minutes of CPU

Every policy of config.yaml that learns is played with its knob (`explore`; `uniform_rate` of
epsilon-greedy) at several multiples of the default. What counts is the geometric mean over the
problems of joint regret divided by that of LinConTS; beside it how many runs kept the floor.
"""

import itertools
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "workflow"))

import numpy as np  # noqa: E402
import pandas as pd  # noqa: E402
import yaml  # noqa: E402

from lincon.cli.atlas_play import play_block  # noqa: E402
from lincon.policies.registry import engine_of, make_policy  # noqa: E402
from lincon.study.config import engine_keys  # noqa: E402

POLICIES = (
    *("lincon_ts", "lincon_kl_ucb", "con_ucb", "ts_ledger", "ts_ledger_learned", "opb"),
    *("queue_ts", "pess_opt", "bwk_primal_dual", "bwk_ts", "eps_greedy_lp"),
)
MULTIPLES = (0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0)
FLOOR, HORIZON, RUNS = 0.5, 10_000, 4
# Seeds that no atlas uses.
PROBLEMS = [
    {"kind": "generated", "label": "x", "recipe": recipe, "arms": arms, "slack": slack}
    | {"floor": FLOOR, "seed": 900_000 + k, "correlation": correlation, "near_optimal": 0}
    for k, (recipe, arms, slack, correlation) in enumerate(
        itertools.product(["uniform", "rare_events"], [8, 25, 60], [0.05, 0.2], [-0.5])
    )
]


def variants() -> dict[str, dict[str, object]]:
    """name@multiple -> the entry with its knob at that multiple of the default."""
    entries = yaml.safe_load((ROOT / "config" / "config.yaml").read_text())["policies"]
    found = {}
    for name in POLICIES:
        spec = engine_keys(entries[name])
        default = make_policy(name, spec).parameters
        knob = "uniform_rate" if "uniform_rate" in default else "explore"
        for multiple in MULTIPLES:
            found[f"{name}@{multiple:g}"] = spec | {knob: default[knob] * multiple}
    return found


def main() -> None:
    entries = variants()
    job = {
        "problems": [
            {"problem": k, "dataset": f"knobs{k}", "entry": entry}
            for k, entry in enumerate(PROBLEMS)
        ],
        "players": [
            {"policy": name, "entry": entry, "source": ""}
            | {"engine": engine_of(make_policy("p", entry), "lazy")}
            for name, entry in entries.items()
        ],
        "eta": FLOOR,
        "horizon": HORIZON,
        "runs": RUNS,
        "seed": 7,
        "long_horizon": 0,
        "long_every": 1,
    }
    ended = play_block(job)
    joint = ended.pivot_table(index="policy", columns="problem", values="joint_realised")
    ratio = joint / joint.loc["lincon_ts@1"]
    found = pd.DataFrame(
        {
            "joint regret / LinConTS": np.exp(np.log(ratio).mean(axis=1)),
            "worst": ratio.max(axis=1),
            "kept": ended.groupby("policy")["kept"].mean(),
        }
    ).loc[list(entries)]
    print(found.round(3).to_string())
    names = found.index.str.rpartition("@").get_level_values(0)
    best = found["joint regret / LinConTS"].groupby(names, sort=False).idxmin()
    print("\nlowest:", ", ".join(best))


if __name__ == "__main__":
    main()
