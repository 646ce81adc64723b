"""The picture of the README: regret against shortfall on the two datasets of the paper.

    snakemake --cores all --configfile config/bench.yaml
    python benchmarks/readme_picture.py results/studies/bench/tables/{coupon,edx} docs/plane.png \\
        --policies LinConTS LinCon-KL-UCB "Thompson sampling" Oracle \\
        "TS ledger" "TS ledger, learned prior" "Gittins ledger"
"""

import argparse
from dataclasses import replace
from pathlib import Path

from matplotlib.figure import Figure

from lincon import __version__
from lincon.analysis.results import Results
from lincon.report import view
from lincon.report.figures import parts
from lincon.report.figures.points import CROSSES, draw_plane, name_points
from lincon.report.figures.style import styled
from lincon.report.palette import COLOURED, looks


def only(results: Results, labels: list[str]) -> Results:
    """The results of the policies with these labels; of all, if none is named."""
    kept = [policy for policy, label in results.labels.items() if not labels or label in labels]
    outcomes, league = (
        frame[frame["policy"].isin(kept)] for frame in (results.outcomes, results.league)
    )
    policies = {policy: results.policies[policy] for policy in kept}
    return replace(results, policies=policies, outcomes=outcomes, league=league)


def planes(many: list[Results]) -> Figure:
    """The planes of several experiments side by side, near the policies that stand out in any."""
    figure, panels = parts.side_by_side(len(many), 2.9)
    outstanding = [p for one in many for p in view.prominent(one) or one.policies]
    policies = {policy: look for one in many for policy, look in one.policies.items()}
    dressed = looks(policies, list(dict.fromkeys(outstanding))[:COLOURED])
    shown = []
    for axes, results in zip(panels, many, strict=True):
        shown.append((axes, draw_plane(axes, results, dressed)))
        bound = view.dearest(results.problem)
        axes.set_title(f"{results.title}, {bound.text}, T = {results.horizon:,}")
    runs = ", ".join(map(str, sorted({results.runs for results in many})))
    foot = f"{runs} runs \u00b7 {CROSSES} \u00b7 lincon {__version__}"
    text = "Left of zero the promise is kept; the optimum is at the origin"
    parts.framed(figure, text, many[0].problem, foot)
    for axes, named in shown:
        name_points(axes, named, dressed)
    return figure


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tables", nargs="+", type=Path, help="folders of experiments' tables")
    parser.add_argument("out", type=Path, help="the picture to write")
    parser.add_argument("--policies", nargs="*", default=[], help="labels; all by default")
    args = parser.parse_args()
    with styled():
        shown = [only(Results.load(folder), args.policies) for folder in args.tables]
        planes(shown).savefig(args.out)


if __name__ == "__main__":
    main()
