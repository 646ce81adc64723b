"""Figures in other styles: another look from the same results, laid out to the width asked for."""

from dataclasses import replace

from lincon.report.figures import parts
from lincon.report.figures.draw import draw
from lincon.report.figures.style import plt, styled
from lincon.report.palette import DARK_PAGE, HUES, LIGHT_PAGE, looks
from lincon.study.style import Style
from tests.unit.figures.test_figures import drawn, small, words


def contrast(one: str, other: str) -> float:
    """WCAG's contrast ratio of two colours."""

    def luminance(colour: str) -> float:
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [x / 12.92 if x <= 0.03928 else ((x + 0.055) / 1.055) ** 2.4 for x in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_every_name_can_be_read_on_light_and_on_dark():
    policies = {f"p{k}": {"reference": k == 9} for k in range(10)}
    for look in looks(policies, [f"p{k}" for k in range(8)]).values():
        assert contrast(look.ink, LIGHT_PAGE) >= 4.5
        assert look.muted or contrast(look.dark, DARK_PAGE) >= 4.5
    assert len(set(HUES)) == len(HUES)


def test_policies_keep_their_look_and_equal_labels_differ_by_their_ids():
    entries = {"a": {"label": "TS"}, "b": {"label": "TS"}, "c": {"colour": "red"}}
    entries["d"] = {"reference": 1}
    found = looks(entries)
    assert [look.label for look in found.values()] == ["TS (a)", "TS (b)", "c", "d"]
    assert found["c"].colour == "#ff0000" and found["a"].colour == HUES[0][0]
    assert looks(entries, ["b"])["a"].muted and not looks(entries, ["b"])["d"].muted


def test_panels_and_their_scales_are_those_asked_for():
    style = Style(
        panels=["shortfall", "composite", "regret"], scales={"round": "log", "regret": "log"}
    )
    *_, composite, regret = drawn("panels", small(eta=0.3), style=style).axes
    assert [axes.get_title(loc="left") for axes in (composite, regret)] == [
        "Composite regret",
        "Regret",
    ]
    assert (regret.get_xscale(), regret.get_yscale()) == ("log", "log")
    assert (composite.get_xscale(), composite.get_yscale()) == ("log", "linear")


def test_fonts_grow_together_and_colours_come_from_the_cycle_or_the_policy():
    style = Style(rc={"font.size": 16, "axes.labelsize": 5, "axes.prop_cycle": ["red", "0.5"]})
    results = small().coloured({"p1": "#123456"})
    with styled(style):
        assert plt.rcParams["xtick.labelsize"] == 14.0 and plt.rcParams["axes.labelsize"] == 5.0
        found = parts.looks_of(results)
    assert [look.colour for look in found.values()] == ["#ff0000", "#123456", "#ff0000"]
    figure = drawn("growth", results, style=Style(width="double", rc={"font.size": 14}))
    assert all(text.get_window_extent().x1 <= figure.bbox.x1 for text in figure.texts)


def test_without_title_and_footer_stand_ins_are_still_called_so(tmp_path):
    results = small()
    problem = replace(results.problem, source="standin", note="Stand-in arms")
    results, style = replace(results, problem=problem), Style(title=False, footer=False)
    said = words(drawn("panels", results, style=style))
    assert "Stand-in arms" in said and results.title not in said and "lincon" not in said
    draw([tmp_path / "arms.svg"], style, results)
    assert b"0123456" in (tmp_path / "arms.svg").read_bytes()


def test_labels_are_cut_at_their_end_only():
    assert parts.wrapped("one two three", 8) == "one two\nthree"
    assert parts.wrapped("a" * 30, 10, 1) == "a" * 9 + "\u2026"
