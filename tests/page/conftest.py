"""A page of made-up results, and a browser without a network to read it with."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from lincon.page import build
from tests.unit.page.made_results import (
    HOSTILE,
    LINKS,
    made_results,
    made_study,
    made_sweep,
)

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
    """Two policies in EUR; eighteen; and labels that are not to be taken for code."""
    return [
        made_results(2, unit="EUR", scale=250.0),
        made_results(18, name="many", title="Eighteen policies"),
        made_results(
            4,
            name="hostile",
            title="<script>alert(1)</script> {{7*7}} $5",
            labels=[*HOSTILE, *LINKS[4:]],
            policy_labels=HOSTILE,
            source="standin",
        ),
    ]


@pytest.fixture(scope="session")
def report(tmp_path_factory, results) -> Path:
    folder = tmp_path_factory.mktemp("page")
    figures = folder / "figures" / "links"
    figures.mkdir(parents=True)
    (figures / "regret.pdf").write_bytes(b"%PDF-1.4 made for a test")
    out = folder / "report.html"
    build(made_study(), results, [made_sweep(), made_sweep(("horizon", "eta"))], out)
    return out


@pytest.fixture(scope="session")
def screenshots(tmp_path_factory) -> Path:
    """Where pictures go: PAGE_SCREENSHOTS, to look at them, else a temporary folder."""
    folder = Path(os.environ.get("PAGE_SCREENSHOTS") or tmp_path_factory.mktemp("screenshots"))
    folder.mkdir(parents=True, exist_ok=True)
    return folder
