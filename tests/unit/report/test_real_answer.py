"""The answer on the paper's real courses cannot be gamed by a policy that ignores the reward."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from lincon.analysis.measures import summarise
from lincon.analysis.results import analyse
from lincon.data.arms import Arms
from lincon.engine.simulate import Setting, simulate
from lincon.policies.registry import make_policy
from lincon.problem.solve import solve_problem
from lincon.report.sentences import answer_of
from tests.real_data import real_arms
from tests.unit.analysis.made_runs import plays_of, runs_of

pytestmark = pytest.mark.slow
HORIZON, RUNS = 50_000, 3


def always(arm: int, made: Arms, t: np.ndarray, eta: float) -> pd.DataFrame:
    reward, events = (np.full(RUNS, x) for x in (made.mean[arm] * made.value[arm], made.mean[arm]))
    return runs_of(t, reward, events, eta=eta)


def test_the_largest_mean_wins_by_composite_regret_and_is_not_recommended(mirror):
    made, eta = real_arms(mirror)["edx"]
    problem = solve_problem(made, eta)
    policy = make_policy("ts", {"estimator": "beta_sample", "selector": "lp"})
    played = [
        simulate(Setting("edx", eta, HORIZON, policy, run, 2020, 20, "lazy"), made, problem)
        for run in range(RUNS)
    ]
    series = {"lincon_ts": pd.concat([run.series.to_pandas() for run in played])}
    t = np.unique(series["lincon_ts"]["t"])
    series["largest_mean"] = always(int(made.mean.argmax()), made, t, eta)
    series["reward_only"] = always(int((made.mean * made.value).argmax()), made, t, eta)
    looks = {name: {"label": name} for name in series}
    summary = summarise(series, made, problem, RUNS)
    plays = plays_of(list(series), len(made), RUNS)
    told = (series, plays, made, problem, summary, RUNS)
    results = analyse("edx", "edX", looks, *told)
    league = results.league.set_index("policy")
    assert league["composite"].idxmin() == "largest_mean"
    assert league["joint"].idxmin() == "lincon_ts"
    assert league.loc["largest_mean", "joint"] == pytest.approx(443.8, abs=0.1)
    assert 240.0 < league.loc["lincon_ts", "joint"] < 275.0
    assert league.loc["largest_mean", "share_of_optimum"] == pytest.approx(0.363, abs=0.001)
    answer = answer_of(results)
    assert answer.tone == "warning"
    assert not any(text.startswith("Use ") for text in answer.advice)
