"""The figures of theory and claims: drawn from whatever may come, and saying what it was."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from lincon.analysis import claims, metrics
from lincon.analysis.theory import theory_table
from lincon.engine.simulate import Setting, simulate
from lincon.figures import drawing as plotting
from lincon.figures.claims import claims_figure
from lincon.figures.theory import (
    composite_figure,
    growth_figure,
    noise_figure,
    plays_figure,
)
from lincon.policies import registry as policies
from lincon.problem.solve import solve_problem
from tests.unit.analysis.made_runs import small

POLICIES = {
    "ts": {"label": "LinConTS", "estimator": "beta_sample", "selector": "lp"},
    "kl": {"label": "LinCon-KL-UCB", "estimator": "kl_ucb", "selector": "lp"},
}
# Binding, not binding, at a corner, and out of reach.
ETAS = (0.5, 0.3, 0.6, 0.9)


def simulated(eta: float, runs: int, horizon: int = 300):
    series, plays = {}, {}
    for name, entry in POLICIES.items():
        keys = {key: entry[key] for key in ("estimator", "selector")}
        policy = policies.make(name, keys)
        settings = [
            Setting("small", eta, horizon, policy, run, 1, 40, "dense") for run in range(runs)
        ]
        results = [simulate(setting, small()) for setting in settings]
        series[name] = pd.concat([result.series.to_pandas() for result in results])
        plays[name] = pd.concat([result.plays.to_pandas() for result in results])
    return series, plays


def figures(eta: float, runs: int):
    series, plays = simulated(eta, runs)
    problem = replace(solve_problem(small(), eta), source="standin", note="Stand-in arms")
    table = theory_table(small(), problem, 0.1)
    summary = metrics.summarise(series, problem, runs, 100, 1)
    checked = claims.check_claims(series, problem, table, "ts", "kl", runs, 100, 1)
    looks = plotting.looks(POLICIES)
    return {
        "composite": composite_figure(summary, table, problem, looks, "Small"),
        "plays": plays_figure(plays, table, problem, looks, 300, "Small"),
        "growth": growth_figure(summary, table, problem, looks, "Small"),
        "noise": noise_figure(summary, table, problem, looks, "Small"),
        "claims": claims_figure(checked, problem, looks, "Small"),
    }


def words(figure) -> str:
    return "\n".join(text.get_text() for text in figure.findobj(plotting.matplotlib.text.Text))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("runs", [1, 3])
@pytest.mark.parametrize("eta", ETAS)
def test_figures_are_drawn_whatever_the_problem(eta, runs):
    with plotting.styled():
        for name, figure in figures(eta, runs).items():
            figure.draw_without_rendering()
            assert "Stand-in arms" in words(figure), f"{name} does not say what it was drawn from"


def test_what_is_not_defined_is_said():
    with plotting.styled():
        drawn = figures(0.9, 2)
        for name in ("composite", "plays", "growth", "noise"):
            assert "out of reach" in words(drawn[name])
        assert "not defined" in words(drawn["claims"])
        assert "nothing to mix" in words(figures(0.3, 2)["growth"])


def test_the_numbers_of_theory_are_in_the_pictures():
    with plotting.styled():
        drawn = figures(0.5, 3)
        table = theory_table(small(), solve_problem(small(), 0.5), 0.1)
        assert f"C = {table['lower_bound'].sum():,.1f}" in words(drawn["composite"])
        assert "off the chart" in words(drawn["composite"])
        assert "y = x" in words(drawn["plays"])
        assert "noise floor" in words(drawn["noise"])


def test_every_claim_has_its_verdict_in_words_beside_its_mark():
    with plotting.styled():
        figure = figures(0.5, 3)["claims"]
        axes = figure.axes[0]
        words = {claims.HOLDS, claims.FAILS, claims.UNDECIDED, "not defined"}
        beside = [text.get_text() for text in axes.texts if text.get_text() in words]
        assert len(beside) == len(axes.get_yticklabels()) == 17


def test_texts_of_a_claims_figure_do_not_overlap():
    with plotting.styled():
        figure = figures(0.5, 3)["claims"]
        figure.canvas.draw()
        axes = figure.axes[0]
        boxes = [t.get_window_extent() for t in (*axes.texts, *axes.get_yticklabels())]
        heights = np.array([[box.y0, box.y1, box.x0, box.x1] for box in boxes])
        width, height = figure.canvas.get_width_height()
        assert (heights[:, 2] >= 0).all() and (heights[:, 3] <= width).all()
        assert (heights[:, :2] >= 0).all() and (heights[:, :2] <= height).all()
        for i, first in enumerate(boxes):
            assert not any(first.overlaps(second) for second in boxes[i + 1 :])
