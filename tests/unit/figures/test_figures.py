"""All figures: drawn from whatever may come, saying what it was, every text legible."""

import itertools
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from matplotlib.text import Text
from PIL import Image

from benchmarks import made_results as made
from benchmarks.made_results import SEVERAL, SPENDING, made_results, made_sweep
from lincon.analysis.claims import HOLDS
from lincon.analysis.comparison import compare
from lincon.analysis.results import Results
from lincon.report import view
from lincon.report.figures import labels, parts, points, sweeps
from lincon.report.figures.draw import draw
from lincon.report.figures.registry import DECLARED, drawing, figure_names
from lincon.report.figures.style import plt, styled
from lincon.study.style import Style

pytestmark = pytest.mark.slow
ALL = figure_names(compared=True)


@cache
def small(**settings) -> Results:
    return made_results(**{"policies": 3, "arms": 12, "runs": 4, "horizon": 800} | settings)


def drawn(name: str, *of, style=None):
    with styled(style):
        figure = drawing(name)(*of)
        figure.canvas.draw()
        return figure


def words(figure) -> str:
    return "\n".join(text.get_text() for text in figure.findobj(Text))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "settings",
    [
        {"eta": 0.5},
        {"eta": 0.2, "runs": 1},  # does not bind
        {"eta": 0.9},  # infeasible
        {"policies": 18, "long_labels": True},
        {"policies": 2, "arms": 2},
        {"policies": 1},
        {"policies": 4, "eta": SEVERAL},
        {"policies": 4, "eta": SPENDING},
    ],
    ids=str,
)
def test_figures_are_drawn_whatever_comes_and_say_of_what(settings):
    results = small(**settings)
    problem = replace(results.problem, source="standin", note="Stand-in arms")
    for name in figure_names(compared=not results.claims.empty):
        said = words(drawn(name, replace(results, problem=problem)))
        assert "Stand-in arms" in said, f"{name} does not say what it was drawn from"
        assert "code 0123456" in said, f"{name} has no code of the runs"
    assert plt.get_fignums() == []


@pytest.mark.parametrize("name", ALL)
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("settings", "width"),
    [({}, ""), ({"policies": 18, "long_labels": True}, ""), ({}, "single")],
    ids=str,
)
def test_texts_are_inside_the_picture_and_names_do_not_overlap(name, settings, width):
    figure = drawn(name, small(**settings), style=Style(width=width) if width else None)
    assert not width or figure.get_figwidth() == 3.25
    for text in visible(figure):
        box = Text.get_window_extent(text)  # without the line to what it names
        assert box.x0 >= -2 and box.x1 <= figure.bbox.x1 + 2, text.get_text()
    for axes in figure.axes:
        names = [text for text in axes.texts if text.get_text()]
        names += [t for t in axes.get_yticklabels() if axes.axison and t.get_text()]
        for one, other in itertools.combinations(names, 2):
            # Their widths are estimated before they are drawn, to a pixel or two.
            boxes = [Text.get_window_extent(text).padded(-2) for text in (one, other)]
            assert not boxes[0].overlaps(boxes[1]), (one.get_text(), other.get_text())


def visible(figure) -> list[Text]:
    """Without ticks beyond the limits of an axis, and what belongs to axes that are off."""
    hidden = set()
    for axes in figure.axes:
        for axis, limits in ((axes.xaxis, axes.get_xlim()), (axes.yaxis, axes.get_ylim())):
            low, high = sorted(limits)
            off = not axes.axison or not axes.get_visible()
            ticks = axis.get_major_ticks()
            hidden |= {t.label1 for t in ticks if off or not low <= t.get_loc() <= high}
            hidden |= {axis.label, axes.title} if off else set()
    found = figure.findobj(Text)
    return [t for t in found if t.get_text().strip() and t.get_visible() and t not in hidden]


def test_files_hold_their_title_caption_and_provenance_and_are_the_same_twice(tmp_path):
    names = ("league.png", "league.pdf", "league.svg", "captions.md", "captions.tex")
    for folder in ("one", "two"):
        draw([tmp_path / folder / name for name in names], None, small())
    files = [tmp_path / "one" / name for name in names]
    with Image.open(files[0]) as image:
        held = image.text
    assert "the floor of 50%" in held["Title"] and "lincon" in held["Source"]
    assert held["Description"] == DECLARED["league"].caption
    for path in files:
        content = path.read_bytes()
        # LaTeX escapes the per cent sign, and PDF may write two bytes per letter.
        assert b"floor of 50" in content or "floor of 50".encode("utf-16-be") in content
        assert content == (tmp_path / "two" / path.name).read_bytes()


def test_titles_state_the_finding_and_the_league_is_drawn_as_it_is_ranked():
    results = small(runs=8)
    figures = {name: drawn(name, results) for name in ("league", "panels", "claims")}
    titles = {name: str(figure.get_gid()) for name, figure in figures.items()}
    assert "the floor of 50%" in titles["league"]
    assert all(results.labels[policy] in titles["panels"] for policy in ("p0", "p1"))
    held = (results.claims["verdict"] == HOLDS).sum()
    assert titles["claims"].split(": ")[1].startswith(f"{held} of ")
    assert "not defined" in words(drawn("plane", small(eta=0.9)))
    shown = [label.get_text() for label in figures["league"].axes[0].get_yticklabels()]
    names = [text.split("  ")[-1] for text in shown]
    places = [names.index(results.labels[policy]) for policy in results.league["policy"]]
    assert places == sorted(places)


def test_several_constraints_have_a_panel_each_and_the_dearest_is_in_the_plane():
    results = small(policies=4, eta=SEVERAL)
    shortfalls = drawn("shortfall", results).axes
    assert len(shortfalls) == 2
    for kept in (axes.patches[0] for axes in shortfalls):  # the shaded side
        assert kept.get_y() < kept.get_y() + kept.get_height() == pytest.approx(0.0)
    assert [axes.get_xlabel() for axes in drawn("league", results).axes] == [
        "price below bound 0.5",
        "clicks minus bound 0.4",
        "joint regret at T, 95% interval",
    ]
    titles = [axes.get_title(loc="left") for axes in drawn("panels", results).axes]
    assert titles == ["Regret", "Violation: clicks", "Violation: price", "Reward"]
    assert drawn("plane", results).axes[0].get_xlabel() == "price: shortfall at T"


def test_the_optimal_arms_are_named_with_their_shares_and_costs_are_positive(tmp_path):
    results = small()
    said = words(drawn("arms", results)).replace("\n", " ")
    for arm, share in zip(results.problem.support, results.problem.shares, strict=True):
        assert f"course {arm} ({share:.0%})" in said
    axes = drawn("arms", small(eta=SPENDING)).axes[0]
    assert axes.get_ylabel() == "expected cost per play"
    assert min(axes.lines[0].get_ydata()) >= 0.0


def test_the_envelope_is_above_every_arm_and_passes_the_optimum():
    rng = np.random.default_rng(0)
    for count in (1, 2, 500):
        mean, reward = rng.random(count), rng.random(count)
        hull = points.envelope(mean, reward)[::-1]
        right = mean >= mean[hull[0]]
        above = np.interp(mean[right], mean[hull], reward[hull])
        assert (above >= reward[right] - 1e-12).all()
        assert reward[hull[0]] == reward.max() and mean[hull[-1]] == mean.max()


def test_many_arms_are_stored_as_pixels(tmp_path):
    files = [tmp_path / "arms.pdf", tmp_path / "plays.pdf"]
    draw(files, None, made_results(arms=20_000, runs=2, horizon=50_000))
    assert all(path.stat().st_size < 200_000 for path in files)


def test_every_claim_has_its_verdict_in_words_and_one_of_nothing_is_at_the_edge():
    results = small()
    table = results.claims.copy()
    row = table.index[table["difference"] != 0.0][0]
    table.loc[row, "reference"] = 0.0
    axes = drawn("claims", replace(results, claims=table)).axes[0]
    verdicts = tuple(table["verdict"])
    assert len(axes.texts) == len(table)
    assert all(text.get_text().endswith(verdicts) for text in axes.texts)
    across = axes.get_yaxis_transform()
    edges = [line.get_xdata()[0] for line in axes.lines if line.get_transform() == across]
    assert (0.985 if table.loc[row, "difference"] > 0.0 else 0.015) in edges


def test_a_ratio_whose_violation_comes_back_to_zero_is_not_drawn():
    looks = parts.looks_of(small())
    rows = small().rows("ratio", "expected")
    assert view.comparable(rows, looks)[1] == 0
    lost = (rows["policy"] == "p0") & (rows["t"] > 400)
    found, count = view.comparable(rows.assign(mean=rows["mean"].mask(lost)), looks)
    assert set(found["policy"]) == {"p1", "p2"} and count == 1
    vast = rows["mean"].where(rows["policy"] != "p2", 1000.0 * rows["mean"])
    assert set(view.comparable(rows.assign(mean=vast), looks)[0]["policy"]) == {"p0", "p1"}


def test_labels_at_the_ends_of_curves_keep_their_distance_and_order():
    places, heights = np.array([0.5, 0.51, 0.9, 0.5, 0.0]), np.array([0.1, 0.2, 0.1, 0.1, 0.1])
    spread = labels.spread(places, heights, 0.0, 1.0)
    order = np.argsort(places, kind="stable")
    needed = (heights[order][1:] + heights[order][:-1]) / 2.0
    assert (np.diff(spread[order]) >= needed - 1e-12).all()
    assert spread.min() >= 0.0 and spread.max() <= 1.0
    assert labels.spread(np.array([0.2, 0.8]), np.full(2, 0.1), 0, 1) == pytest.approx([0.2, 0.8])


def test_sweeps_are_drawn_by_what_was_swept():
    assert "LinConTS leads at" in drawn("sweep", made_sweep()).get_gid()
    # Of two policies one map of the difference, of more a panel each with one scale.
    two, four = (drawn("heat_map", made_sweep(("eta", "snr"), count)) for count in (2, 4))
    assert "LinConTS minus LinCon-KL-UCB" in words(two)
    limits = {axes.images[0].get_clim() for axes in four.axes if axes.images}
    assert len(limits) == 1
    # Colours end before what stands far out.
    for times in (1.2, 100.0):
        swept = made_sweep(("eta", "snr"), 3, 12)
        joint = swept.rows("joint")["mean"]
        swept.values.loc[joint.index, "mean"] = 1.0
        swept.values.loc[joint.idxmax(), "mean"] = times
        top = drawn("heat_map", swept).axes[0].images[0].get_clim()[1]
        assert top == pytest.approx(times if times < 1.5 else 1.0)


def test_the_frontier_has_what_was_reached_and_over_two_bounds_is_a_map():
    axes = drawn("frontier", made_sweep()).axes[0]
    optimum, *reached = (line for line in axes.lines if line.get_label().startswith(" "))
    assert optimum.get_label() == " optimum" and len(reached) == 3
    panels = drawn("frontier", made_sweep(("eta", "snr"))).axes
    assert [axes.get_title("left") for axes in panels[:2]] == ["Optimum", "LinConTS"]
    texts = [[text.get_text() for text in axes.texts] for axes in panels[:3]]
    assert not any(text.startswith("(") for text in texts[0] + texts[1])
    assert all(text.startswith("(") for text in texts[2]), "the second policy keeps it nowhere"


def test_an_atlas_has_families_of_colour_and_initials():
    atlas, looks, about = made.made_atlas()
    names = sweeps.initials({policy: look["label"] for policy, look in looks.items()})
    assert names["p0"] == "LCT" and len(set(names.values())) == len(names)
    cells = drawn("winners", atlas, looks, about).axes[0].texts
    assert {text.get_text().split("\n")[0] for text in cells} <= {*names.values(), "nobody"}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("policies", [1, 18])
def test_published_runs_are_drawn_under_ours(policies):
    results = small(policies=policies)
    ours, theirs = (
        {p: made.made_series(results.problem, k, 800, n, made.NAMES[k])
         for k, p in enumerate(list(results.policies)[:2])}
        for n in (4, 16)
    )  # fmt: skip
    figure = drawn("published", results, compare(ours, theirs, results.problem))
    lines = figure.axes[0].lines
    assert "our 4 runs" in words(figure) and "the authors' 16 runs" in words(figure)
    # Sixteen runs, their mean, our mean: in that order, from below.
    assert len(lines) == 18 and lines[-2].zorder < lines[-1].zorder
    mean = np.mean([line.get_ydata() for line in lines[:16]], axis=0)
    np.testing.assert_allclose(lines[16].get_ydata(), mean)
