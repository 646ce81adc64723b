"""The page as a file: what it says, and that nothing in it can be taken for HTML or code."""

import base64
import gzip
import json
import re

import pytest

from benchmarks.made_results import HOSTILE, SEVERAL, SPENDING, made_results, made_sweep
from lincon.report.figures.draw import draw
from lincon.report.page import sections
from lincon.report.page.build import build
from lincon.report.sentences import finding

SMALL = {"arms": 12, "runs": 6, "horizon": 800}
RECORD = {
    "study": "a study",
    "git": {"commit": "0123456789abcdef", "dirty": True},
    "seeds": {"seed": 7, "runs": 6},
    "command": "snakemake --cores 8",
    "config": {"seed": 7},
    "datasets": {"made": {"source": "formula", "sha256": "0" * 64}},
}


@pytest.fixture(scope="module")
def results():
    hostile = made_results(
        4, labels=HOSTILE, arm_labels=HOSTILE, name="hostile", title="<b>&{{1}}</b>", **SMALL
    )
    return [made_results(3, title="Links", **SMALL), hostile]


@pytest.fixture(scope="module")
def page(results, tmp_path_factory) -> str:
    folder = tmp_path_factory.mktemp("page")
    figures = [folder / "made" / f"{name}.png" for name in ("league", "arms", "growth")]
    draw(figures, None, results[0])
    for name in ("report.html", "again.html"):
        build(RECORD, results, [made_sweep()], figures, folder / name)
    assert (folder / "report.html").read_bytes() == (folder / "again.html").read_bytes()
    return (folder / "report.html").read_text()


def payload(page: str) -> dict:
    packed = re.search(r'<script type="text/plain" id="data">([^<]*)</script>', page)[1]
    return json.loads(gzip.decompress(base64.b64decode(packed)))


def test_it_says_what_was_found_and_where_it_came_from(page, results):
    assert f"<title>{finding(results[0])} · lincon</title>" in page
    assert finding(results[0]) == re.search(r"<h1[^>]*>([^<]*)</h1>", page)[1]
    for said in ("commit 0123456789 with changes", "seed 7", "snakemake --cores 8", "0" * 64):
        assert said in page
    # Figures are inside once, and not those that are drawn live.
    assert page.count("data:image/png;base64,") == 2 and "the optimum mixes 2 arms" in page


def test_labels_are_text_wherever_they_stand(page):
    assert "<script>alert" not in page and "&lt;script&gt;alert(1)" in page
    assert "<b>&{{1}}" not in page and "{{7*7}}" in page


def test_it_loads_nothing_and_evaluates_nothing(page):
    assert not re.search(r"""(src|href)=["'](https?:)?//""", page)
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1]
    assert "default-src 'none'" in policy and "unsafe-eval" not in policy


def test_charts_hold_the_numbers_of_the_summary(page, results):
    section = payload(page)["sections"]["x-made"]
    rows = results[0].rows("violation_0", "realised")
    last = rows[(rows["policy"] == "p1") & (rows["t"] == section["t"][-1])].iloc[0]
    curves = section["panels"]["violation_0"]["curves"]["realised"]["p1"]
    expected = [last[name] for name in ("mean", "ci_low", "ci_high")]
    assert [curve[-1] for curve in curves] == pytest.approx(expected, rel=1e-5)
    assert {point["p"] for point in section["plane"]["points"]} == {"p0", "p1", "p2"}


def test_the_dot_table_is_grouped_as_the_league(results):
    made = sections.of_experiment("x", results[0], [])
    rows = [row for _, rows in made.groups for row in rows]
    labels, league = results[0].labels, results[0].league
    assert [row["look"].label for row in rows] == [labels[policy] for policy in league["policy"]]
    (strip,) = made.strips
    assert 0.0 < strip.at < 100.0 and strip.heading == "event rate (floor 50%)"
    assert {row["standing"] for row in rows} == {"adapted, needs T"}
    for row, (_, known) in zip(rows, league.iterrows(), strict=True):
        mark = row["marks"][0]
        assert 0.0 <= mark["low"] <= mark["at"] <= mark["high"] <= 100.0
        assert mark["text"] == f"{100.0 * known['rate_0']:.2f}%"


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"policies": 2, "eta": 0.9}, "No mixture of arms keeps the floor of 90%"),
        ({"policies": 1, "runs": 1}, "1 run"),
        ({"policies": 3, "eta": SEVERAL}, "price (at most 0.5)"),
    ],
)
def test_whatever_comes_has_a_page(settings, said, tmp_path):
    made = made_results(**SMALL | settings, source="standin", dataset="edx")
    build({}, [made], [], [], tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text()
    assert said in text
    assert text.index("Stand-in arms, not the real data: edx.") < text.index("<section")


def test_a_goal_that_costs_is_counted_in_cost():
    made = sections.of_experiment("x", made_results(2, eta=SPENDING, **SMALL), [])
    panels = made.payload["panels"]
    assert made.counted == "cost" and "ratio" not in panels
    assert panels["reward"]["title"] == "Cost"
    assert all(x >= 0.0 for x in panels["reward"]["curves"]["expected"]["p0"][0][5:])


def test_numbers_of_the_dot_table_are_brief():
    assert sections.brief(252.4, 245.0, 259.0) == "252 ± 7"
    assert sections.brief(11_353_169.0, 11_000_000.0, 11_600_000.0) == "11.4 ± 0.3 M"
    assert sections.brief(float("nan"), 0.0, 0.0) == ""
