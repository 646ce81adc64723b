"""log and exp on arrays, against Python's."""

from __future__ import annotations

import math

import numpy as np

from lincon.analysis.c_library import exp, log


def test_numbers_and_arrays_of_any_shape():
    assert float(log(10)) == math.log(10)
    t = np.array([[1, 2, 3], [10, 100, 1000]])
    assert log(t).tolist() == [[math.log(each) for each in row] for row in t.tolist()]
    assert log(np.array([])).shape == (0,)
    assert exp(-t).tolist() == [[math.exp(-each) for each in row] for row in t.tolist()]
