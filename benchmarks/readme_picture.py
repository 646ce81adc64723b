"""The picture of the README: regret against shortfall on the two datasets of the paper.

    snakemake --cores all --configfile config/bench.yaml
    python benchmarks/readme_picture.py results/studies/bench/tables/{coupon,edx} docs/plane.png \\
        --policies LinConTS LinCon-KL-UCB "Thompson sampling" Oracle \\
        "TS ledger" "TS ledger, learned prior"
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from lincon.analysis.results import Results
from lincon.report.figures.plane import planes
from lincon.report.figures.style import styled


def only(results: Results, labels: list[str]) -> Results:
    """The results of the policies with these labels; of all, if none is named."""
    kept = [policy for policy, label in results.labels.items() if not labels or label in labels]
    outcomes, league = (
        frame[frame["policy"].isin(kept)] for frame in (results.outcomes, results.league)
    )
    policies = {policy: results.policies[policy] for policy in kept}
    return replace(results, policies=policies, outcomes=outcomes, league=league)


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
