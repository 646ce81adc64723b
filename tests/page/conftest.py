"""A page of made-up results, and a browser without a network to read it with."""

import os
import shutil
from pathlib import Path

import pytest

from benchmarks.made_results import HOSTILE, made_results, made_sweep
from lincon.report.figures.draw import draw
from lincon.report.page.build import build

ARGUMENTS = (
    *("--no-sandbox", "--disable-gpu", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync", "--no-first-run", "--disable-dev-shm-usage"),
)


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
def results():
    """Two policies that miss the floor; eighteen; and labels that are not to be taken for code."""
    return [
        made_results(2, name="two", title="Two policies", unit="EUR", scale=250.0),
        made_results(18, name="many", title="Eighteen policies"),
        made_results(
            4,
            labels=HOSTILE,
            arm_labels=HOSTILE,
            name="hostile",
            title="<script>alert(1)</script> {{7*7}} $5",
        ),
    ]


@pytest.fixture(scope="session")
def report(tmp_path_factory, results) -> Path:
    folder = tmp_path_factory.mktemp("page")
    figures = [folder / "two" / f"{name}.png" for name in ("arms", "growth", "claims")]
    draw(figures, None, results[0])
    swept = [folder / "eta" / f"{name}.png" for name in ("sweep", "frontier")]
    draw(swept, None, made_sweep())
    record = {"git": {"commit": "0123456789abcdef"}, "seeds": {"seed": 1}, "config": {"seed": 1}}
    out = folder / "report.html"
    build(record, results, [made_sweep()], [*figures, *swept], out)
    return out


@pytest.fixture(scope="session")
def screenshots(tmp_path_factory) -> Path:
    """Where pictures go: PAGE_SCREENSHOTS, to look at them, otherwise a temporary folder."""
    folder = Path(os.environ.get("PAGE_SCREENSHOTS") or tmp_path_factory.mktemp("screenshots"))
    folder.mkdir(parents=True, exist_ok=True)
    return folder
