"""The job of an atlas: play a block of problems with all its policies and runs in one process."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pandas as pd
import pyarrow as pa

from lincon.analysis.measures import outcomes
from lincon.data.sources import extract
from lincon.engine.simulate import Setting, simulate
from lincon.policies.own import check_unchanged
from lincon.policies.registry import make_policy
from lincon.problem.record import require_feasible
from lincon.problem.solve import solve_problem

# Only the last round counts; a run is recorded in its first round too.
POINTS = 2
SHOWN = ("arms", "slack", "correlation", "near_optimal", "seed")


def play_block(job: Mapping[str, Any]) -> pd.DataFrame:
    """How every run of every policy ended on each problem of a block."""
    frames = []
    for item in job["problems"]:
        longer = job["long_horizon"] and item["problem"] % job["long_every"] == 0
        for horizon in (job["horizon"], *([job["long_horizon"]] if longer else [])):
            known = {"problem": item["problem"], "dataset": item["dataset"], "horizon": horizon}
            known |= {key: item["entry"][key] for key in SHOWN}
            ended = _of_problem(job, item["entry"], horizon)
            frames.append(ended.assign(**known)[[*known, *ended]])
    return pd.concat(frames, ignore_index=True)


def _of_problem(job: Mapping[str, Any], entry: Mapping[str, Any], horizon: int) -> pd.DataFrame:
    # No name: random numbers are keyed by it, and the same for all problems.
    arms = extract(entry, [], "")
    problem = solve_problem(arms, job["eta"])
    require_feasible(problem)
    series = {}
    for player in job["players"]:
        policy = make_policy(player["policy"], player["entry"])
        check_unchanged(policy, player["source"])
        setting = Setting(
            arms.dataset, job["eta"], horizon, policy, 0, job["seed"], POINTS, player["engine"]
        )
        numbered = (replace(setting, run=number) for number in range(job["runs"]))
        runs = [simulate(one, arms, problem).series for one in numbered]
        series[player["policy"]] = pa.concat_tables(runs).to_pandas()
    return outcomes(series, arms, problem)
