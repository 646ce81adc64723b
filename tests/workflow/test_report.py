"""Snakemake's report: the page of the study, the main figures, and what to look for in each."""

import re

import pytest

from lincon.report.figures.registry import LABELS
from tests.workflow.bench import REPOSITORY, SMALL, STUDY, Bench

IN_THE_PAGE = ("realised", "plays", "growth", "shortfall")
# Of what the small bench does not have, its report has no caption either.
ABSENT = {"published", "atlas"}
CAPTIONS = sorted(
    path for path in (REPOSITORY / "workflow/report").glob("*.rst") if path.stem not in ABSENT
)


@pytest.fixture(scope="module")
def page(finished: Bench, tmp_path_factory: pytest.TempPathFactory) -> str:
    bench = finished.copy(tmp_path_factory.mktemp("report") / "project")
    done = bench.run("--report", "report.html", config=SMALL)
    assert "Report created" in done.text
    return (bench / "report.html").read_text()


def test_figures_are_in_the_report_by_what_they_show(finished: Bench, page):
    figures = (finished / STUDY).glob("figures/**/*.png")
    shown = [file for file in figures if file.stem not in IN_THE_PAGE]
    assert len(shown) > 10
    for file in shown:
        assert str(file.relative_to(finished.folder)) in page
    assert LABELS["plane"] in page and "the page of the study" in page
    assert len(page) < 5e6


def test_captions_are_in_the_page_and_nothing_of_a_network(page):
    for caption in CAPTIONS:
        # Quotes and the like are marked up in a page; the words before the first of them are not.
        words = re.match(r"[A-Za-z ,:]+", caption.read_text())[0]
        assert len(words) > 20 and words in page, caption
    assert not re.search(r'<(?:script|link|img)[^>]*(?:src|href)="?https?:', page)
