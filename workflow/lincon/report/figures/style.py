"""Matplotlib's defaults, ours on top of them, and the config's `style` on top of ours."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.colors import to_hex

from lincon.report.palette import GRID, INK
from lincon.study.style import Style, parameters

PAGE = 7.0  # inches
# Below this width (in the usual font) panels are placed under each other.
NARROW = 5.0
STYLE: dict[str, Any] = {
    **dict.fromkeys(("text.color", "axes.edgecolor", "axes.labelcolor", "axes.titlecolor"), INK),
    **dict.fromkeys(("xtick.color", "ytick.color", "legend.labelcolor"), INK),
    "figure.dpi": 100,
    "savefig.dpi": 170,
    "figure.constrained_layout.use": True,
    "font.size": 8,
    "axes.titlesize": 8.5,
    "axes.titlelocation": "left",
    "axes.labelsize": 8,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "legend.fontsize": 7.5,
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
# They grow with font.size, unless they are set themselves.
SIZES = [name for name in STYLE if name.endswith(("labelsize", "titlesize", "legend.fontsize"))]
_STYLE: ContextVar[Style] = ContextVar("style")


@contextmanager
def styled(style: Style | None = None) -> Iterator[None]:
    """Draw by the style; the user's matplotlibrc changes nothing."""
    style = style or Style()
    token, chosen_rc = _STYLE.set(style), parameters(style)
    factor = chosen_rc.get("font.size", STYLE["font.size"]) / STYLE["font.size"]
    ours = STYLE | {name: STYLE[name] * factor for name in SIZES} | chosen_rc
    try:
        with plt.style.context(ours, after_reset=True):
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
    inches = chosen().inches
    return inches is not None and inches < size(NARROW)


def size(points: float) -> float:
    """A font size (or a length) that grows with Matplotlib's `font.size`."""
    return points * plt.rcParams["font.size"] / STYLE["font.size"]


def scale(what: str, default: str = "linear") -> str:
    """Whether an axis of rounds, a swept value or a metric is linear or log."""
    return dict[Any, str](chosen().scales).get(what, default)


def cycle() -> list[str]:
    """The colours of the style's own cycle; none where lincon's palette is in force."""
    own = parameters(chosen()).get("axes.prop_cycle")
    return [to_hex(colour) for colour in own.by_key().get("color", [])] if own else []
