"""Matplotlib's defaults, ours on top of them, and the config's `style` on top of ours."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

from lincon.report.palette import GRID, INK
from lincon.study.style import Style, parameters

PAGE = 7.0  # inches
# Below this width (in the usual font) panels are placed under each other.
NARROW = 5.0
FONT = 8.0  # points; other sizes are relative to it
STYLE: dict[str, Any] = {
    **dict.fromkeys(("text.color", "axes.edgecolor", "axes.labelcolor", "axes.titlecolor"), INK),
    **dict.fromkeys(("xtick.color", "ytick.color", "legend.labelcolor"), INK),
    **dict.fromkeys(("axes.titlesize", "legend.fontsize"), "medium"),
    **dict.fromkeys(("xtick.labelsize", "ytick.labelsize"), "small"),
    # One size for the layout and for every format: in others, letters are wider or narrower.
    "figure.dpi": 170,
    "savefig.dpi": "figure",
    "figure.constrained_layout.use": True,
    "font.size": FONT,
    "axes.titlelocation": "left",
    "legend.frameon": False,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.6,
    "axes.grid": True,
    "grid.color": GRID,
    "grid.linewidth": 0.5,
    "axes.axisbelow": True,
    # Labels are text: a dollar is a dollar. (Otherwise "$5 or $10" would be a formula.)
    "text.parse_math": False,
    "axes.formatter.limits": (-5, 12),
    "lines.linewidth": 1.4,
    "pdf.fonttype": 42,
    # Text stays text, and the names inside an SVG are the same every time.
    "svg.fonttype": "none",
    "svg.hashsalt": "lincon",
}
_STYLE: ContextVar[Style] = ContextVar("style")


@contextmanager
def styled(style: Style | None = None) -> Iterator[None]:
    """Draw by the style; the user's matplotlibrc changes nothing."""
    style = style or Style()
    token = _STYLE.set(style)
    try:
        with plt.style.context(STYLE | parameters(style), after_reset=True):
            yield
    finally:
        plt.close("all")
        _STYLE.reset(token)


def chosen() -> Style:
    """The style in force."""
    return _STYLE.get(Style())


def width(own: float = PAGE) -> float:
    """The width of a figure in inches: that of the style, otherwise its own."""
    return chosen().inches or own


def narrow() -> bool:
    """Whether the style asks for a column in which panels have no room beside each other."""
    return width() < NARROW * points() / FONT


def points() -> float:
    """The font size of labels."""
    return float(plt.rcParams["font.size"])
