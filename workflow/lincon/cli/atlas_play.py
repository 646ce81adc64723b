"""The job of an atlas: play a block of problems with all its policies and runs in one process."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

    from lincon.data.arms import Arms
    from lincon.problem.record import Problem

# Only the last round counts; a run is recorded in its first round too.
POINTS = 2


def play_block(job: Mapping[str, Any]) -> pd.DataFrame:
    """How every run of every policy ended on each problem of a block."""
    import pandas as pd

    frames = []
    for item in job["problems"]:
        longer = job["long_horizon"] and item["problem"] % job["long_every"] == 0
        for horizon in (job["horizon"], *([job["long_horizon"]] if longer else [])):
            frames.append(_of_problem({**job, "horizon": horizon}, item))
    return pd.concat(frames, ignore_index=True)


def _of_problem(job: Mapping[str, Any], item: Mapping[str, Any]) -> pd.DataFrame:
    """The outcomes on one problem, with what the problem is."""
    from lincon.analysis.measures import outcomes
    from lincon.data.sources import extract
    from lincon.problem.record import require_feasible
    from lincon.problem.solve import solve_problem

    # No name: random numbers are keyed by it, and the same for all problems.
    arms = extract(item["entry"], [], "")
    problem = solve_problem(arms, job["eta"])
    require_feasible(problem)
    series = {player["policy"]: _series(job, player, arms, problem) for player in job["players"]}
    frame = outcomes(series, arms, problem, job["runs"])
    for place, key in enumerate(("arms", "slack", "correlation", "near_optimal", "seed")):
        frame.insert(place, key, item["entry"][key])
    frame.insert(0, "horizon", job["horizon"])
    frame.insert(0, "dataset", item["dataset"])
    frame.insert(0, "problem", item["problem"])
    return frame


def _series(
    job: Mapping[str, Any], player: Mapping[str, Any], arms: Arms, problem: Problem
) -> pd.DataFrame:
    import pyarrow as pa

    from lincon.engine.simulate import Setting, simulate
    from lincon.policies.own import check_unchanged
    from lincon.policies.registry import make_policy

    policy = make_policy(player["policy"], player["entry"])
    check_unchanged(policy, player["source"])
    shared = {
        "dataset": arms.dataset,
        "policy": policy,
        "points": POINTS,
        "engine": player["engine"],
        "goal": job["eta"],
        **{key: job[key] for key in ("horizon", "seed")},
    }
    runs = [simulate(Setting(run=n, **shared), arms, problem) for n in range(job["runs"])]
    return pa.concat_tables([run.series for run in runs]).to_pandas()
