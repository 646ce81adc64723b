"""The panels: from zero up, and by decades where one policy dwarfs another."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from lincon.figures import panels
from lincon.figures.drawing import plt


def height_of(ratios: dict[str, float]) -> tuple[str, tuple[float, float]]:
    """The scale and the limits of a ratio panel in which every policy's ratio grows to a value."""
    t = np.linspace(1, 100, 50)
    rows = pd.concat(
        pd.DataFrame({"policy": name, "t": t, "mean": top * t / 100, "ci_high": top * t / 100})
        for name, top in ratios.items()
    )
    _, axes = plt.subplots()
    panels.frame_height(axes, rows, "ratio")
    plt.close("all")
    return axes.get_yscale(), axes.get_ylim()


def test_ratios_of_one_size_start_at_zero():
    assert height_of({"a": 2.0, "b": 1.0}) == ("linear", pytest.approx((-0.04, 2.1)))


def test_a_ratio_that_dwarfs_another_goes_by_decades():
    scale, (low, high) = height_of({"a": 500.0, "b": 1.0})
    assert scale == "log"
    assert 0.0 < low < 0.1 and high > 500.0


def test_no_ratio_at_all_is_no_reason_for_decades():
    assert height_of({"a": np.nan, "b": np.nan})[0] == "linear"
