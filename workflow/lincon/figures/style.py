"""One look for every figure: legible at a paper's column width, safe for colour-blind eyes.

A Python file and no .mplstyle, so that a change of it is seen like any other change of code.
"""

from typing import Any

from cycler import cycler

from lincon.figures.fonts import families
from lincon.study.style import Style, parameters

# Okabe and Ito's palette, the darker half first; black is left to the oracles.
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7A5195")
MUTED = "#BDBDBD"  # policies that do not stand out
REFERENCE = "#555555"  # what theory says, beside what was measured
WARNING = "#B00020"
STYLE: dict[str, Any] = {
    "figure.dpi": 100,
    "savefig.dpi": 200,
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
    "grid.color": "#e4e4e4",
    "grid.linewidth": 0.5,
    "axes.axisbelow": True,
    # Labels are text: a dollar is a dollar. (Without it, "$5 or $10" would be a formula.)
    "text.parse_math": False,
    "axes.formatter.use_mathtext": False,
    "axes.formatter.limits": (-5, 12),
    "lines.linewidth": 1.4,
    "lines.solid_capstyle": "round",
    "pdf.fonttype": 42,
    "axes.prop_cycle": cycler(color=PALETTE),
    # The same bytes every time: otherwise the names inside an SVG are drawn by lot.
    "svg.hashsalt": "lincon",
    # In PGF the fonts are those of the document that it is put into.
    "pgf.rcfonts": False,
    "pgf.texsystem": "pdflatex",
}
# They grow with font.size, unless they are set themselves.
SIZES = (
    "axes.titlesize",
    "axes.labelsize",
    "xtick.labelsize",
    "ytick.labelsize",
    "legend.fontsize",
)


def combined(style: Style) -> dict[str, Any]:
    """Matplotlib's parameters: lincon's own, and over them those of a style."""
    given = parameters(style)
    factor = given.get("font.size", STYLE["font.size"]) / STYLE["font.size"]
    # With a font of one's own, Matplotlib's families are as they are.
    own_font = any(name.startswith("font.") and name != "font.size" for name in given)
    font = {} if own_font else {"font.family": families()}
    return STYLE | font | {name: STYLE[name] * factor for name in SIZES} | given
