"""The page in a real browser, as a reader uses it: offline, by mouse, finger and keyboard."""

import itertools
import re

import pytest

WIDE, MIDDLE, PHONE = (
    {"width": width, "height": height} for width, height in ((1440, 900), (800, 1000), (390, 844))
)
DRAWN = "document.documentElement.dataset.drawn"
UNFOLD = "document.querySelectorAll('details').forEach(d => d.open = true)"
BOTTOM = "(s) => document.querySelector(s).getBoundingClientRect().bottom"


@pytest.fixture
def visit(browser, report):
    """Open the page without a network; complaints on the console fail the test that caused them."""
    complaints, contexts = [], []

    def open_page(state: str = "", **options):
        context = browser.new_context(**({"offline": True, "viewport": WIDE} | options))
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: complaints.append(f"error: {error}"))
        page.on("dialog", lambda dialog: complaints.append(f"dialog: {dialog.message}"))
        page.on("request", lambda request: _only_this_file(request.url, complaints))
        page.goto(f"{report.as_uri()}{state}")
        page.wait_for_function(DRAWN, timeout=60_000)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []


def _only_this_file(url: str, complaints: list[str]) -> None:
    if not url.startswith(("file:", "blob:", "data:")):
        complaints.append(f"asked the network for {url}")


def curves(page, metric: str) -> list[str]:
    """The policies whose curves stand out in a chart."""
    return page.eval_on_selector_all(
        f'section:not([hidden]) [data-chart="{metric}"] .curve[stroke-width="2"]',
        "all => all.map(path => path.dataset.p)",
    )


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("wide", {"viewport": WIDE}),
        ("middle", {"viewport": MIDDLE}),
        ("phone", {"viewport": PHONE, "has_touch": True, "is_mobile": True}),
        ("dark", {"viewport": WIDE, "color_scheme": "dark"}),
    ],
)
def test_the_first_screen_answers(visit, screenshots, results, name, options):
    page = visit(**options)
    page.screenshot(path=screenshots / f"{name}.png")
    page.screenshot(path=screenshots / f"{name}_full.png", full_page=True)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert (
        "No policy kept the floor of 50%"
        in page.title()
        == page.locator("h1").inner_text() + " · lincon"
    )
    height = options["viewport"]["height"]
    assert page.evaluate(BOTTOM, "section:not([hidden]) .league") < height
    # The dots have room, and no name is cut.
    assert page.evaluate("document.querySelector('.league .dots').clientWidth") > 60
    assert page.eval_on_selector_all(
        ".league .policy span", "all => all.every(s => s.scrollHeight <= s.clientHeight + 1)"
    )
    # The plane is beside the answer, or right below it where there is no room beside.
    top = page.evaluate("document.querySelector('.plane').getBoundingClientRect().top")
    assert top < (300 if name in ("wide", "dark") else height)
    if name in ("wide", "dark"):
        assert (
            page.evaluate(BOTTOM, ".plane") < height and page.evaluate(BOTTOM, ".belief") < height
        )
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(22, 25, 29)"
    assert dark == (name == "dark")


def test_eighteen_policies_fit_the_first_screen(visit, screenshots):
    page = visit("#show=x-many")
    page.screenshot(path=screenshots / "many.png")
    assert page.evaluate(BOTTOM, "#x-many .league") < 900
    words = page.locator("#x-many .group").all_inner_texts()
    assert words[0].startswith("kept in 80%") and words[-1].startswith("for reference")
    # Names beside the curves of those that stand out, never over each other.
    boxes = page.eval_on_selector_all(
        '#x-many [data-chart="reward"] > svg > text',
        "all => all.map(t => t.getBoundingClientRect()).map(b => [b.top + 2, b.bottom - 2])",
    )
    assert len(boxes) >= 5
    assert all(a[1] <= b[0] for a, b in itertools.pairwise(sorted(boxes)))


def test_a_pressed_row_stands_out_in_every_chart_and_in_the_address(visit):
    page = visit("#show=x-two")
    assert sorted(curves(page, "regret")) == ["p0", "p1"]
    button = page.locator('#x-two .policy[data-policy="p1"]')
    button.click()
    assert button.get_attribute("aria-pressed") == "true"
    assert [curves(page, metric) for metric in ("regret", "violation_0", "reward")] == [["p1"]] * 3
    assert "policies=p1" in page.url
    again = visit(f"#{page.url.split('#')[1]}&basis=realised&logx=1")
    assert curves(again, "regret") == ["p1"]
    assert again.locator('#x-two input[value="realised"]').is_checked()
    assert again.locator('#x-two [data-switch="logx"]').is_checked()
    button.focus()
    page.keyboard.press("Enter")
    assert sorted(curves(page, "regret")) == ["p0", "p1"]


def test_another_experiment_is_one_choice_away_and_its_address_leads_back(visit):
    page = visit()
    page.locator("#choose").select_option("x-many")
    assert page.locator("#x-many").is_visible() and not page.locator("#x-two").is_visible()
    assert page.title().startswith(page.locator("h1").inner_text()) and "show=x-many" in page.url
    page.evaluate("location.hash = 'show=x-two'")
    page.wait_for_selector("#x-two", state="visible")


def test_a_hovered_value_is_that_of_the_summary_and_inside_the_screen(visit, results):
    page = visit("#show=x-two", viewport=PHONE)
    place = page.locator('#x-two [data-chart="reward"]')
    place.scroll_into_view_if_needed()
    box = place.bounding_box()
    page.mouse.move(box["x"] + 0.6 * box["width"], box["y"] + 0.5 * box["height"], steps=3)
    tip = page.locator("#tip")
    tip.wait_for(state="visible")
    inside = tip.bounding_box()
    assert inside["x"] >= 0 and inside["x"] + inside["width"] <= PHONE["width"]
    text = tip.inner_text()
    moment = int(re.search(r"round ([\d,]+), expected", text)[1].replace(",", ""))
    rows = results[0].rows("reward", "expected")
    for policy, label in results[0].labels.items():
        row = rows[(rows["policy"] == policy) & (rows["t"] == moment)].iloc[0]
        shown = re.search(re.escape(label) + r"\s+([\d.,]+)", text)[1]
        assert float(shown.replace(",", "")) == pytest.approx(250.0 * row["mean"], rel=1e-3)


def test_bases_and_axes_switch(visit):
    page = visit("#show=x-two")
    path = '#x-two [data-chart="violation_0"] .curve'
    before = page.eval_on_selector(path, "p => p.getAttribute('d')")
    for switch in ('input[value="realised"]', '[data-switch="logy"]', '[data-switch="logx"]'):
        page.locator(f"#x-two {switch}").check()
        after = page.eval_on_selector(path, "p => p.getAttribute('d')")
        assert after != before and "NaN" not in after
        before = after


def test_tables_are_saved_and_execute_nothing(visit):
    def saved(name) -> str:
        with page.expect_download() as waiting:
            page.locator(f'[data-file="{name}"]').click()
        return waiting.value.path().read_bytes().decode()

    page = visit("#show=x-hostile")
    page.evaluate(UNFOLD)
    assert "'=cmd" in saved("x-hostile-league.csv")
    assert r"\$5 or \$10" in saved("x-hostile-league.tex")
    assert "<script>alert(1)</script>" in page.locator("#x-hostile").inner_text()


def test_tables_sort_numbers_as_numbers_both_ways(visit):
    page = visit("#show=x-many")
    page.evaluate(UNFOLD)
    header = page.locator("#x-many-league th", has_text="joint regret")
    column = header.evaluate("th => th.cellIndex")
    cells = f"#x-many-league tbody tr td:nth-child({column + 1})"
    for direction in ("ascending", "descending"):
        header.locator("button").click()
        assert header.get_attribute("aria-sort") == direction
        found = page.eval_on_selector_all(cells, "all => all.map(c => Number(c.dataset.v))")
        assert found == sorted(found, reverse=direction == "descending")


def test_everything_has_a_name_for_a_screen_reader(visit):
    page = visit()
    nameless = page.evaluate(
        """() => [...document.querySelectorAll('button, a, input, select, img, [role=img]')]
            .filter(x => !(x.getAttribute('aria-label') || x.alt || x.textContent.trim() ||
                           x.closest('label')?.textContent.trim()))
            .map(x => x.outerHTML.slice(0, 80))"""
    )
    assert nameless == []
    levels = page.eval_on_selector_all(
        "h1, h2, h3, h4", "all => all.map(h => Number(h.tagName[1]))"
    )
    assert levels.count(1) == 1 and all(b <= a + 1 for a, b in itertools.pairwise(levels))


def test_it_prints_every_section_on_white(visit, screenshots):
    page = visit(color_scheme="dark", viewport={"width": 704, "height": 1000})
    page.emulate_media(media="print")
    page.evaluate("() => { dispatchEvent(new Event('beforeprint')); }")
    assert page.locator("#x-many").is_visible() and page.locator("#x-two").is_visible()
    assert (
        not page.locator(".tools").is_visible() and not page.locator(".controls").first.is_visible()
    )
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.locator('#x-many [data-chart="plane"] svg').count() == 1
    page.screenshot(path=screenshots / "print.png", full_page=True)
    page.pdf(path=screenshots / "print.pdf", format="A4")
    page.evaluate("() => { dispatchEvent(new Event('afterprint')); }")
    assert not page.locator("#x-many").is_visible()
