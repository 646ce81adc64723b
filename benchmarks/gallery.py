"""A contact sheet of every figure at the sizes that break figures; `make gallery` makes it.

Look at it after a change of any figure: few and many policies, few and a million arms, short and
long horizons, long labels.
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path

from benchmarks.made_results import NAMES, made_results, made_sweep
from lincon.figures.draw import draw_all
from lincon.figures.draw_sweep import draw_sweep
from lincon.figures.registry import FIGURES

CASES = {
    "2 policies": {"policies": 2},
    "3 policies, 3 arms": {"policies": 3, "arms": 3},
    "8 policies, T = 500": {"policies": 8, "horizon": 500},
    "18 policies": {"policies": 18},
    "2 policies, 1,000,000 arms, T = 10,000,000": {"arms": 1_000_000, "horizon": 10_000_000},
    "8 policies, long labels": {"policies": 8, "long_labels": True},
    "1 run, the constraint does not bind": {"policies": 3, "runs": 1, "eta": 0.2},
}


SWEEPS = {
    "sweep": ("sweep", ("eta",), 3, 6),
    "frontier": ("frontier", ("eta",), 8, 6),
    "heat map, 2 policies": ("heat_map", ("eta", "snr"), 2, 7),
    "heat map, 8 policies": ("heat_map", ("eta", "snr"), 8, 5),
}


def sweeps(folder: Path) -> None:
    for case, (figure, axes, policies, steps) in SWEEPS.items():
        looks = {f"p{k}": {"label": NAMES[k]} for k in range(policies)}
        place = folder / "sweeps" / case.replace(", ", "-").replace(" ", "_")
        draw_sweep(made_sweep(axes, policies, steps), looks, case, figure, place)
    print(f"sweeps: {folder}/sweeps")


def contact_sheet(folders: dict[str, Path], figure: str, target: Path) -> None:
    """All cases of one figure side by side, each at the same width."""
    import matplotlib.pyplot as plt

    columns = 3
    lines = math.ceil(len(folders) / columns)
    sheet, panels = plt.subplots(lines, columns, figsize=(18, 4.2 * lines), squeeze=False)
    for axes in panels.flat:
        axes.axis("off")
    for axes, (case, folder) in zip(panels.flat, folders.items(), strict=False):
        path = folder / f"{figure}.png"
        if path.exists():
            axes.imshow(plt.imread(path))
        axes.set_title(case, fontsize=9, loc="left")
    sheet.suptitle(figure)
    sheet.savefig(target, dpi=100, bbox_inches="tight")
    plt.close(sheet)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("results/gallery"))
    parser.add_argument("--cases", nargs="*", help="parts of names; all cases by default")
    parser.add_argument("--figures", nargs="*", choices=list(FIGURES))
    args = parser.parse_args()
    folders = {}
    for case, settings in CASES.items():
        if args.cases and not any(part in case for part in args.cases):
            continue
        folders[case] = args.out / case.replace(", ", "-").replace(" ", "_")
        results = made_results(**settings)
        draw_all(results, folders[case], args.figures)
        print(f"{case}: {folders[case]}")
    if not args.cases and not args.figures:
        sweeps(args.out)
    for figure in args.figures or FIGURES:
        contact_sheet(folders, figure, args.out / f"{figure}.png")
    print(f"contact sheets: {args.out}/*.png")


if __name__ == "__main__":
    main()
