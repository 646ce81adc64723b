"""All figures: drawn from whatever may come, saying what it was, every text to be read."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from benchmarks.made_results import made_results, made_sweep
from lincon.analysis import claims
from lincon.analysis.results import Results
from lincon.figures import drawing, labels
from lincon.figures.claims import VERDICTS
from lincon.figures.draw import draw_all
from lincon.figures.of_results import looks_of
from lincon.figures.registry import FIGURES, SWEEPS, figure_names
from lincon.figures.save import save

pytestmark = pytest.mark.slow

# Binding, not binding, at a corner, and out of reach; with several runs and with one.
PROBLEMS = ((0.5, 3), (0.2, 1), (0.62, 3), (0.9, 1))


def words(figure) -> str:
    return "\n".join(text.get_text() for text in figure.findobj(drawing.matplotlib.text.Text))


def small_results(**settings) -> Results:
    return made_results(**{"policies": 3, "arms": 12, "runs": 4, "horizon": 800} | settings)


def standin(results: Results) -> Results:
    return replace(
        results, problem=replace(results.problem, source="standin", note="Stand-in arms")
    )


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("eta", "runs"), PROBLEMS)
def test_figures_are_drawn_whatever_the_problem(eta, runs):
    results = standin(small_results(eta=eta, runs=runs))
    for name in figure_names(compared=True):
        with drawing.styled():
            figure = FIGURES[name].load()(results)
            figure.draw_without_rendering()
            assert "Stand-in arms" in words(figure), f"{name} does not say what it was drawn from"
            assert "code 0123456" in words(figure), f"{name} has no code of the runs"


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "settings",
    [{"policies": 18, "long_labels": True}, {"policies": 2, "arms": 2}],
)
def test_figures_are_drawn_whatever_the_policies(settings):
    results = small_results(**settings)
    for name in figure_names(compared=True):
        with drawing.styled():
            FIGURES[name].load()(results).draw_without_rendering()


def test_all_figures_are_written_as_png_and_pdf(tmp_path):
    written = draw_all(small_results(), tmp_path, ["league", "arms"])
    assert [path.name for path in written] == ["league.png", "league.pdf", "arms.png", "arms.pdf"]
    assert all(path.stat().st_size > 1000 for path in written)


def test_several_processes_draw_the_same_files_as_one(tmp_path):
    names = ["league", "arms", "regret"]
    one = draw_all(small_results(), tmp_path / "one", names)
    two = draw_all(small_results(), tmp_path / "two", names, processes=2)
    assert {path.name for path in one} == {path.name for path in two}
    for path in one:
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes(), path.name


def test_what_goes_wrong_in_one_of_several_processes_is_told(tmp_path):
    (tmp_path / "arms.png").mkdir()
    with pytest.raises(IsADirectoryError, match=r"arms\.png"):
        draw_all(small_results(), tmp_path, ["league", "arms"], processes=2)


def test_every_declaration_loads_and_speaks():
    results = small_results()
    for each in (*FIGURES.values(), *SWEEPS.values()):
        assert callable(each.load())
        assert each.caption.endswith(".")
    for each in FIGURES.values():
        said = each.alt_text(results)
        assert said.endswith(".") and "{" not in said and results.title in said


def test_claims_are_drawn_only_where_two_policies_are_compared():
    assert set(figure_names(compared=True)) - set(figure_names(compared=False)) == {"claims"}


def test_what_is_not_defined_is_said():
    results = small_results(eta=0.9)
    with drawing.styled():
        for name in ("composite", "plays", "growth", "noise", "plane", "arms"):
            assert "out of reach" in words(FIGURES[name].load()(results)), name
        assert "not defined" in words(FIGURES["claims"].load()(results))
        assert "nothing to mix" in words(FIGURES["growth"].load()(small_results(eta=0.2)))
        tied = small_results()
        no_split = tied.summary[tied.summary["metric"] != "mixture"]
        several = words(FIGURES["growth"].load()(replace(tied, summary=no_split)))
        assert "several mixtures are optimal" in several


def test_the_numbers_of_theory_are_in_the_pictures():
    results = small_results(arms=142, horizon=10_000)
    with drawing.styled():
        slope = results.theory["lower_bound"].sum()
        assert f"slope C = {slope:.3g}" in words(FIGURES["composite"].load()(results))
        assert "y = x" in words(FIGURES["plays"].load()(results))
        assert "noise floor" in words(FIGURES["noise"].load()(results))


def test_the_optimal_arms_are_named_with_their_shares():
    results = small_results()
    with drawing.styled():
        said = words(FIGURES["arms"].load()(results))
    for arm, share in zip(results.problem.support, results.problem.shares, strict=True):
        assert f"course {arm} ({share:.0%})" in said


def test_many_arms_are_stored_as_pixels(tmp_path):
    draw_all(made_results(arms=20_000, runs=2, horizon=50_000), tmp_path, ["arms", "plays"])
    for name in ("arms", "plays"):
        assert (tmp_path / f"{name}.pdf").stat().st_size < 200_000


def test_what_is_above_an_asymptotic_coefficient_is_no_refutation():
    assert VERDICTS[claims.NOT_YET][0] == VERDICTS[claims.UNDECIDED][0]
    assert VERDICTS[claims.NOT_YET][0] != VERDICTS[claims.FAILS][0]


def test_every_claim_has_its_verdict_in_words_beside_its_mark():
    with drawing.styled():
        axes = FIGURES["claims"].load()(small_results()).axes[0]
        known = {*VERDICTS, "not defined"}
        said = [text.get_text() for text in axes.texts]
        beside = [text for text in said if text in known or text.endswith(" of C")]
        assert len(beside) == len(axes.get_yticklabels()) == 17


def test_a_claim_against_nothing_has_its_mark_at_the_edge():
    """Of a baseline of 0 there are no per cent."""
    results = small_results()
    table = results.claims.copy()
    table.loc[0, "reference"] = 0.0
    edge = 0.985 if table.loc[0, "difference"] > 0.0 else 0.015
    with drawing.styled():
        axes = FIGURES["claims"].load()(replace(results, claims=table)).axes[0]
    marks = [line for line in axes.lines if line.get_transform() == axes.get_yaxis_transform()]
    assert [line.get_xdata()[0] for line in marks] == [edge]
    assert [text for text in axes.texts if text.get_text().endswith(" (of 0)")]


@pytest.mark.parametrize(("factor", "capped"), [(1.2, False), (5.0, True)])
def test_one_cell_that_stands_out_does_not_darken_a_heat_map(factor, capped):
    sweep = made_sweep(("eta", "snr"), 2, 12)
    values = sweep.values.copy()
    composite = values["metric"] == "composite"
    largest = values.loc[composite, "mean"].max()
    values.loc[values.index[composite][0], "mean"] = factor * largest
    with drawing.styled():
        looks = drawing.looks({f"p{k}": {"label": f"P{k}"} for k in range(2)})
        figure = SWEEPS["heat_map"].load()(replace(sweep, values=values), looks, "A sweep")
    panels = figure.axes[:2]
    assert (panels[0].images[0].get_clim()[1] < factor * largest) == capped
    assert panels[0].images[0].get_clim() == panels[1].images[0].get_clim()
    assert (panels[0].images[0].colorbar or panels[1].images[0].colorbar).extend == (
        "max" if capped else "neither"
    )


@pytest.mark.parametrize("name", ["claims", "league"])
@pytest.mark.parametrize("settings", [{}, {"policies": 18, "long_labels": True}])
def test_texts_are_inside_the_picture_and_do_not_overlap(name, settings):
    with drawing.styled():
        figure = FIGURES[name].load()(small_results(**settings))
        figure.canvas.draw()
        width, height = figure.canvas.get_width_height()
        boxes = []
        for axes in figure.axes:
            texts = [*axes.texts, *(axes.get_yticklabels() if axes.axison else ())]
            boxes += [text.get_window_extent() for text in texts if text.get_text()]
        for i, box in enumerate(boxes):
            assert box.x0 >= 0 and box.x1 <= width and box.y0 >= 0 and box.y1 <= height
            assert not any(box.overlaps(other) for other in boxes[i + 1 :])


@pytest.mark.parametrize("label", ["$5 or $10", r"$\frac$", "_hidden", "100% & <b>"])
def test_labels_are_text(label, tmp_path):
    results = small_results(policies=2)
    policies = {"p0": {"label": label}, "p1": {"label": "other"}}
    results = replace(results, policies=policies, title=label)
    draw_all(results, tmp_path, ["panels", "league", "plane", "claims", "plays"])
    with drawing.styled():
        figure = FIGURES["panels"].load()(results)
        shown = figure.legends[0].get_texts()
        assert [text.get_text() for text in shown] == [label, "other"]
        assert not any(text.get_parse_math() for text in shown)


def test_a_curve_on_zero_is_above_the_axis():
    results = small_results(policies=18)
    with drawing.styled():
        for axes in FIGURES["panels"].load()(results).axes:
            if axes.get_yscale() == "linear":
                assert axes.get_ylim()[0] < 0.0


def test_numbers_on_axes_have_separators_everywhere():
    results = small_results(horizon=50_000)
    with drawing.styled():
        for name in ("panels", "composite", "noise", "deficit", "plane"):
            for axes in FIGURES[name].load()(results).axes:
                for axis in (axes.xaxis, axes.yaxis):
                    assert axis.get_major_formatter()(20_000.0) == "20,000", name


def test_of_many_policies_the_best_and_the_compared_stand_out():
    looks = looks_of(small_results(policies=18))
    prominent = [p for p, look in looks.items() if not look.muted and not look.reference]
    assert len(prominent) == drawing.PROMINENT
    assert {"p0", "p1"} <= set(prominent)
    assert sum(look.reference for look in looks.values()) == 2
    assert not any(look.muted for look in looks_of(small_results(policies=7)).values())


def test_labels_at_the_ends_of_curves_keep_their_distance_and_order():
    places = np.array([0.5, 0.51, 0.9, 0.5, 0.0])
    spread = labels.spread(places, 0.1)
    assert np.diff(np.sort(spread)).min() >= 0.1 - 1e-12
    assert np.array_equal(np.argsort(spread, kind="stable"), np.argsort(places, kind="stable"))
    assert spread[2] == pytest.approx(0.9) and spread[4] == pytest.approx(0.0)
    assert labels.spread(np.array([0.2, 0.8]), 0.1) == pytest.approx([0.2, 0.8])


def test_the_oracles_are_told_apart_by_their_dashes():
    with drawing.styled():
        looks = looks_of(small_results(policies=18))
    first, second = (look for look in looks.values() if look.reference)
    assert first.dashes != second.dashes


def test_names_around_crowded_points_do_not_lie_on_each_other():
    with drawing.styled():
        figure, axes = drawing.plt.subplots(figsize=(5.0, 3.6))
        axes.set(xlim=(0, 1), ylim=(0, 1))
        figure.draw_without_rendering()
        points = 0.6 + 0.04 * np.random.default_rng(3).normal(size=(14, 2))
        labels.around(axes, points, [f"policy number {k}" for k in range(14)], ["black"] * 14)
        figure.canvas.draw()
        extent = drawing.matplotlib.text.Text.get_window_extent
        # Their widths are estimated, to a pixel.
        boxes = [extent(text).padded(-1) for text in axes.texts]
        for i, box in enumerate(boxes):
            assert not any(box.overlaps(other) for other in boxes[i + 1 :])


@pytest.mark.parametrize("name", ["panels", "deficit", "composite"])
def test_names_at_the_ends_of_curves_are_inside_the_file(name, tmp_path):
    with drawing.styled():
        figure = FIGURES[name].load()(small_results(policies=18, long_labels=True))
        save(figure, tmp_path, name)
        figure.set_dpi(drawing.plt.rcParams["savefig.dpi"])
        figure.canvas.draw()
        extent = drawing.matplotlib.text.Text.get_window_extent
        ends = [extent(text).x1 for axes in figure.axes for text in axes.texts]
        # The margin of the layout has 8 pixels.
        assert max(ends) <= figure.bbox.x1 - 5


def test_a_legend_of_many_lines_does_not_make_its_panels_low():
    heights = []
    for policies in (2, 7):
        with drawing.styled():
            figure = FIGURES["growth"].load()(small_results(policies=policies, long_labels=True))
            figure.draw_without_rendering()
            heights.append(figure.axes[0].get_window_extent().height)
    assert heights[1] >= 0.9 * heights[0]


def test_legends_have_as_many_columns_as_fit():
    with drawing.styled():
        assert drawing.legend_columns(["LinConTS", "other"], 7.0) == 2
        assert drawing.legend_columns(["x" * 60] * 3, 3.4) == 1
        assert drawing.legend_columns(["abc"] * 4, 3.4) == 4
        # In three columns each of the longer two would have one of its own.
        assert (
            drawing.legend_columns(["LinCon", "LinCon-KL-UCB", "Con-UCB", "slope C = 231"], 3.3)
            == 2
        )


def test_long_labels_are_cut_in_the_middle():
    assert drawing.shortened("short") == "short"
    cut = drawing.shortened("a" * 30 + "b" * 30, 21)
    assert len(cut) == 21 and cut.startswith("aaa") and cut.endswith("bbb")


def test_summaries_of_other_policies_do_not_scale_the_axes():
    results = small_results(policies=2)
    assert set(results.summary["policy"]) == {"p0", "p1"}
    assert isinstance(results.summary, pd.DataFrame)
