"""What single charts of the page show, and how."""

from __future__ import annotations

import json

import pandas as pd
import pytest

from lincon.figures.claims import VERDICTS as DRAWN
from lincon.page import sections
from lincon.page.charts.base import Chart
from lincon.page.charts.intervals import VERDICTS
from lincon.page.charts.sweeps import sweep_charts
from lincon.page.looks import looks
from lincon.page.record import Sweep
from tests.unit.page.made_results import made_results, policies


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


def wide_sweep(columns: int, outlier: float = 1.0) -> Sweep:
    """Two policies over `columns` x 3 points, a composite regret of 1 but in one cell."""
    cells = [{"eta": x / 100, "snr": y} for x in range(columns) for y in range(3)]
    rows = [
        cell | {"policy": p, "metric": "composite", "mean": 1.0, "ci_low": 0.9, "ci_high": 1.1}
        for p in ("policy_0", "policy_1")
        for cell in cells
    ]
    rows[0]["mean"] = outlier
    values = pd.DataFrame(rows).assign(n_runs=4)
    states = pd.DataFrame(cells).assign(feasible=True, binding=True)
    return Sweep("wide", "Wide", ("eta", "snr"), values, states, policies(2))


def heat_map(sweep: Sweep) -> tuple[dict, Chart]:
    """The rectangles of the first chart's specification, and the chart."""
    chart = sweep_charts("s", sweep, looks(sweep.policies))[0]
    (rectangles, *_) = chart.spec["layer"]
    return rectangles["encoding"]["color"], chart


def test_cells_have_numbers_while_there_is_room_and_else_a_scale():
    colour, chart = heat_map(wide_sweep(12))
    assert colour["legend"] is None and "brightest" not in chart.caption
    assert "isValid(datum.mean)" in str(chart.spec["layer"][1]["transform"])
    colour, chart = heat_map(wide_sweep(30))
    assert colour["legend"] is not None
    assert chart.spec["layer"][1]["transform"] == [{"filter": "false"}]


def test_a_cell_that_stands_far_out_has_the_last_colour():
    colour, chart = heat_map(wide_sweep(30, outlier=50.0))
    assert colour["scale"]["domain"] == [0.0, 1.0] and colour["scale"]["clamp"]
    assert "The brightest colour stands for 1 and more." in chart.caption
