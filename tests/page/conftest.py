"""A page of results made by formula, and a browser without a network to read it with."""

import os
import shutil
from pathlib import Path

import pytest

from benchmarks.made_results import HOSTILE, made_results, made_sweep
from lincon.report.figures import draw
from lincon.report.page import build
from lincon.study.style import Style

ARGUMENTS = (
    *("--no-sandbox", "--disable-gpu", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync", "--no-first-run", "--disable-dev-shm-usage"),
)
STYLE = Style(formats=["png"])


def unavailable(reason: str) -> None:
    """Skip and say why; where the page's tests are required, fail."""
    if os.environ.get("PAGE_TESTS") == "required":
        pytest.fail(f"PAGE_TESTS=required, but {reason}")
    pytest.skip(reason)


@pytest.fixture(scope="session")
def browser():
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        unavailable("there is no chromium; sh tests/install.sh page installs it on Debian")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        unavailable("playwright is not installed; make setup-test installs it")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium, args=list(ARGUMENTS))
        yield started
        started.close()


@pytest.fixture(scope="session")
def report(tmp_path_factory) -> Path:
    """Eleven policies; labels that must not be taken for code; a sweep."""
    folder = tmp_path_factory.mktemp("page")
    many = made_results(11, name="many", title="Eleven policies", unit="EUR", scale=250.0)
    hostile = made_results(
        4,
        labels=HOSTILE,
        arm_labels=HOSTILE,
        name="hostile",
        title="<script>alert(1)</script> {{7*7}} $5",
    )
    results, swept = [many, hostile], made_sweep()
    folders = {name: folder / "figures" / name for name in ("", "many", "hostile", swept.name)}
    draw(results, folders[""], STYLE)
    for one in results:
        draw(one, folders[one.name], STYLE)
    draw(swept, folders[swept.name], STYLE)
    record = {"study": "made", "git": {"commit": "0123456789abcdef"}, "seeds": {"seed": 1}}
    build(record, results, [swept], folders, folder / "report.html")
    return folder / "report.html"


@pytest.fixture
def page(browser, report):
    """The report at 1440 pixels; whatever it asks the network for or complains about is a fault."""
    opened = browser.new_page(viewport={"width": 1440, "height": 900}, color_scheme="light")
    faults: list[str] = []
    opened.on("console", lambda message: faults.append(message.text))
    opened.on("pageerror", lambda error: faults.append(str(error)))
    opened.on("request", lambda asked: faults.append(asked.url) if asked.url[:4] == "http" else 0)
    opened.goto(report.as_uri())
    yield opened
    opened.close()
    assert faults == []
