"""The page in a real browser, as a reader uses it: offline, by mouse and by keyboard."""

from __future__ import annotations

import csv
import itertools
import re

import pytest

WIDE = {"width": 1280, "height": 900}
NARROW = {"width": 390, "height": 844}
DRAWN = "document.documentElement.dataset.drawn"


@pytest.fixture
def visit(browser, report):
    """Open the page without a network; complaints on the console fail the test that caused them."""
    complaints, contexts = [], []

    def open_page(**options):
        context = browser.new_context(**({"offline": True, "viewport": WIDE} | options))
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: complaints.append(f"error: {error}"))
        page.on("dialog", lambda dialog: complaints.append(f"dialog: {dialog.message}"))
        page.on("request", lambda request: _only_this_file(request.url, complaints))
        page.goto(report.as_uri())
        page.wait_for_function(DRAWN, timeout=120_000)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []


def _only_this_file(url: str, complaints: list[str]) -> None:
    if not url.startswith(("file:", "blob:", "data:")):
        complaints.append(f"asked the network for {url}")


@pytest.fixture(scope="module")
def shared(browser, report):
    """One page for the tests that leave it as they found it."""
    context = browser.new_context(offline=True, viewport=WIDE, accept_downloads=True)
    page = context.new_page()
    page.goto(report.as_uri())
    page.wait_for_function(DRAWN, timeout=120_000)
    yield page
    context.close()


def chart(page, key):
    return page.locator(f'[data-chart="{key}"]')


def paths(page, key) -> int:
    """How many lines a chart of curves shows."""
    return page.eval_on_selector_all(
        f'[data-chart="{key}"] .mark-line.role-mark path',
        "all => all.filter(p => (p.getAttribute('d') || '').length > 20).length",
    )


def download(page, selector) -> str:
    with page.expect_download() as waiting:
        page.locator(selector).click()
    return waiting.value.path().read_bytes().decode()


def test_every_chart_is_drawn_without_a_network_or_a_complaint(visit, screenshots):
    page = visit()
    page.screenshot(path=screenshots / "wide.png", full_page=True)
    places = page.locator("[data-chart]").count()
    assert places == 3 * 11 + 3 + 2
    assert page.evaluate(DRAWN) == str(places)
    marks = page.eval_on_selector_all(
        "[data-chart]", "all => all.map(x => x.querySelectorAll('svg .role-mark path').length)"
    )
    assert min(marks) > 0


def test_a_hovered_value_is_that_of_the_summary(shared, results):
    place = chart(shared, "e0.regret")
    place.scroll_into_view_if_needed()
    box = place.locator("svg").bounding_box()
    shared.mouse.move(box["x"] + 0.7 * box["width"], box["y"] + 0.5 * box["height"], steps=4)
    tip = shared.locator("#vg-tooltip-element.visible")
    tip.wait_for(timeout=5000)
    text = tip.inner_text()
    moment = int(re.search(r"round ([\d,]+), expected", text)[1].replace(",", ""))
    summary = results[0].summary
    for policy, entry in results[0].policies.items():
        row = summary[
            (summary["policy"] == policy)
            & (summary["metric"] == "regret")
            & (summary["basis"] == "expected")
            & (summary["t"] == moment)
        ].iloc[0]
        found = re.search(
            re.escape(entry["label"]) + r"\s+([\d.,]+)\s+([\d.,]+) to ([\d.,]+)", text
        )
        shown = [float(x.replace(",", "")) for x in found.groups()]
        assert shown == pytest.approx([row["mean"], row["ci_low"], row["ci_high"]], rel=1e-3)
    shared.mouse.move(5, 5)


def test_the_legend_mutes_a_policy_in_every_chart_and_by_keyboard(shared):
    button = shared.locator('#e0 .policy[data-policy="p1"]')
    keys = [f"e0.{name}" for name in ("regret", "violation", "reward", "deficit")]
    assert [paths(shared, key) for key in keys] == [2] * 4
    button.click()
    assert button.get_attribute("aria-pressed") == "false"
    assert [paths(shared, key) for key in keys] == [1] * 4
    assert paths(shared, "e1.regret") == 18  # another experiment keeps its own
    button.focus()
    shared.keyboard.press("Enter")
    assert button.get_attribute("aria-pressed") == "true"
    assert [paths(shared, key) for key in keys] == [2] * 4


def test_the_best_of_many_can_be_looked_at_alone(shared):
    shared.locator('#e1 [data-act="best"]').click()
    assert paths(shared, "e1.regret") == 5
    shared.locator('#e1 [data-act="all"]').click()
    assert paths(shared, "e1.regret") == 18


def curve(page, key) -> str:
    return page.eval_on_selector(
        f'[data-chart="{key}"] .mark-line.role-mark path', "p => p.getAttribute('d')"
    )


def test_basis_bands_and_axes_switch(shared):
    before = curve(shared, "e0.violation")
    shared.locator('#e0 input[value="realised"]').check()
    shared.wait_for_timeout(200)
    assert curve(shared, "e0.violation") != before
    shared.locator('#e0 input[value="expected"]').check()
    shared.wait_for_timeout(200)
    assert curve(shared, "e0.violation") == before

    band = '[data-chart="e0.violation"] .mark-area.role-mark path'
    assert shared.eval_on_selector(band, "p => p.getAttribute('opacity')") != "0"
    shared.locator('#e0 [data-switch="bands"]').uncheck()
    shared.wait_for_timeout(200)
    assert shared.eval_on_selector(band, "p => p.getAttribute('opacity')") == "0"
    shared.locator('#e0 [data-switch="bands"]').check()

    shared.locator('#e0 [data-switch="logy"]').check()
    shared.wait_for_timeout(1500)
    assert curve(shared, "e0.violation") != before
    shared.locator('#e0 [data-switch="logy"]').uncheck()
    shared.wait_for_timeout(1500)
    assert curve(shared, "e0.violation") == before


def test_dragging_moves_the_chart_and_the_button_resets_it(shared):
    place = chart(shared, "e0.reward")
    place.scroll_into_view_if_needed()
    before = curve(shared, "e0.reward")
    box = place.locator("svg").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    shared.mouse.move(x, y)
    shared.mouse.down()
    shared.mouse.move(x - 80, y + 30, steps=5)
    shared.mouse.up()
    assert curve(shared, "e0.reward") != before
    shared.locator('#e0 [data-act="reset"]').click()
    shared.wait_for_timeout(1500)
    assert curve(shared, "e0.reward") == before


def test_tables_sort_numbers_as_numbers_both_ways(shared):
    shared.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
    header = shared.locator("#e1-league th", has_text="composite regret")
    column = header.evaluate("th => th.cellIndex")

    def values():
        cells = shared.locator(f"#e1-league tbody tr td:nth-child({column + 1})")
        return [float(x.replace(",", "").replace("\u2212", "-")) for x in cells.all_inner_texts()]

    header.locator("button").click()
    assert header.get_attribute("aria-sort") == "ascending"
    assert values() == sorted(values())
    header.locator("button").click()
    assert header.get_attribute("aria-sort") == "descending"
    assert values() == sorted(values(), reverse=True)


def test_the_data_of_a_figure_are_one_click_away(shared, results):
    rows = list(csv.DictReader(download(shared, '[data-csv-of="e0.regret"]').splitlines()))
    summary = results[0].summary
    wanted = summary[summary["metric"] == "regret"]
    assert len(rows) == len(wanted)
    assert {row["policy"] for row in rows} == {"LinConTS", "LinCon-KL-UCB"}
    assert float(rows[-1]["mean"]) == pytest.approx(wanted["mean"].iloc[-1], rel=1e-5)
    assert download(shared, '[data-svg-of="e0.regret"]').startswith("<svg")
    assert download(shared, '[aria-label="Regret as PDF"]').startswith("%PDF")


def test_tables_are_saved_as_csv_and_latex_and_execute_nothing(shared):
    text = download(shared, '[data-file="e2-league.csv"]')
    assert "'=cmd" in text and ",=cmd" not in text
    assert r"\$5 or \$10" in download(shared, '[data-file="e2-league.tex"]')
    assert "'=cmd" in download(shared, '[data-csv-of="e2.regret"]')


def test_labels_are_text_wherever_they_stand(shared):
    text = shared.locator("#e2").inner_text()
    for label in ("<script>alert(1)</script>", "{{7*7}}", "$5 or $10"):
        assert label in text
    place = chart(shared, "e2.plane")
    place.scroll_into_view_if_needed()
    assert "<script>alert(1)</script>" in place.inner_text()
    place.locator(".mark-symbol.role-mark path").first.hover()
    tip = shared.locator("#vg-tooltip-element.visible")
    tip.wait_for(timeout=5000)
    assert "<script>alert(1)</script>" in tip.inner_text()
    shared.mouse.move(5, 5)


def test_everything_has_a_name_for_a_screen_reader(shared):
    nameless = shared.evaluate(
        """() => [...document.querySelectorAll('button, a, input, [role=img], [role=region]')]
            .filter(x => !(x.getAttribute('aria-label') || x.textContent.trim() ||
                           x.closest('label')?.textContent.trim()))
            .map(x => x.outerHTML.slice(0, 80))"""
    )
    assert nameless == []
    levels = shared.eval_on_selector_all(
        "h1, h2, h3, h4", "all => all.map(h => Number(h.tagName[1]))"
    )
    assert levels.count(1) == 1
    assert all(b <= a + 1 for a, b in itertools.pairwise(levels))


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("narrow", {"viewport": NARROW}),
        ("dark", {"viewport": WIDE, "color_scheme": "dark"}),
    ],
)
def test_it_fits_its_screen(visit, screenshots, name, options):
    page = visit(**options)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    theme = page.evaluate("document.documentElement.dataset.theme")
    assert theme == ("dark" if name == "dark" else "light")
    page.screenshot(path=screenshots / f"{name}.png", full_page=True)


def test_it_prints(visit, screenshots):
    page = visit()
    page.emulate_media(media="print")
    assert not page.locator("nav").is_visible()
    assert not page.locator(".controls").first.is_visible()
    page.pdf(path=screenshots / "print.pdf", format="A4")
    page.screenshot(path=screenshots / "print.png", full_page=True)
    assert (screenshots / "print.pdf").stat().st_size > 50_000


def test_charts_are_drawn_for_paper_and_afterwards_for_the_screen_again(visit):
    page = visit(color_scheme="dark")
    widths = "[...document.querySelectorAll('.chart svg')].map(svg => svg.width.baseVal.value)"
    dark_lines = "document.querySelectorAll('.chart svg [stroke=\"#333a43\"]').length"
    on_screen = page.evaluate(widths)
    assert max(on_screen) > 1_000 and page.evaluate(dark_lines) > 0
    # What is not there when the listener has returned is not on the paper.
    page.evaluate("() => { dispatchEvent(new Event('beforeprint')); }")
    assert max(page.evaluate(widths)) <= 704
    assert page.evaluate(dark_lines) == 0
    page.evaluate("() => { dispatchEvent(new Event('afterprint')); }")
    page.wait_for_function(f"Math.max(...{widths}) > 1000")
    assert page.evaluate(widths) == on_screen and page.evaluate(dark_lines) > 0


def test_no_table_leaves_the_paper(visit):
    page = visit(viewport={"width": 704, "height": 1_000})
    page.emulate_media(media="print")
    rights = (
        "[...document.querySelectorAll('.scroll table')].map(t => t.getBoundingClientRect().right)"
    )
    assert max(page.evaluate(rights)) <= 704
