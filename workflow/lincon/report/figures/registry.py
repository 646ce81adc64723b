"""Every figure, declared once: what draws it, what it shows, what a reader who cannot see it hears.

Nothing of Matplotlib is loaded here: the workflow and the page read this list too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any


@dataclass(frozen=True)
class Declaration:
    """`alt` may name {title} and {policies}, which are told when the figure is drawn.

    `draws` is its module and, where that is not the figure's name, its function. `claims`: whether
    it needs two policies that are compared.
    """

    name: str
    label: str
    draws: str
    caption: str
    alt: str
    claims: bool = False

    def load(self) -> Callable[..., Any]:
        """The function that draws it."""
        module, _, function = self.draws.partition(":")
        return getattr(import_module(f"lincon.report.figures.{module}"), function or self.name)

    def alt_text(self, title: str, policies: Sequence[str]) -> str:
        return self.alt.format(title=title, policies=", ".join(policies))


_BANDS = "Curves are means over runs, bands their 95% intervals."


def _by_name(*declarations: Declaration) -> dict[str, Declaration]:
    return {each.name: each for each in declarations}


FIGURES = _by_name(
    Declaration(
        "league",
        "The league",
        "league",
        "Left: the amount per round less its bound, so that right of zero the promise is kept. "
        "Right: joint regret at T, which is regret plus the price of every unit short. Bars are "
        "95% intervals of the mean. Policies are grouped by the share of runs that kept every "
        "constraint, and ranked by joint regret within a group.",
        "{title}: how far above its bound each policy is, and its joint regret: {policies}.",
    ),
    Declaration(
        "plane",
        "Regret against shortfall",
        "plane",
        "Regret against shortfall at T, both signed and realised: left of zero the promise is "
        "kept. Crosses are 95% intervals of the means; the plus at the origin is the optimum. "
        "With several constraints, the one with the largest price.",
        "{title}: regret against shortfall at T for {policies}.",
    ),
    Declaration(
        "shortfall",
        "Shortfall over time",
        "shortfall",
        f"How much a policy is short of each bound, realised; below zero it is kept. {_BANDS}",
        "{title}: shortfall over the rounds for {policies}.",
    ),
    Declaration(
        "panels",
        "The paper's panels",
        "panels",
        "Over time, by the paper's equations (expected basis): regret, violation, reward and "
        "their ratio, or the panels that `style.panels` names. A ratio is left out where a "
        f"policy's violation comes back to zero. {_BANDS}",
        "{title}: regret, violation, reward and their ratio over the rounds for {policies}.",
    ),
    Declaration(
        "arms",
        "The arms and the optimum",
        "arms",
        "Every arm by what it adds to the constraint and what it earns. The optimum is where the "
        "upper envelope crosses the bound; the optimal arms are named, with their shares.",
        "{title}: the arms, their upper envelope and the bound.",
    ),
    Declaration(
        "growth",
        "Growth against theory",
        "growth",
        "Left: composite regret against log t, with the slope C of the lower bound. Right: joint "
        f"regret in units of C log t; no policy that is good on every problem stays below 1. "
        f"{_BANDS}",
        "{title}: regret against the lower bound for {policies}.",
    ),
    Declaration(
        "plays",
        "Plays of suboptimal arms",
        "plays",
        "Each suboptimal arm's mean plays at T against log T / d(\u03bc, \u03be), the number of "
        "Lemma 2; the line is y = x.",
        "{title}: plays of every suboptimal arm against theory's number for {policies}.",
    ),
    Declaration(
        "claims",
        "The paper's claims",
        "claims",
        "Differences at T with 95% intervals of paired runs, in per cent of what they are held "
        "against; the tinted side is the one claimed. A claim holds or fails only where its whole "
        "interval, corrected for the number of claims, is on one side.",
        "{title}: the paper's claims with intervals and verdicts.",
        claims=True,
    ),
    Declaration(
        "realised",
        "The panels, realised",
        "panels",
        "The same panels of the rewards and events that were seen. Dotted: what the optimal "
        f"mixture itself shows by luck alone. {_BANDS}",
        "{title}: the realised panels over the rounds for {policies}.",
    ),
)
PUBLISHED = Declaration(
    "published",
    "Beside the authors' runs",
    "published",
    "Thin lines are the authors' runs, the dashed curve their mean, the grey band one standard "
    "deviation; in colour our mean with its 95% interval. Realised rewards and events.",
    "{title}: our runs and the authors' for {policies}.",
)
SWEEPS = _by_name(
    Declaration(
        "sweep",
        "The sweep",
        "sweeps",
        "Regret, violation and joint regret at T against the swept value, means with 95% "
        "intervals. Crosses on the axis: infeasible; rings: no constraint binds.",
        "{title}: values at T against the swept value for {policies}.",
    ),
    Declaration(
        "frontier",
        "The frontier",
        "sweeps",
        "The optimal reward per round against the bound, and what each policy reached: a filled "
        "mark where it kept the bound in 80% of its runs or more, a hollow one where it did not.",
        "{title}: reward against the bound, the optimum and {policies}.",
    ),
    Declaration(
        "heat_map",
        "The map",
        "sweeps",
        "Joint regret at T over two swept values: of two policies their difference, of more one "
        "panel per policy with one colour scale for all. Crosses: infeasible.",
        "{title}: joint regret at T over two swept values for {policies}.",
    ),
)
ATLAS = _by_name(
    Declaration(
        "map",
        "Who wins where",
        "atlas:winners",
        "The policy with the lowest joint regret in every cell, by its initials; families of "
        "policies share a colour. The number is how many times as much the next has.",
        "{title}: the winning policy by slack, number of arms and correlation.",
    ),
)
DECLARED = FIGURES | SWEEPS | ATLAS | {"published": PUBLISHED}
LABELS = {name: each.label for name, each in DECLARED.items()}


def figure_names(compared: bool) -> list[str]:
    """The figures of an experiment that is not a sweep, with or without the claims."""
    return [each.name for each in FIGURES.values() if compared or not each.claims]
