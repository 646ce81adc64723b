"""Figures in other styles: another look from the same results, laid out to the width asked for."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import replace

import pytest
from matplotlib.text import Text

from lincon.figures import drawing
from lincon.figures.draw import draw_all
from lincon.figures.registry import FIGURES, figure_names
from lincon.study.style import Style
from tests.unit.figures.test_figures import small_results, words

RESULTS = small_results()


def drawn(name: str, style: Style, results=RESULTS):
    with drawing.styled(style):
        figure = FIGURES[name].load()(results)
        figure.draw_without_rendering()
        return figure


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("policies", "names"),
    [(3, figure_names(compared=True)), (8, ("panels", "deficit", "composite"))],
)
def test_every_figure_has_the_width_of_a_column_and_nothing_sticks_out(policies, names):
    results = small_results(policies=policies)
    for name in names:
        with drawing.styled(Style(width="single")):
            figure = FIGURES[name].load()(results)
            figure.draw_without_rendering()
            assert figure.get_figwidth() == 3.25
            hidden = not_drawn(figure)
            for text in figure.findobj(lambda artist: isinstance(artist, Text)):
                if text.get_text().strip() and text.get_in_layout() and text not in hidden:
                    box = text.get_window_extent()
                    assert box.x0 >= -2 and box.x1 <= 327, (name, text.get_text())


def not_drawn(figure) -> set:
    """Ticks beyond the limits of an axis, and what belongs to axes that are switched off."""
    result = set()
    for axes in figure.axes:
        for axis, limits in ((axes.xaxis, axes.get_xlim()), (axes.yaxis, axes.get_ylim())):
            low, high = sorted(limits)
            ticks = axis.get_major_ticks()
            result |= {tick.label1 for tick in ticks if not low <= tick.get_loc() <= high}
            if not axes.axison or not axes.get_visible():
                result |= {tick.label1 for tick in ticks} | {axis.label, axes.title}
    return result


def test_panels_are_those_asked_for_in_that_order():
    figure = drawn("panels", Style(panels=("deficit", "composite", "regret")))
    assert [axes.get_title(loc="left") for axes in figure.axes] == [
        "Deficit",
        "Composite regret",
        "Regret",
    ]
    spare = drawn("panels", Style(panels=("regret", "violation", "reward", "ratio", "composite")))
    assert [axes.get_visible() for axes in spare.axes] == [True] * 5 + [False]


def test_axes_are_linear_or_log_by_what_they_show():
    log = Style(scales={"round": "log", "regret": "log"})
    regret, violation, *_ = drawn("panels", log).axes
    assert (regret.get_xscale(), regret.get_yscale()) == ("log", "log")
    assert (violation.get_xscale(), violation.get_yscale()) == ("log", "linear")
    assert regret.get_ylim()[0] > 0.0 and regret.get_xlim()[0] > 0.0
    linear = Style(scales={"round": "linear", "regret": "linear", "violation": "linear"})
    for name in ("noise", "composite"):
        for axes in drawn(name, linear).axes:
            assert (axes.get_xscale(), axes.get_yscale()) == ("linear", "linear"), name
    assert [axes.get_xscale() for axes in drawn("noise", Style()).axes] == ["log", "log"]


def test_a_slope_against_log_t_is_a_curve_on_a_linear_axis():
    (axes,) = drawn("composite", Style(scales={"round": "linear"})).axes
    (slope,) = (line for line in axes.lines if line.get_label().startswith("slope C"))
    assert len(slope.get_xdata()) > 2
    # Its name, where it is on the chart, stands at its end.
    named = [text for text in axes.texts if text.get_text().startswith("slope C")]
    assert all(text.xy[1] == slope.get_ydata()[-1] for text in named)


def test_fonts_grow_together_and_colours_come_from_the_cycle_or_the_policy():
    style = Style(rc={"font.size": 16, "axes.labelsize": 5, "axes.prop_cycle": ["red", "0.5"]})
    results = RESULTS.coloured({"p1": "#123456"})
    with drawing.styled(style):
        assert drawing.plt.rcParams["xtick.labelsize"] == 14.0
        assert drawing.plt.rcParams["axes.labelsize"] == 5.0
        looks = drawing.looks(results.policies)
    assert [look.colour for look in looks.values()] == ["#ff0000", "#123456", "#ff0000"]
    small, large = (drawn("deficit", s).findobj(_floor_met)[0] for s in (Style(), style))
    assert large.get_fontsize() == 2.0 * small.get_fontsize()


def _floor_met(artist) -> bool:
    return isinstance(artist, Text) and artist.get_text() == "floor met"


@pytest.mark.parametrize("points", [8, 10, 14])
def test_a_footer_of_large_letters_has_as_many_lines_as_it_needs(points):
    problem = replace(RESULTS.problem, source="standin")
    results = replace(RESULTS, problem=problem)
    figure = drawn("composite", Style(width="double", rc={"font.size": points}), results)
    foot = figure._supxlabel  # type: ignore[attr-defined]
    assert "lincon" in foot.get_text()
    assert foot.get_window_extent().x1 <= figure.bbox.x1


def test_without_title_and_footer_stand_ins_are_still_called_so(tmp_path):
    style = Style(title=False, footer=False, formats=("pdf", "svg"))
    problem = replace(RESULTS.problem, source="standin", note="Stand-in arms")
    results = replace(RESULTS, problem=problem)
    said = words(drawn("panels", style, results))
    assert "Stand-in arms" in said and results.title not in said and "lincon" not in said
    for path in draw_all(results, tmp_path, ["regret"], style):
        held = path.read_bytes()
        assert b"0123456" in held or "0123456".encode("utf-16-be") in held, path


def test_files_are_the_same_bytes_twice_in_every_format(tmp_path):
    style = Style(formats=("pdf", "svg"))
    once, again = (draw_all(RESULTS, tmp_path / n, ["arms"], style) for n in ("a", "b"))
    assert [path.name for path in once] == ["arms.png", "arms.pdf", "arms.svg"]
    for one, other in zip(once, again, strict=True):
        assert one.read_bytes() == other.read_bytes()


def test_a_picture_for_tex_is_set_by_tex(tmp_path):
    if not shutil.which("pdflatex"):
        pytest.skip("pdflatex is not installed, and pictures for TeX cannot be measured without")
    label = r"50% & $5_x #1 ^~\ {a} <é>|"
    results = replace(RESULTS, policies={"p0": {"label": label}, "p1": {"label": "ε"}, "p2": {}})
    draw_all(results, tmp_path, ["regret", "arms"], Style(width="single", formats=("pgf",)))
    document = r"\documentclass{article}\usepackage{pgf}\begin{document}%s\end{document}"
    (tmp_path / "all.tex").write_text(document % r"\input{regret.pgf}\input{arms.pgf}")
    command = ["pdflatex", "-halt-on-error", "-interaction=batchmode", "all.tex"]
    assert subprocess.run(command, cwd=tmp_path, check=False, capture_output=True).returncode == 0
    assert r"\ensuremath{\eta}" in (tmp_path / "arms.pgf").read_text()
