"""The page's file: nothing that comes from configs, data or figures can become HTML or code."""

import base64
import hashlib
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from benchmarks.made_results import HOSTILE, made_results
from lincon.report.page import build
from lincon.report.page.build import overview
from lincon.report.page.svg import picture

ATTACKS = (
    "</script><script>alert(1)</script>",
    "</style><svg onload=alert(1)>",
    "</svg><img src=x onerror=alert(1)>",
    "\"><a href='javascript:alert(1)'>x</a>",
    "{{ 7 * 7 }}{% raw %}",
)
FIGURE = """<?xml version="1.0"?>
<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"
 xmlns:dc="http://purl.org/dc/elements/1.1/" viewBox="0 0 100 80">
 <metadata><dc:title>&lt;/svg&gt;&lt;script&gt;alert(1)&lt;/script&gt;</dc:title></metadata>
 <defs><clipPath id="clip"><rect width="9" height="9"/></clipPath></defs>
 <g id="head-11.5"><text>title</text></g>
 <g id="policy-a:b:7"><path d="M 1.23456 2" style="stroke: #0072b2" clip-path="url(#clip)"/></g>
 <text style="font-family: 'A', serif; fill: #1b1f24">&lt;/svg&gt;&lt;b&gt;</text>
</svg>"""


class Elements(HTMLParser):
    """Every element with its attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))

    def unsafe(self) -> list[tuple[str, dict[str, str | None]]]:
        """Elements that run or load something."""
        loading = ("iframe", "object", "embed", "link", "base", "form", "img", "foreignobject")
        return [
            (tag, attributes)
            for tag, attributes in self.seen
            if tag in loading
            or any(name.startswith("on") for name in attributes)
            or any(":" in (x or "") for n, x in attributes.items() if n.endswith(("href", "src")))
        ]


@pytest.fixture(scope="module")
def hostile(tmp_path_factory) -> str:
    folder = tmp_path_factory.mktemp("hostile")
    (folder / "plane.svg").write_text(FIGURE, "utf-8")
    results = made_results(
        4, arms=20, runs=2, labels=ATTACKS, arm_labels=ATTACKS, name="x", title=" ".join(ATTACKS)
    )
    record = {"study": ATTACKS[0], "config": {"label": ATTACKS[0]}, "command": ATTACKS[1]}
    build(record, [results], [], {"x": folder}, folder / "report.html")
    return (folder / "report.html").read_text("utf-8")


def test_one_script_runs_and_it_is_ours(hostile):
    parsed = Elements(hostile)
    assert [tag for tag, _ in parsed.seen].count("script") == 1
    script = hostile.split("<script>")[1].split("</script>")[0]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = next(a["content"] for tag, a in parsed.seen if a.get("http-equiv"))
    assert f"script-src 'sha256-{digest}'" in policy and "default-src 'none'" in policy


def test_labels_stay_text(hostile):
    assert Elements(hostile).unsafe() == []
    assert "{{ 7 * 7 }}" in hostile and "&lt;/script&gt;&lt;script&gt;" in hostile


def test_a_figure_keeps_what_it_draws(tmp_path):
    path = tmp_path / "plane.svg"
    path.write_text(FIGURE, "utf-8")
    drawn = picture(path, "f1-")
    assert drawn["title"] == "</svg><script>alert(1)</script>" and drawn["caption"] == ""
    assert ">title<" not in drawn["svg"] and "serif" not in drawn["svg"]
    assert 'viewBox="0 11.50 100.00 68.50"' in drawn["svg"]
    assert 'data-policy="a:b"' in drawn["svg"] and "stroke: var(--x0072b2)" in drawn["svg"]
    assert 'clip-path="url(#f1-clip)"' in drawn["svg"] and 'id="f1-clip"' in drawn["svg"]
    assert 'd="M 1.23 2"' in drawn["svg"] and "&lt;/svg&gt;&lt;b&gt;" in drawn["svg"]


def test_a_dear_keeper_is_shown_beside_the_lowest_joint_regret():
    """The keeper of these eleven has several times the joint regret of the best."""
    shown = overview([made_results(11, arms=20)])
    assert [(row["label"], row["group"], row["tone"]) for row in shown["rows"]] == [
        ("TS ledger", "kept", "warning"),
        ("Con-UCB", "never", "warning"),
    ]
    assert shown["columns"] == ["floor", "reached", "kept", "reward", "joint regret (95%)"]


def test_two_policies_are_compared_with_the_baseline():
    shown = overview([made_results(2, arms=20, labels=HOSTILE)])
    assert shown["against"] == "{{7*7}}" and len(shown["rows"]) == 1
    assert shown["columns"][3:5] == ["regret", "violation"]


def test_experiments_without_the_baseline_are_shown_beside_those_with_it():
    both = made_results(2, arms=20)
    shown = overview([both, replace(both, name="other", compare=())])
    assert shown["against"] == "" and len(shown["rows"]) == 2
