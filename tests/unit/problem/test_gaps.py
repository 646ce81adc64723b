"""What a play costs, by hand."""

from __future__ import annotations

import numpy as np

from lincon.data import arms
from lincon.problem.gaps import gaps


def test_gaps_by_hand():
    """With lambda* = 0.25 the arms are worth 0.75 x 0.4, 0.5 x 0.6 and 0.55 x 0.5; nu* = 0.3."""
    made = arms.make([0.4, 0.6, 0.5], [0.5, 0.25, 0.3])
    found = gaps(made, 0.25, 0.3)
    assert found[:2].tolist() == [0.0, 0.0]
    np.testing.assert_allclose(found[2], 0.3 - 0.275)


def test_what_rounding_leaves_of_a_tie_is_a_tie():
    made = arms.make([0.4, 0.4], [0.5, 0.5])
    assert gaps(made, 0.25, 0.75 * 0.4 + 1e-13).tolist() == [0.0, 0.0]


def test_without_an_optimum_nothing_is_known():
    assert np.isnan(gaps(arms.make([0.4], [0.5]), None, None)).all()
