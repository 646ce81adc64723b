"""The picture of the README: regret against shortfall on the two datasets of the paper.

snakemake --cores all --configfile config/bench.yaml
python benchmarks/readme_picture.py results/studies/bench/tables/{coupon,edx} docs/plane.png
"""

from __future__ import annotations

import argparse
from pathlib import Path

from lincon.analysis.results import Results
from lincon.report.figures.plane import planes
from lincon.report.figures.style import styled


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tables", nargs="+", type=Path, help="folders of experiments' tables")
    parser.add_argument("out", type=Path, help="the picture to write")
    args = parser.parse_args()
    with styled():
        planes([Results.load(folder) for folder in args.tables]).savefig(args.out)


if __name__ == "__main__":
    main()
