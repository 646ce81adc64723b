"""Play a block of an atlas' problems, with all its policies and runs, in one process."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

    from lincon.data.arms import Arms
    from lincon.problem.record import Problem

ARGUMENTS = {"--out": {"type": Path, "required": True, "help": "the outcomes to write"}}
# Only the last round counts; a run is recorded in its first round too.
POINTS = 2


@dataclass(frozen=True)
class Settings:
    """Everything that the outcomes depend on, besides the code."""

    # Each with its number, the name of its dataset and its entry of kind `generated`.
    problems: list[dict[str, Any]]
    # Each with `policy`, `entry` and `engine`; with `source` where it is a class of the user's.
    players: list[dict[str, Any]]
    eta: float
    horizon: int
    runs: int
    seed: int


def run(settings: Settings, args: argparse.Namespace) -> None:
    import pandas as pd

    from lincon.files import write_frame
    from lincon.fingerprint import fingerprint

    frames = [_of_problem(settings, problem) for problem in settings.problems]
    code = args.code or fingerprint("engine")
    write_frame(args.out, pd.concat(frames, ignore_index=True), {"code": code})


def _of_problem(settings: Settings, item: dict[str, Any]) -> pd.DataFrame:
    """How every run of every policy ended on one problem, with what the problem is."""
    from lincon.analysis.outcomes import outcomes
    from lincon.data import kinds
    from lincon.problem.record import require_feasible
    from lincon.problem.solve import solve_problem

    arms = kinds.parse(item["entry"]).extract([], item["dataset"])
    problem = solve_problem(arms, settings.eta)
    require_feasible(problem)
    series = {
        player["policy"]: _series(settings, player, arms, problem) for player in settings.players
    }
    frame = outcomes(series, problem, settings.runs)
    for place, key in enumerate(("arms", "slack", "correlation", "near_optimal", "seed")):
        frame.insert(place, key, item["entry"][key])
    frame.insert(0, "dataset", item["dataset"])
    frame.insert(0, "problem", item["problem"])
    return frame


def _series(
    settings: Settings, player: dict[str, Any], arms: Arms, problem: Problem
) -> pd.DataFrame:
    import pyarrow as pa

    from lincon.engine.simulate import Setting, simulate
    from lincon.policies.own import check_unchanged
    from lincon.policies.registry import make_policy

    policy = make_policy(player["policy"], player["entry"])
    check_unchanged(policy, player.get("source", ""))
    runs = [
        Setting(
            dataset=arms.dataset,
            goal=settings.eta,
            horizon=settings.horizon,
            policy=policy,
            run=number,
            seed=settings.seed,
            points=POINTS,
            engine=player["engine"],
        )
        for number in range(settings.runs)
    ]
    return pa.concat_tables([simulate(run, arms, problem).series for run in runs]).to_pandas()
