"""Results of made-up runs, by the project's own analysis, for the tests of the page."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from lincon.analysis.analyse import Settings, analyse
from lincon.analysis.metrics import summarise
from lincon.analysis.results import Results, make_results
from lincon.data import arms as arm_tables
from lincon.page import Study, Sweep
from lincon.problem.solve import solve_problem

LINKS = [f"link{i}" for i in range(1, 11)]
MEANS = [0.05, 0.10, 0.15, 0.21, 0.26, 0.31, 0.36, 0.42, 0.50, 0.58]
VALUES = [0.95, 0.90, 0.88, 0.90, 0.75, 0.52, 0.50, 0.40, 0.20, 0.11]
HOSTILE = ("<script>alert(1)</script>", "{{7*7}}", "$5 or $10", '=cmd|" /C calc"!A0')
NAMES = (
    *("LinConTS", "LinCon-KL-UCB", "ConUCB", "Thompson", "KL-UCB", "Paced TS", "Safe paced TS"),
    *("Safe paced KL", "Controlled TS", "Queue TS", "Pess-Opt", "Pess-Opt, tuned"),
    *("BwK primal-dual", "BwK TS", "Greedy LP", "Oracle", "Paced oracle", "Uniform"),
)


def policies(count: int, labels: Sequence[str] = NAMES) -> dict[str, dict[str, str]]:
    return {
        f"policy_{i}": {"label": labels[i]} | ({"reference": True} if "racle" in labels[i] else {})
        for i in range(count)
    }


def made_results(
    count: int = 2,
    *,
    name: str = "links",
    title: str = "Links",
    runs: int = 8,
    horizon: int = 5000,
    eta: float = 0.3,
    labels: Sequence[str] = LINKS,
    policy_labels: Sequence[str] = NAMES,
    source: str = "user",
    unit: str = "",
    scale: float = 1.0,
    gap: float = 0.35,
    seed: int = 1,
) -> Results:
    """Results of runs that are drawn from simple curves, the earlier policies better."""
    note = "STAND-IN ARMS, NOT THE REAL DATA" if source == "standin" else ""
    arms = arm_tables.make(MEANS, VALUES, list(labels), dataset=name, source=source, note=note)
    problem = solve_problem(arms, eta)
    names = policies(count, policy_labels)
    rng = np.random.default_rng(seed)
    series = {
        policy: made_series(rng, problem, runs, horizon, strength=0.4 + gap * i)
        for i, policy in enumerate(names)
    }
    plays = {policy: made_plays(rng, policy, problem, runs, horizon) for policy in names}
    settings = Settings(
        runs=runs,
        resamples=200,
        compare=tuple(names)[:2] if count > 1 else None,
        references=tuple(policy for policy, entry in names.items() if "reference" in entry),
    )
    found = analyse(series, plays, problem, arms, settings)
    summary = summarise(series, problem, runs, 200, seed)
    return make_results(
        name, title, names, problem, arms, summary, found, {"code": "0123456789ab"}, unit, scale
    )


def made_series(rng, problem, runs: int, horizon: int, strength: float) -> pd.DataFrame:
    """Regret that grows as log t and violation as its root, with noise that differs by run."""
    t = np.unique(np.geomspace(1, horizon, 60).astype(int))
    frames = []
    for run in range(runs):
        luck = rng.normal(0.0, 0.3 * np.sqrt(t)).cumsum() / np.arange(1, len(t) + 1) ** 0.5
        lost = strength * (1.0 + 0.1 * rng.normal()) * 4.0 * np.log1p(t)
        short = 0.6 * np.sqrt(t) * (1.5 - strength / 4.0 + 0.2 * rng.normal())
        expected_reward = t * (problem.optimum or 0.1) - lost
        expected_events = t * problem.eta - short
        events = np.maximum(expected_events + luck, 0.0)
        frames.append(
            pd.DataFrame(
                {
                    "run": run,
                    "t": t,
                    "reward": np.maximum(expected_reward + 0.3 * luck, 0.0),
                    "events": events,
                    "expected_reward": expected_reward,
                    "expected_events": expected_events,
                    "infeasible": np.minimum(t, 5),
                    "suboptimal": np.minimum(t, 30.0 * strength * np.log1p(t)),
                    "leading": t // 2,
                    "worst_shortfall_0": np.maximum.accumulate(
                        np.maximum(t * problem.eta - events, 0)
                    ),
                    "last_shortfall_0": np.where(rng.random() < 0.5, t // 2, t),
                }
            )
        )
    return pd.concat(frames, ignore_index=True)


def made_plays(rng, policy: str, problem, runs: int, horizon: int) -> pd.DataFrame:
    weight = rng.uniform(0.2, 2.0, problem.arms)
    weight[list(problem.support)] = 20.0
    plays = horizon * weight / weight.sum()
    return pd.DataFrame(
        {
            "policy": policy,
            "arm": np.arange(problem.arms),
            "plays": plays,
            "ci_low": 0.9 * plays,
            "ci_high": 1.1 * plays,
            "expected_plays": plays,
            "n_runs": runs,
        }
    )


def made_sweep(axes: Sequence[str] = ("eta",), count: int = 2) -> Sweep:
    grids = {"eta": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6], "horizon": [1000, 5000, 20000]}
    points = pd.MultiIndex.from_product([grids[axis] for axis in axes], names=axes).to_frame(False)
    names = policies(count)
    rng = np.random.default_rng(3)
    parts = []
    for policy in names:
        for metric in ("regret", "violation", "composite"):
            mean = 20.0 + 80.0 * rng.random(len(points)) + 100.0 * points.get("eta", 0.0)
            parts.append(
                points.assign(
                    policy=policy, metric=metric, basis="expected", mean=mean, std=4.0,
                    ci_low=mean - 5.0, ci_high=mean + 5.0, n_runs=8,
                )
            )  # fmt: skip
    values = pd.concat(parts, ignore_index=True)
    eta = points.get("eta", pd.Series(0.3, index=points.index))
    reached = eta < 0.58
    values = values[values.merge(points.assign(reached=reached), on=list(axes))["reached"]]
    states = points.assign(feasible=reached, binding=eta > 0.15)
    return Sweep(
        "_".join(axes), f"Sweep over {' and '.join(axes)}", tuple(axes), values, states, names
    )


def made_study() -> Study:
    return Study(
        name="a small study",
        config={"seed": 1, "runs": 8, "experiments": {"links": {"eta": 0.3}}},
        versions={"lincon": "0.1.0", "numpy": "2.0"},
        seeds={"base seed": 1},
        commit="0123456789abcdef",
        dirty=True,
        machine={"system": "Linux", "cores": 2},
        times=pd.DataFrame(
            {"rule": ["simulate", "page"], "jobs": [16, 1], "wall seconds": [12.5, 3.0]}
        ),
        command="snakemake --cores 8",
        datasets=[
            {
                "name": "links",
                "source": "user",
                "address": "https://example.org/links.csv",
                "sha256": "0" * 64,
                "licence": "MIT",
            }
        ],
    )
