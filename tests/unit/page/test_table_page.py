"""One table as a page of its own."""

import pandas as pd

from lincon.page import table_page


def test_it_is_whole_and_escapes_what_it_shows():
    frame = pd.DataFrame({"policy": ["<b>x</b>", "=cmd"], "mean": [1234.5, float("nan")]})
    html = table_page(frame, "Values & more", names={"mean": "mean at T"}, key="final")
    assert "<b>" not in html and "&lt;b&gt;x&lt;/b&gt;" in html
    assert "<h1>Values &amp; more</h1>" in html
    assert "mean at T" in html and "1,234" in html
    assert 'download="final.csv"' in html and 'download="final.tex"' in html
    assert "default-src 'none'" in html


def test_stand_ins_are_called_out():
    frame = pd.DataFrame({"dataset": ["coupon", "edx"], "source": ["standin", "real"]})
    assert "Stand-in arms, not the real data: coupon." in table_page(frame, "t")
    assert "Stand-in" not in table_page(frame[1:], "t")
