"""Figures: properties that readers rely on, checked in the drawing."""

import itertools
import re

import matplotlib
import numpy as np
import pytest
from matplotlib.text import Annotation, Text

import lincon
from benchmarks.made_results import made_arms, made_results, made_sweep
from lincon.analysis.results import Results
from lincon.analysis.sweeps import Sweep
from lincon.problem.solve import solve_problem
from lincon.report.facts import facts_of
from lincon.report.figures import arms as arms_figure
from lincon.report.figures import draw, kinds, sweeps
from lincon.report.figures import plane as planes
from lincon.report.figures.style import styled
from lincon.report.words import changes
from lincon.study.style import Style
from tests.unit.analysis.made_runs import runs_of

STYLE = Style(formats=["png"])


@pytest.fixture(scope="module")
def eleven():
    return made_results(11, arms=20, runs=4)


def test_every_figure_is_png_svg_and_what_was_asked_for(tmp_path, eleven):
    draw(eleven, tmp_path, Style(formats=["pdf"]))
    names = {"plane", "panels", "arms", "claims"}
    files = {f"{name}.{kind}" for name in names for kind in ("png", "svg", "pdf")}
    assert {path.name for path in tmp_path.iterdir()} == files


def test_the_users_matplotlibrc_changes_nothing(tmp_path, eleven):
    """LaTeX, another size and another layout are set as a matplotlibrc would set them."""
    draw([eleven], tmp_path / "plain", STYLE)
    chosen = {"text.usetex": True, "font.size": 30, "axes.facecolor": "red"}
    with matplotlib.rc_context(chosen | {"savefig.bbox": "tight", "svg.fonttype": "path"}):
        draw([eleven], tmp_path / "chosen", STYLE)
    plain, other = (
        re.sub(r"(policy-\w+):\d+", r"\1", (tmp_path / name / "panels.svg").read_text("utf-8"))
        for name in ("plain", "chosen")
    )
    assert plain == other


def test_every_policy_can_be_highlighted(tmp_path, eleven):
    draw(eleven, tmp_path, STYLE)
    text = (tmp_path / "panels.svg").read_text("utf-8")
    assert set(re.findall(r'id="policy-(\w+):\d+"', text)) == set(eleven.policies)


@pytest.mark.parametrize("policies", (2, 8, 11, 18))
def test_names_in_the_plane_do_not_overlap(policies):
    with styled():
        figure = planes.plane(made_results(policies, arms=20, runs=4))
        figure.draw_without_rendering()
        boxes = [a.get_window_extent() for a in figure.findobj(Annotation)]
    assert len(boxes) >= 2
    pairs = itertools.combinations([box.shrunk(0.9, 0.8) for box in boxes], 2)
    assert not [pair for pair in pairs if pair[0].overlaps(pair[1])]


def test_the_green_zone_ends_where_kept_ends(eleven):
    with styled():
        figure = planes.plane(eleven)
        right = max(patch.get_extents().x1 for patch in figure.axes[0].patches)
        edge = figure.axes[0].transData.transform((eleven.outcomes["tolerance_0"].max(), 0.0))[0]
    assert right == pytest.approx(edge)


def test_a_sweep_over_two_values_is_a_map(tmp_path):
    draw(made_sweep(("eta", "snr"), policies=2, steps=3), tmp_path, STYLE)
    assert {path.stem for path in tmp_path.glob("*.svg")} == {"map"}


def test_a_map_brackets_what_paired_runs_do_not_separate():
    """Runs that differ widely: the second policy has 5 more in each, or in the mean alone."""
    made, t, wide = made_arms(5), np.array([1, 100]), np.array([0.0, 0.1, 0.2, 0.3])
    problem, places, cells = solve_problem(made, 0.5), [], []
    looks = {"a": {"label": "A"}, "b": {"label": "B"}}
    for place, later in enumerate((wide + 0.05, wide[::-1] + 0.05)):
        series = {"a": runs_of(t, -wide, np.full(4, 0.5)), "b": runs_of(t, -later, np.full(4, 0.5))}
        cells.append(Results.of_series(series, made, problem, looks=looks))
        places.append({"coordinates": {"x": place, "y": 0}, "policies": {"a": "a", "b": "b"}})
    with styled():
        figure = sweeps.maps(Sweep(places, cells, looks))
        cells = [text.get_text() for text in figure.axes[0].texts]
    assert cells == ["5", "(5)"]
    assert "A has significantly less joint regret than B at 1 of 2" in figure.get_label()


def test_kinds_of_request_have_a_figure_of_their_own(tmp_path):
    """Optimal shares beside played ones in every kind, and the cost of three ways."""
    columns, kind = {"cost": [1.0, 4.0, 1.0, 9.0]}, ["code", "code", "chat", "chat"]
    arms = lincon.Arms.from_arrays(
        [0.5, 0.9, 0.7, 0.8],
        [0.0] * 4,
        ["small", "large"] * 2,
        columns=columns,
        kind=kind,
        unit="USD",
        per=1000,
    )
    goal = {"objective": {"value": 0, "cost": "cost"}}
    goal["constraints"] = [{"name": "correct", "per_event": 1, "at_least": 0.7}]
    results = lincon.compare(
        arms, ["uniform", "oracle"], goal=goal, horizon=60, runs=2, processes=1
    )
    with styled():
        figure = kinds.kinds(results)
        texts = [text.get_text() for text in figure.findobj(Text)]
        assert {"code (50%)", "chat (50%)", "one floor over all kinds: 1.75"} <= set(texts)
        assert {"one mixture for all: 3.2", "optimal cost per 1,000\nrequests, USD"} <= set(texts)
        assert not kinds.kinds(made_results(2, arms=4, runs=2))
        title = arms_figure.arms(results).get_label()
    assert title.endswith("the optimum splits code between small (50%) and large (50%)")
    facts = dict(facts_of(results))
    assert ": 1.75 USD per 1,000 requests at correct 70%" in facts["Optimal mixture"]
    # Of 60 requests, uniform play spends 3.75 per 1,000 on average instead of 1.75.
    spent = results.factor("reward") * results.league.set_index("policy")["reward"]["uniform"]
    assert spent == pytest.approx(-60 * 3.75 / 1000, rel=0.1)


def test_changes_are_relative_to_the_baseline(eleven):
    ends = eleven.outcomes.groupby("policy")["violation_0_expected"].mean()
    changed = changes(eleven, "p0", "p1", "expected")
    assert changed["violation"] == pytest.approx(ends["p0"] / ends["p1"] - 1.0)
