"""A contact sheet of every figure at the sizes that break figures; `make gallery` makes it.

Look at it after a change of any figure: few and many policies, few and a million arms, short and
long horizons, long labels, several constraints, a column's width.
"""

import argparse
import math
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt

from benchmarks.made_results import SEVERAL, SPENDING, made_atlas, made_results, made_sweep
from lincon.report.figures.draw import draw
from lincon.report.figures.registry import figure_names
from lincon.study.style import Style

CASES: dict[str, dict[str, Any]] = {
    "2 policies": {"policies": 2},
    "3 policies, 3 arms": {"policies": 3, "arms": 3},
    "8 policies, T = 500": {"policies": 8, "horizon": 500},
    "18 policies": {"policies": 18},
    "2 policies, 1,000,000 arms, T = 10,000,000": {"arms": 1_000_000, "horizon": 10_000_000},
    "8 policies, long labels": {"policies": 8, "long_labels": True},
    "1 run, no constraint binds": {"policies": 3, "runs": 1, "eta": 0.2},
    "two constraints": {"policies": 6, "eta": SEVERAL},
    "a cost": {"policies": 6, "eta": SPENDING},
}
SWEEPS = {
    "sweep": (("eta",), 3, 6),
    "frontier": (("eta",), 3, 6),
    "heat_map": (("eta", "snr"), 2, 7),
    "heat_map of 5": (("eta", "snr"), 5, 5),
}


def contact_sheet(folders: dict[str, Path], figure: str, target: Path) -> None:
    """All cases of one figure side by side, each at the same width."""
    lines = math.ceil(len(folders) / 3)
    sheet, panels = plt.subplots(lines, 3, figsize=(18, 4.2 * lines), squeeze=False)
    for axes in panels.flat:
        axes.axis("off")
    for axes, (case, folder) in zip(panels.flat, folders.items(), strict=False):
        if (folder / f"{figure}.png").exists():
            axes.imshow(plt.imread(folder / f"{figure}.png"))
        axes.set_title(case, fontsize=9, loc="left")
    sheet.savefig(target, dpi=100, bbox_inches="tight")
    plt.close(sheet)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("results/gallery"))
    parser.add_argument("--cases", nargs="*", default=[""], help="parts of names; by default all")
    parser.add_argument("--width", default="", help="as in the config's style: single, double, ...")
    args = parser.parse_args()
    style, folders = Style(width=args.width) if args.width else None, {}
    for case, settings in CASES.items():
        if any(part in case for part in args.cases):
            folders[case] = args.out / case.replace(", ", "-").replace(" ", "_")
            results = made_results(**settings)
            names = figure_names(not results.claims.empty)
            draw([folders[case] / f"{name}.png" for name in names], style, results)
            print(f"{case}: {folders[case]}")
    for case, (axes, policies, steps) in SWEEPS.items():
        name = args.out / "sweeps" / case.replace(" ", "_") / f"{case.split()[0]}.png"
        draw([name], style, made_sweep(axes, policies, steps))
    draw([args.out / "atlas" / "winners.png"], style, *made_atlas())
    for figure in figure_names(compared=True):
        contact_sheet(folders, figure, args.out / f"{figure}.png")
    print(f"contact sheets: {args.out}/*.png")


if __name__ == "__main__":
    main()
