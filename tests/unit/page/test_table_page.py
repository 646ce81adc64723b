"""One table as a page of its own."""

import pandas as pd

from lincon.page import experiment_pages, table_page
from tests.unit.page.made_results import HOSTILE, made_results


def test_it_is_whole_and_escapes_what_it_shows():
    frame = pd.DataFrame({"policy": ["<b>x</b>", "=cmd"], "mean": [1234.5, float("nan")]})
    html = table_page(frame, "Values & more", "final")
    assert "<b>" not in html and "&lt;b&gt;x&lt;/b&gt;" in html
    assert "<h1>Values &amp; more</h1>" in html
    assert "1,234" in html
    assert 'download="final.csv"' in html and 'download="final.tex"' in html
    assert "default-src 'none'" in html


def test_stand_ins_are_called_out():
    frame = pd.DataFrame({"dataset": ["coupon", "edx"], "source": ["standin", "real"]})
    assert "Stand-in arms, not the real data: coupon." in table_page(frame, "t")
    assert "Stand-in" not in table_page(frame[1:], "t")


def test_an_experiment_has_its_league_and_its_claims():
    pages = experiment_pages(made_results(4, policy_labels=HOSTILE, source="standin"))
    assert set(pages) == {"league.html", "claims.html"}
    for html in pages.values():
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html
        assert "STAND-IN ARMS, NOT THE REAL DATA" in html
        assert '<details class="block" open>' in html


def test_without_claims_the_page_says_so():
    assert "None are checked here" in experiment_pages(made_results(1))["claims.html"]
