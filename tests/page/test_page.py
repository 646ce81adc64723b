"""What a reader sees and does, in a real browser."""

import os
from pathlib import Path

import pytest

LIT = "[...document.querySelectorAll('svg [data-policy].on')].map(e => e.dataset.policy)"


def test_the_first_screen_answers(page):
    """Verdict, one row per experiment, why to believe it, and the first figure."""
    assert "TS ledger in 1 of 2 experiments" in page.inner_text("h1")
    rows = page.locator(".overview tbody tr")
    assert rows.count() == 3  # the keeper is dear, so the other end of the trade is named too
    assert "TS ledger" in rows.nth(0).inner_text() and "Con-UCB" in rows.nth(1).inner_text()
    evidence = page.inner_text(".evidence")
    assert all(each in evidence for each in ("16 paired runs", "seed 1", "commit 0123456"))
    assert page.locator("#study-panels").bounding_box()["y"] < page.viewport_size["height"]


def test_labels_are_text(page):
    assert page.locator("script").count() == 1
    assert page.locator("#hostile h2").text_content() == "<script>alert(1)</script> {{7*7}} $5"
    assert "<script>alert(1)</script>" in page.locator("#study-panels svg").text_content()


def test_a_policy_is_highlighted_everywhere(page):
    page.click("nav button[data-policy=p5]")
    assert set(page.evaluate(LIT)) == {"p5"}
    places = "[...document.querySelectorAll('.on')].map(e => e.closest('figure, table, nav'))"
    assert (
        page.evaluate(f"new Set({places}).size") >= 5
    )  # menu, overview, league, the study's panels, plane, panels
    faint = page.locator("#many-plane [data-policy=p0]").first
    assert float(faint.evaluate("e => getComputedStyle(e).opacity")) < 0.5
    page.keyboard.press("Escape")
    assert page.evaluate(LIT) == []


def test_one_experiment_at_a_time(page):
    shown = "[...document.querySelectorAll('.part:not([hidden])')].map(e => e.id).join()"
    for link, expected in (("", "many"), ("eta", "eta"), ("all", "many,hostile,eta")):
        if link:
            page.click(f"nav a[href='#{link}']")
        page.locator(f"#{expected.split(',')[0]}").wait_for()
        assert page.evaluate(shown) == expected


def test_a_table_sorts_by_value_and_back(page):
    head = page.locator("#many th", has_text="joint regret")
    league = page.locator("#many .wide").first.locator("td:last-child")
    head.first.locator("button").click()
    up = [float(x) for x in league.evaluate_all("cells => cells.map(c => c.dataset.v)")]
    head.first.locator("button").click()
    down = [float(x) for x in league.evaluate_all("cells => cells.map(c => c.dataset.v)")]
    assert up == sorted(up) and down == up[::-1] and len(up) == 11


def test_the_theme_switches_figures_too(page):
    ground = "e => getComputedStyle(e).backgroundColor"
    line = "e => getComputedStyle(e).stroke"
    curve = page.locator("#study-panels [data-policy=p0] path[style*='stroke: var']").first
    before = page.locator("body").evaluate(ground), curve.evaluate(line)
    page.click("#theme")
    assert page.locator("body").evaluate(ground) == "rgb(22, 25, 29)" != before[0]
    assert curve.evaluate(line) != before[1]


@pytest.mark.parametrize("width", (390, 800, 1440))
@pytest.mark.parametrize("scheme", ("light", "dark"))
def test_it_fits_its_width(page, width, scheme, tmp_path):
    """No horizontal scroll, and the cost columns stay; PAGE_SCREENSHOTS keeps the pictures."""
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme)
    page.goto(page.url.split("#")[0] + "#all")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for table in (".overview", "#many .wide table >> nth=0"):
        last = page.locator(f"{table} >> tbody td:last-child >> nth=0").bounding_box()
        assert last["x"] + last["width"] <= width
    folder = Path(os.environ.get("PAGE_SCREENSHOTS") or tmp_path)
    page.screenshot(path=folder / f"page-{width}-{scheme}.png", full_page=True)
