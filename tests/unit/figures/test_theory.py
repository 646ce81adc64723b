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
from lincon.figures import panels
from lincon.figures.claims import VERDICTS, claims_figure
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
        policy = policies.make_policy(name, keys)
        settings = [
            Setting("small", eta, horizon, policy, run, 1, 40, "dense") for run in range(runs)
        ]
        results = [simulate(setting, small(), solve_problem(small(), eta)) for setting in settings]
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
        words |= {claims.NOT_YET}
        said = [text.get_text() for text in axes.texts]
        beside = [text for text in said if text in words or text.endswith(" of C")]
        assert len(beside) == len(axes.get_yticklabels()) == 17


def test_what_is_above_an_asymptotic_coefficient_is_no_refutation():
    assert VERDICTS[claims.NOT_YET][0] == VERDICTS[claims.UNDECIDED][0]
    assert VERDICTS[claims.NOT_YET][0] != VERDICTS[claims.FAILS][0]


def test_the_axes_are_scaled_by_the_policies_that_are_shown():
    series, _ = simulated(0.5, 2)
    wild = series["kl"].assign(expected_reward=-1e6, expected_events=-1e6, reward=-1e6, events=0)
    problem = solve_problem(small(), 0.5)
    table = theory_table(small(), problem, 0.1)
    looks = plotting.looks({"ts": POLICIES["ts"]})
    with plotting.styled():
        limits = []
        for frames in ({"ts": series["ts"]}, {"ts": series["ts"], "wild": wild}):
            summary = metrics.summarise(frames, problem, 2, 100, 1)
            drawn = [
                panels.combined(summary, problem, looks, "Small", "expected"),
                composite_figure(summary, table, problem, looks, "Small"),
                growth_figure(summary, table, problem, looks, "Small"),
                noise_figure(summary, table, problem, looks, "Small"),
            ]
            limits.append([axes.get_ylim() for figure in drawn for axes in figure.axes])
        assert limits[0] == limits[1]


@pytest.mark.parametrize("label", ["$5 or $10", r"$\frac$", "_hidden", "100% & <b>"])
def test_labels_are_text(label, tmp_path):
    series, _ = simulated(0.5, 2)
    problem = solve_problem(small(), 0.5)
    summary = metrics.summarise(series, problem, 2, 100, 1)
    looks = plotting.looks({"ts": {"label": label}, "kl": {"label": "other"}})
    with plotting.styled():
        figure = panels.combined(summary, problem, looks, label, "expected")
        figure.savefig(tmp_path / "a.png")
        legend = figure.legends[0]
        assert [text.get_text() for text in legend.get_texts()] == [label, "other"]
        assert not any(text.get_parse_math() for text in legend.get_texts())


def test_the_footer_has_the_code_of_the_runs():
    series, _ = simulated(0.5, 2)
    problem = solve_problem(small(), 0.5)
    summary = metrics.summarise(series, problem, 2, 100, 1)
    looks = plotting.looks(POLICIES)
    with plotting.styled():
        figure = panels.combined(summary, problem, looks, "Small", "expected", "abcdef0123")
        assert "code abcdef0" in words(figure)


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
