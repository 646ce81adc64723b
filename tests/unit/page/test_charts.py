"""What single charts of the page show, and how."""

from __future__ import annotations

import json

import pytest

from lincon.figures.claims import VERDICTS as DRAWN
from lincon.page import sections
from lincon.page.charts.intervals import VERDICTS
from tests.unit.page.made_results import made_results


def charts(policies: int) -> dict[str, sections.Chart]:
    section = sections.experiment("e", made_results(policies))
    return {chart.key.partition(".")[2]: chart for chart in section.charts}


@pytest.mark.parametrize(("policies", "chosen"), [(2, False), (18, True)])
def test_of_many_clouds_those_of_the_best_are_shown(policies, chosen):
    chart = charts(policies)["plays"]
    assert ("length(muted) >= 11" in json.dumps(chart.spec)) == chosen
    assert ("Of the 5 best policies" in chart.caption) == chosen


def test_red_is_for_what_does_not_hold_alone():
    assert [verdict for verdict, (colour, _) in VERDICTS.items() if colour == "@warning"] == [
        "does not hold"
    ]
    assert len({shape for _, shape in VERDICTS.values()}) == len(VERDICTS)
    assert set(VERDICTS) < set(DRAWN)
