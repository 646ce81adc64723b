"""Every figure, declared once: what draws it, what it shows, what a reader who cannot see it hears.

Nothing of Matplotlib is loaded here: the workflow and the page read this list too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lincon.analysis.results import Results


@dataclass(frozen=True)
class Declaration:
    """`alt` may name {title}, {policies}, {dataset}, {eta} and {horizon} of the experiment.

    `claims`: whether it needs two policies that are compared.
    """

    name: str
    function: str
    group: str
    caption: str
    alt: str
    claims: bool = False

    def load(self) -> Callable[..., Any]:
        """The function that draws it."""
        module, function = self.function.split(":")
        return getattr(import_module(f"lincon.figures.{module}"), function)

    def alt_text(self, results: Results) -> str:
        return self.alt.format(
            title=results.title,
            policies=", ".join(results.labels.values()),
            dataset=results.problem.dataset,
            eta=f"{results.problem.eta:g}",
            horizon=f"{results.horizon:,}",
        )


_BANDS = "Curves are means over runs; bands are pointwise 95% t intervals of the mean."
_SINGLE = f"By the paper's equations (expected basis). {_BANDS}"
FIGURES = {
    each.name: each
    for each in (
        Declaration(
            "league",
            "league:league",
            "league",
            "Composite regret at T with its 95% interval, the best on top; policies in blue cannot "
            "be told from the best (paired t tests, Holm over all pairs). Beside it, but not in a "
            "column: in how many runs the floor was met at T, the largest deficit of any run, and "
            "from which round on the floor was kept in the median run.",
            "{title}: policies ranked by composite regret at T = {horizon}: {policies}.",
        ),
        Declaration(
            "plane",
            "plane:plane",
            "league",
            "Regret against violation at T, signed, expected basis: a mark is a policy's mean, its "
            "ellipse two standard deviations of its runs. Dashed lines join points of equal "
            "composite regret R + lambda* V; the oracle lies near the origin.",
            "{title}: regret against violation at T = {horizon} for {policies}.",
        ),
        Declaration(
            "deficit",
            "deficit:deficit",
            "league",
            "How many events a policy is short of the floor, t eta - events(t), realised; below "
            f"zero the floor is met. {_BANDS}",
            "{title}: deficit against the floor {eta} over {horizon} rounds for {policies}.",
        ),
        Declaration(
            "panels",
            "panels:panels",
            "panels",
            "Over time, as the equations have them: regret, violation, cumulative reward and their "
            f"ratio, or what `style.panels` names. {_SINGLE}",
            "{title}: the panels of the style over {horizon} rounds for {policies}.",
        ),
        *(
            Declaration(
                name,
                f"panels:{name}",
                "panels",
                f"{what} over time. {_SINGLE}",
                f"{{title}}: {what.lower()} over {{horizon}} rounds for {{policies}}.",
            )
            for name, what in (
                ("regret", "Cumulative regret"),
                ("violation", "Cumulative violation of the floor"),
                ("reward", "Cumulative reward"),
                ("ratio", "Cumulative reward over cumulative violation"),
            )
        ),
        Declaration(
            "panels_realised",
            "panels:panels_realised",
            "panels",
            f"The same panels of the rewards and events that were seen. {_BANDS}",
            "{title}: the panels of the style, realised, over {horizon} rounds for {policies}.",
        ),
        Declaration(
            "arms",
            "arms:arms",
            "arms",
            "Every arm by its event probability and expected reward. The optimum is where the "
            "upper envelope crosses the floor eta; the optimal arms are named, with their shares.",
            "{title}: the arms of {dataset}, their upper envelope and the floor {eta}.",
        ),
        Declaration(
            "composite",
            "theory:composite",
            "theory",
            "Composite regret R + lambda* V against log t, with the lower bound's slope C and the "
            f"growing terms of the paper's bounds. {_BANDS}",
            "{title}: composite regret against the logarithm of the round for {policies}.",
        ),
        Declaration(
            "plays",
            "plays:plays",
            "theory",
            "Lemma 2: each suboptimal arm's mean plays at T against log T / d(mu_i, xi_i).",
            "{title}: plays of every suboptimal arm against theory's number for {policies}.",
        ),
        Declaration(
            "growth",
            "theory:growth",
            "theory",
            "The paper's two rates: plays of suboptimal arms against log t, and the error of the "
            f"optimal arms' mixture against the square root of t. {_BANDS}",
            "{title}: suboptimal plays and mixture error over time for {policies}.",
        ),
        Declaration(
            "noise",
            "theory:noise",
            "theory",
            "Realised regret and violation beside what the optimal mixture itself shows by chance. "
            f"{_BANDS}",
            "{title}: realised regret and violation above the noise floor for {policies}.",
        ),
        Declaration(
            "claims",
            "claims:claims",
            "claims",
            "The paper's claims: differences at T with 95% intervals of paired runs, in per cent "
            "of what they are held against; the tinted side is the one claimed. Verdicts are "
            "corrected for their number (Holm). Grey: undecided, or not yet at this T.",
            "{title}: the paper's claims with intervals and verdicts.",
            claims=True,
        ),
    )
}
SWEEPS = {
    each.name: each
    for each in (
        Declaration(
            "sweep",
            "sweeps:curves",
            "sweep",
            "Regret, violation and composite regret at T against the swept value, means over runs "
            "with 95% intervals. Crosses: the floor is out of reach; rings: it does not bind.",
            "{title}: values at T against the swept value for {policies}.",
        ),
        Declaration(
            "frontier",
            "sweeps:frontier",
            "sweep",
            "Regret against violation at T as eta moves, one curve a policy.",
            "{title}: regret against violation at T as the floor moves, for {policies}.",
        ),
        Declaration(
            "heat_map",
            "heat_map:heat_map",
            "sweep",
            "Composite regret at T over two swept values, one panel a policy, one colour scale for "
            "all. Crosses: the floor is out of reach.",
            "{title}: composite regret at T over two swept values for {policies}.",
        ),
    )
}


def figure_names(compared: bool) -> list[str]:
    """The figures of an experiment that is no sweep, with or without the claims."""
    return [each.name for each in FIGURES.values() if compared or not each.claims]
