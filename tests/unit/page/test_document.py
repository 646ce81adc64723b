"""The page as a file: whole, safe and reproducible; what only a browser shows is in tests/page."""

import base64
import gzip
import json
import re
from html.parser import HTMLParser

import altair as alt
import pytest

from lincon.page import Study, build, document, sections
from tests.unit.page.made_results import HOSTILE, LINKS, made_results, made_study, made_sweep

pytestmark = pytest.mark.slow

SWEPT = (("eta",), ("horizon", "eta"))


def payload(html: str) -> dict:
    packed = re.search(r'<script type="text/plain" id="data">([^<]*)</script>', html)[1]
    return json.loads(gzip.decompress(base64.b64decode(packed)))


@pytest.fixture(scope="module")
def hostile():
    return made_results(
        4,
        title="<script>alert(1)</script>",
        labels=[*HOSTILE, *LINKS[4:]],
        policy_labels=HOSTILE,
        source="standin",
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory, hostile):
    folder = tmp_path_factory.mktemp("page")
    figures = folder / "figures" / "links"
    figures.mkdir(parents=True)
    for name in ("regret", "arms"):
        (figures / f"{name}.pdf").write_bytes(b"%PDF " + name.encode())
    sweeps = [made_sweep(axes) for axes in SWEPT]
    build(made_study(), [hostile], sweeps, folder / "report.html")
    return folder


@pytest.fixture(scope="module")
def html(folder):
    return (folder / "report.html").read_text(encoding="utf-8")


class Tags(HTMLParser):
    """The scripts' beginnings, and every address that a browser would follow by itself."""

    def __init__(self):
        super().__init__()
        self.scripts = 0
        self.loaded = []

    def handle_starttag(self, tag, attributes):
        known = dict(attributes)
        self.scripts += tag == "script"
        self.loaded += [known[name] for name in ("src", "srcset", "data") if name in known]
        if tag == "link":
            self.loaded.append(known.get("href"))


def test_it_loads_nothing_and_has_no_script_but_its_own(html):
    tags = Tags()
    tags.feed(html)
    assert tags.loaded == []
    assert tags.scripts == 4  # data, charts, tables, page
    assert "default-src 'none'" in html


def test_labels_and_texts_are_escaped(html):
    assert "<script>alert" not in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html
    assert "{{7*7}}" in html and ">49<" not in html
    assert "$5 or $10" in html


def test_what_a_reader_needs_is_there_without_a_script(html):
    text = re.sub(r"<script.*?</script>", "", html, flags=re.DOTALL)
    for words in (
        "Stand-in arms, not the real data",
        "snakemake --cores 8",
        "0123456789abcdef (with changes not committed)",
        "https://example.org/links.csv",
        "0" * 64,
        "@inproceedings{saxena2020thompson",
        "experiments:",
        "Time by rule",
    ):
        assert words in text


def test_the_data_are_those_of_the_results(html, hostile):
    data = payload(html)["data"]["e0.regret"]
    rows = hostile.summary[hostile.summary["metric"] == "regret"]
    assert data["mean"] == pytest.approx(rows["mean"].tolist(), rel=1e-5)
    assert data["t"] == rows["t"].tolist()


def test_pdfs_are_within_the_page_and_linked_when_there_is_no_room(folder, hostile, monkeypatch):
    made = [sections.experiment("e0", hostile)]
    inside = document._pdfs(made, folder)
    assert set(inside) == {"e0.regret", "e0.arms"}
    assert inside["e0.arms"]["href"].startswith("data:application/pdf;base64,")
    monkeypatch.setattr(document, "PDF_BUDGET", 11)
    linked = document._pdfs(made, folder)
    assert linked["e0.regret"]["href"].startswith("data:")
    assert linked["e0.arms"]["href"] == "figures/links/arms.pdf"


def test_the_same_results_give_the_same_bytes(folder, hostile, html):
    sweeps = [made_sweep(axes) for axes in SWEPT]
    build(made_study(), [hostile], sweeps, folder / "again.html")
    assert (folder / "again.html").read_text(encoding="utf-8") == html


def test_every_kind_of_chart_is_valid_vega_lite():
    """Altair checks against the schema as it writes, which `build` leaves out for its time."""
    with alt.utils.schemapi.debug_mode(True):
        made = [sections.experiment("e0", made_results(2))]
        made += [sections.sweep(f"s{i}", made_sweep(axes)) for i, axes in enumerate(SWEPT)]
    kinds = {chart.key.split(".")[1] for chart in made[0].charts}
    assert kinds == {
        *("regret", "violation", "reward", "ratio", "deficit", "plane", "league"),
        *("arms", "plays", "composite", "claims"),
    }


def test_a_floor_out_of_reach_and_a_single_policy_have_a_page(tmp_path):
    results = [made_results(2, eta=0.7), made_results(1, name="one", runs=1)]
    build(Study("bare"), results, [], tmp_path / "report.html")
    html = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "No policy can meet a floor of 70%" in html
    assert {"e0.violation", "e1.regret"} <= set(payload(html)["data"])


def test_sections_of_the_same_title_are_told_apart(folder):
    results = made_results(2, title="Sweep over eta")
    build(Study("s"), [results], [made_sweep()], folder / "same.html")
    html = (folder / "same.html").read_text(encoding="utf-8")
    assert ">Sweep over eta (links)</h2>" in html
    assert ">Sweep over eta (eta)</h2>" in html


def test_provenance_comes_from_the_record_of_the_study():
    study = Study.from_provenance(
        "s",
        {
            "git": {"commit": "abc", "dirty": True},
            "datasets": {"edx": {"sha256": "0"}},
            "times": [{"rule": "page", "jobs": 1}],
            "command": "make",
        },
    )
    assert (study.commit, study.dirty, study.command) == ("abc", True, "make")
    assert study.datasets == [{"name": "edx", "sha256": "0"}]
    assert study.times["rule"].tolist() == ["page"]
    assert Study.from_provenance("s", {}).times is None
