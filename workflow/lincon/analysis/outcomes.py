"""How each run ended: one row a policy and run, what is ranked, tested and drawn at T."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from lincon.analysis.metrics import BASES, check_complete, per_run, without_rounding
from lincon.problem.record import Problem


def outcomes(series: Mapping[str, pd.DataFrame], problem: Problem, runs: int) -> pd.DataFrame:
    """Per basis: regret, violation (clipped), composite, reward, events, and the signed two.

    `worst_deficit` is how far the events were ever below the floor, `last_deficit` the last round
    in which they were (0: never); both are realised.
    """
    parts = []
    for policy, frame in series.items():
        check_complete(frame, runs, policy)
        parts.append(_of_policy(policy, frame.sort_values(["run", "t"]), problem))
    return pd.concat(parts, ignore_index=True)


def _of_policy(policy: str, frame: pd.DataFrame, problem: Problem) -> pd.DataFrame:
    last = frame.groupby("run").last()
    t = last["t"].to_numpy(dtype=float)
    columns: dict[str, object] = {"policy": policy, "run": last.index.to_numpy()}
    for basis in BASES:
        prefix = "expected_" if basis == "expected" else ""
        reward, events = (last[f"{prefix}{name}"].to_numpy(float) for name in ("reward", "events"))
        columns[f"reward_{basis}"], columns[f"events_{basis}"] = reward, events
        values = per_run(frame, problem, basis)
        for metric in ("regret", "violation", "composite"):
            columns[f"{metric}_{basis}"] = values[metric][:, -1] if metric in values else np.nan
        optimum = problem.optimum if problem.feasible else np.nan
        columns[f"signed_regret_{basis}"] = without_rounding(t * optimum - reward, t)
        columns[f"signed_violation_{basis}"] = without_rounding(t * problem.eta - events, t)
    worst, last_round = _deficits(frame, problem)
    columns["floor_met"] = columns["violation_realised"] == 0.0
    return pd.DataFrame(columns | {"worst_deficit": worst, "last_deficit": last_round})


def _deficits(frame: pd.DataFrame, problem: Problem) -> tuple[np.ndarray, np.ndarray]:
    """Of every round where the run kept count, else of the recorded rounds alone."""
    if {"worst_shortfall_0", "last_shortfall_0"} <= set(frame.columns):
        last = frame.groupby("run").last()
        return last["worst_shortfall_0"].to_numpy(float), last["last_shortfall_0"].to_numpy(float)
    short = per_run(frame, problem, "realised")["violation"]
    t = np.unique(frame["t"])
    return short.max(axis=1), np.max(np.where(short > 0.0, t, 0), axis=1).astype(float)
