"""Every figure, declared once: what draws it, and what it shows.

Nothing of Matplotlib is loaded here: the workflow and the page read this list too.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple

_BANDS = "Curves are means over runs, bands their 95% intervals."


class Figure(NamedTuple):
    label: str
    caption: str


EXPERIMENT = {
    "league": Figure(
        "The league",
        "Left: the amount per round less its bound, so that right of zero the promise is kept. "
        "Right: joint regret at T, which is regret plus the price of every unit short. Bars are "
        "95% intervals of the mean. Policies are grouped by the share of runs that kept every "
        "constraint, and ranked by joint regret within a group.",
    ),
    "plane": Figure(
        "Regret against shortfall",
        "Regret against shortfall at T, both signed and realised: left of zero the promise is "
        "kept. Crosses are 95% intervals of the means; the plus at the origin is the optimum. "
        "With several constraints, the one with the largest price.",
    ),
    "shortfall": Figure(
        "Shortfall over time",
        f"How much a policy is short of each bound, realised; below zero it is kept. {_BANDS}",
    ),
    "panels": Figure(
        "The paper's panels",
        "Over time, by the paper's equations (expected basis): regret, violation, reward and "
        "their ratio, or the panels that `style.panels` names. A ratio is left out where a "
        f"policy's violation comes back to zero. {_BANDS}",
    ),
    "arms": Figure(
        "The arms and the optimum",
        "Every arm by what it adds to the constraint and what it earns. The optimum is where the "
        "upper envelope crosses the bound; the optimal arms are named, with their shares.",
    ),
    "growth": Figure(
        "Growth against theory",
        "Left: composite regret against log t, with the slope C of the lower bound. Right: joint "
        f"regret in units of C log t; no policy that is good on every problem stays below 1. "
        f"{_BANDS}",
    ),
    "plays": Figure(
        "Plays of suboptimal arms",
        "Each suboptimal arm's mean plays at T against log T / d(\u03bc, \u03be), the number of "
        "Lemma 2; the line is y = x.",
    ),
    "claims": Figure(
        "Claims and verdicts",
        "Differences at T with 95% intervals of paired runs, in per cent of what they are held "
        "against; the tinted side is the one claimed. A claim holds or fails only where its whole "
        "interval, corrected for the number of claims, is on one side.",
    ),
    "realised": Figure(
        "The panels, realised",
        "The same panels of the rewards and events that were seen. Dotted: what the optimal "
        f"mixture itself shows by luck alone. {_BANDS}",
    ),
}
DECLARED = EXPERIMENT | {
    "published": Figure(
        "Beside the authors' runs",
        "Thin lines are the authors' runs, the dashed curve their mean, the grey band one standard "
        "deviation; in colour our mean with its 95% interval. Realised rewards and events.",
    ),
    "sweep": Figure(
        "The sweep",
        "Regret, violation and joint regret at T against the swept value, means with 95% "
        "intervals. Crosses on the axis: infeasible; rings: no constraint binds.",
    ),
    "frontier": Figure(
        "The frontier",
        "The optimal reward (or cost) per round against the bound, and what each policy reached: a "
        "filled mark where it kept the bound in 80% of its runs or more, a hollow one where it did "
        "not; over two bounds a map each, numbers in brackets where they were not kept.",
    ),
    "heat_map": Figure(
        "The map",
        "Joint regret at T over two swept values: of two policies their difference, of more one "
        "panel per policy with one colour scale for all. Crosses: infeasible.",
    ),
    "winners": Figure(
        "Who wins where",
        "In every cell the policy that keeps the floor with the lowest joint regret, by its "
        "initials; families of policies share a colour. The number is how many times as much the "
        "next has. Grey: no policy keeps the floor in 80% of its runs.",
    ),
}
LABELS = {name: each.label for name, each in DECLARED.items()}
# Which module has the functions of these names, which draw them.
MODULES = {
    "panels": ("panels", "realised", "shortfall", "growth", "published"),
    "points": ("plane", "arms", "plays"),
    "rows": ("league", "claims"),
    "sweeps": ("sweep", "frontier", "heat_map", "winners"),
}


def drawing(name: str) -> Callable[..., Any]:
    """The function that draws the figure."""
    (module,) = (module for module, names in MODULES.items() if name in names)
    return getattr(import_module(f"lincon.report.figures.{module}"), name)


def figure_names(compared: bool) -> list[str]:
    """The figures of an experiment that is not a sweep, with or without the claims."""
    return [name for name in EXPERIMENT if compared or name != "claims"]
