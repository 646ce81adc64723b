"""The wireless formula, and what makes no sense in it."""

import numpy as np
import pytest

from lincon.data.sources import extract
from lincon.errors import UserError
from lincon.problem.solve import solve_problem


def test_wireless_by_default_binds_at_nine_tenths_and_mixes_neighbours():
    made = extract({"kind": "wireless"}, [], "wireless")
    assert len(made) == 24
    assert made.label[0] == "0.25 bit/s/Hz"
    assert made.value[-1] == 1
    assert made.mean[3] == pytest.approx(np.exp(-1 / 10**1.5))  # 1 bit/s/Hz
    assert (np.diff(made.mean) < 0).all()
    assert made.source == "formula"
    problem = solve_problem(made, 0.9)
    assert problem.binds
    low, high = sorted(problem.support)
    assert high - low == 1


def test_wireless_takes_its_rates_and_its_snr():
    spec = {"kind": "wireless", "snr": 0, "rates": {"low": 1, "high": 3, "count": 3}}
    made = extract(spec, [], "wireless")
    np.testing.assert_allclose(made.mean, np.exp([-1.0, -3.0, -7.0]))
    np.testing.assert_allclose(made.value, [1 / 3, 2 / 3, 1])


def test_rates_that_do_not_rise_are_refused():
    with pytest.raises(UserError, match=r"datasets\.w\.rates goes from 7 to 6; low must be below"):
        extract({"kind": "wireless", "rates": {"low": 7}}, [], "w")
