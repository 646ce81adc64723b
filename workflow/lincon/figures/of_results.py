"""What the figures of an experiment share: whose curves stand out, title, legend and footer."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure

from lincon.analysis.results import Results
from lincon.figures.drawing import (
    COLOURED,
    PROMINENT,
    Look,
    footer,
    looks,
    shared_legend,
    title,
)


def looks_of(results: Results) -> dict[str, Look]:
    """Where policies are many, those at the head of the league and those compared stand out."""
    if len(results.policies) <= COLOURED:
        return looks(results.policies)
    compared: list[str] = []
    if results.claims is not None:
        first = results.claims.iloc[0]
        compared = [first["policy"], first["against"]]
    ranked = [p for p in results.league["policy"] if p not in results.references]
    return looks(results.policies, list(dict.fromkeys([*compared, *ranked]))[:PROMINENT])


def finish(figure: Figure, results: Results, text: str = "", axes: Axes | None = None) -> Figure:
    """Title, legend of what is labelled in `axes`, and footer."""
    title(figure, text or results.title, results.problem)
    if axes is not None and axes.get_legend_handles_labels()[0]:
        shared_legend(figure, axes)
    known = not results.summary.empty
    runs, horizon = (results.runs, results.horizon) if known else (None, None)
    shaded = any(isinstance(c, PolyCollection) for axes in figure.axes for c in axes.collections)
    bands = results.bands if shaded else ""
    footer(figure, results.problem, runs, horizon, code=results.code, bands=bands)
    return figure
