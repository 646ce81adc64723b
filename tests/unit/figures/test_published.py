"""Published runs under ours, whatever is there of either."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.made_results import made_results, made_series
from lincon.analysis.published import compare
from lincon.figures import drawing
from lincon.figures.published import published


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("policies", "runs"), [(1, 4), (2, 1), (18, 4)])
def test_their_runs_are_drawn_under_ours(policies, runs):
    results = made_results(policies=policies, arms=12, runs=runs, horizon=800)
    kept = list(results.policies)[:2]
    ours = dict(zip(kept, made_series(results.problem, policies, 800, runs), strict=False))
    theirs = dict(zip(kept, made_series(results.problem, policies, 800, 16), strict=False))
    comparison = compare(ours, theirs, results.problem)
    with drawing.styled():
        figure = published(results, comparison)
        figure.draw_without_rendering()
        words = {text.get_text() for text in figure.findobj(drawing.matplotlib.text.Text)}
        first = figure.axes[0].lines
    assert len(figure.axes) == 4 * len(kept)
    assert any("the authors' 16 runs" in text for text in words)
    assert any(f"our {runs} runs" in text for text in words)
    # Sixteen runs, their mean, our mean: in that order, from below.
    assert len(first) == 18
    assert first[-2].zorder < first[-1].zorder
    mean = np.mean([line.get_ydata() for line in first[:16]], axis=0)
    np.testing.assert_allclose(first[16].get_ydata(), mean)
