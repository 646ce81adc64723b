"""What a sweep says, by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from lincon.analysis.sweeps import colour_top, where_the_floor_binds, who_leads

LABELS = {"a": "A", "b": "B"}


def values(**means: list[float]) -> pd.DataFrame:
    """One row a policy and eta; intervals reach 2 to either side."""
    parts = [
        pd.DataFrame({"eta": range(len(mean)), "policy": policy, "mean": np.array(mean)})
        for policy, mean in means.items()
    ]
    frame = pd.concat(parts, ignore_index=True)
    return frame.assign(ci_low=frame["mean"] - 2.0, ci_high=frame["mean"] + 2.0)


def test_who_has_the_least_at_how_many_points():
    found = values(a=[10.0, 10.0, 10.0, 30.0], b=[20.0, 13.0, 15.0, 10.0])
    assert who_leads(found, ["eta"], LABELS) == [
        "A has the least mean composite regret at 3 of 4 points within reach, B at 1; at 3 "
        "the 95% interval of the best lies below that of the next."
    ]


def test_nobody_leads_alone_and_no_oracle_at_all():
    assert who_leads(values(a=[1.0]), ["eta"], LABELS) == []
    with_oracle = values(a=[10.0], b=[20.0], oracle=[0.0])
    assert "at 1 of 1 points within reach; at 1 the" in who_leads(with_oracle, ["eta"], LABELS)[0]


def test_a_point_that_only_one_policy_has_is_told_from_nobody():
    found = values(a=[10.0, 10.0], b=[20.0, np.nan])
    assert "at 2 of 2 points within reach; at 1 the" in who_leads(found, ["eta"], LABELS)[0]


def test_where_the_floor_binds():
    states = pd.DataFrame({"feasible": [True, True, False], "binding": [True, False, False]})
    said = "The floor is out of reach at 1 and does not bind at 1 of 3 points."
    assert where_the_floor_binds(states) == [said]
    assert where_the_floor_binds(states[:1]) == []


@pytest.mark.parametrize(
    ("last", "top"), [(1.2, 1.2), (1.6, 1.0), (100.0, 1.0)], ids=["near", "out", "far out"]
)
def test_colours_end_before_what_stands_far_out(last, top):
    assert colour_top(pd.Series([1.0] * 99 + [last])) == pytest.approx(top, abs=1e-9)


def test_colours_of_few_cells_and_of_none():
    assert colour_top(pd.Series([1.0, 1.0, 1.0, 10.0])) == 10.0
    assert colour_top(pd.Series([-3.0, -1.0])) == -1.0
    assert colour_top(pd.Series([np.nan])) == 1.0
