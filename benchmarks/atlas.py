"""Policies on 1,000 generated problems: the tables and figures of docs/which_policy.md.

    python -m benchmarks.atlas [--runs 4] [--problems 1000] [--processes 2]

5 to 300 arms with a floor of 50%, T = 10,000. Blocks of problems are kept in results/atlas, so that
an interrupted run goes on where it was. Writes docs/numbers/atlas*.csv, docs/atlas_profile.png and
docs/atlas_winners.png.
"""

import argparse
import datetime
import hashlib
import itertools
import json
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import lincon
from benchmarks.generated import draw
from lincon.analysis.inference import mean_of
from lincon.analysis.league import GROUPS, group_of
from lincon.files import write_frame
from lincon.fingerprint import fingerprint
from lincon.policies.standard import STANDARD
from lincon.report.figures.style import styled
from lincon.report.palette import INK, looks
from lincon.report.text import interval
from tools.fill_numbers import fill_documents, write_table

ROOT = Path(__file__).resolve().parents[1]
RESULTS, DOCS = ROOT / "results" / "atlas", ROOT / "docs"
FLOOR, HORIZON, SEED = 0.5, 10_000, 2020
GRID: dict[str, tuple[float, ...]] = {
    "arms": (5, 10, 30, 100, 300),
    "slack": (0.02, 0.05, 0.1, 0.2, 0.3),  # the room: how far the best arm is above the floor
    "correlation": (-0.9, -0.5, 0, 0.5),  # of values and means
    "near_optimal": (0, 2),
}
BLOCK, ROOM = 20, 0.05
BASELINE = "lincon_ts"
POLICIES = (
    *("gittins_ledger", "ts_ledger", BASELINE, "ts_paced", "thompson", "kl_ucb"),
    *("con_ucb", "lincon_kl_ucb"),
)
LABELS = {policy: STANDARD[policy]["label"] for policy in POLICIES}
QUANTILES = {"median": 0.5, "90th percentile": 0.9, "99th percentile": 0.99, "worst": 1.0}
Rows = list[list[str]]


# --- playing


def problems(count: int) -> Iterator[dict[str, Any]]:
    """Problems in all cells of the grid, the first of each cell before the second of any."""
    cells = [dict(zip(GRID, cell, strict=True)) for cell in itertools.product(*GRID.values())]
    for number in range(count):
        cell = cells[number % len(cells)]
        text = json.dumps(
            [SEED, number // len(cells), {axis: float(x) for axis, x in cell.items()}],
            sort_keys=True,
        )
        seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "little")
        yield cell | {"problem": number, "seed": seed}


def arms_of(problem: dict[str, Any]) -> lincon.Arms:
    mean, value = draw(floor=FLOOR, **{key: problem[key] for key in (*GRID, "seed")})
    return lincon.Arms.from_arrays(mean, value, dataset=f"atlas {problem['problem']}")


def play(problem: dict[str, Any], runs: int) -> pd.DataFrame:
    """One row per policy and run: joint regret, and whether the floor was kept."""
    arms, keys = arms_of(problem), {"horizon": HORIZON, "runs": runs, "seed": SEED, "points": 2}
    results = lincon.compare(arms, POLICIES, floor=FLOOR, processes=1, **keys)
    rows = results.outcomes[["policy", "run", "joint_expected", "kept", "strict"]]
    return rows.rename(columns={"joint_expected": "joint"}).assign(**problem)


def play_block(first: int, count: int, runs: int, folder: Path) -> None:
    path = folder / f"{first}.parquet"
    if not path.exists():
        chosen = itertools.islice(problems(count), first, first + BLOCK)
        write_frame(path, pd.concat([play(one, runs) for one in chosen]), {})


def outcomes(count: int, runs: int, processes: int) -> pd.DataFrame:
    """All rows; blocks that were played by the same code are read."""
    folder = RESULTS / f"{fingerprint('engine')}-{runs}"
    folder.mkdir(parents=True, exist_ok=True)
    firsts = range(0, count, BLOCK)
    with ProcessPoolExecutor(processes) as pool:
        tasks = [pool.submit(play_block, first, count, runs, folder) for first in firsts]
        for done, task in enumerate(tasks, 1):
            task.result()
            print(f"\r{done} of {len(tasks)} blocks", end="", flush=True)
    print()
    return pd.concat([pd.read_parquet(folder / f"{first}.parquet") for first in firsts])


# --- tables


def by_problem(rows: pd.DataFrame) -> pd.DataFrame:
    """Means over runs; `ratio` is joint regret over that of LinConTS on the same problem."""
    frame = rows.groupby(["problem", *GRID, "policy"], as_index=False)[
        ["joint", "kept", "strict"]
    ].mean()
    base = frame[frame["policy"] == BASELINE].set_index("problem")["joint"]
    return frame.assign(ratio=frame["joint"] / frame["problem"].map(base))


def each(frame: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    for policy in POLICIES:
        yield LABELS[policy], frame[frame["policy"] == policy]


def geometric(ratio: pd.Series) -> str:
    """The geometric mean over problems and half its 95% interval."""
    mean, low, high = np.exp(list(mean_of("x", np.log(ratio.to_numpy())).values()))
    return "1" if low == high else interval(mean, low, high)


def ratios(frame: pd.DataFrame) -> Rows:
    rows = [["policy: J / J(LinConTS)", "mean", *QUANTILES]]
    for label, own in each(frame):
        found = [f"{own['ratio'].quantile(level):.3g}" for level in QUANTILES.values()]
        rows.append([label, geometric(own["ratio"]), *found])
    return rows


def by_arms(frame: pd.DataFrame) -> Rows:
    counts = sorted(frame["arms"].unique())
    rows = [["policy: J / J(LinConTS), mean", *(f"{n:.0f} arms" for n in counts)]]
    for label, own in each(frame):
        rows.append([label, *(geometric(own[own["arms"] == n]["ratio"]) for n in counts)])
    return rows


def keeping(frame: pd.DataFrame) -> Rows:
    """Shares of runs; the interval is over problems."""
    rows = [["policy: runs that kept the floor", "all", "strictly", "with room", "strictly"]]
    for label, own in each(frame):
        cells = []
        for part in (own, own[own["slack"] >= ROOM]):
            for name in ("kept", "strict"):
                share = mean_of("x", 100.0 * part[name].to_numpy(float))
                cells.append(f"{interval(*share.values())}%")
        rows.append([label, *cells])
    return rows


def winners(frame: pd.DataFrame) -> pd.DataFrame:
    """The best policy of each cell of arms and room: feasibility first, then joint regret."""
    cells = frame.groupby(["correlation", "slack", "arms", "policy"], as_index=False)
    means = cells[["joint", "kept"]].mean()
    group = [GROUPS.index(group_of(share)) for share in means["kept"]]
    ordered = means.assign(group=group).sort_values(["group", "joint"], kind="stable")
    return ordered.groupby(["correlation", "slack", "arms"], as_index=False).first()


# --- figures


def draw_profile(frame: pd.DataFrame) -> plt.Figure:
    """The share of problems on which a policy's ratio is at most x."""
    figure, axes = plt.subplots(figsize=(6.5, 4.0), layout="constrained")
    for policy, look in looks({p: STANDARD[p] for p in POLICIES}).items():
        ratio = np.sort(frame[frame["policy"] == policy]["ratio"])
        share = np.arange(1, ratio.size + 1) / ratio.size
        if policy == BASELINE:
            axes.axvline(1.0, color=look.colour, lw=1.2, label=look.label)
        else:
            style = {"color": look.colour, "lw": 1.6, "dashes": look.dashes or (None, None)}
            axes.step(ratio, 100.0 * share, where="post", label=look.label, **style)
    axes.set(xscale="log", xlim=(0.1, 10.0), ylim=(0, 100), ylabel="problems, %")
    axes.set_xlabel("joint regret at most this multiple of LinConTS's")
    axes.set_xticks([0.1, 0.2, 0.5, 1, 2, 5, 10], ["0.1", "0.2", "0.5", "1", "2", "5", "10"])
    axes.minorticks_off()
    axes.set_title("The ledgers have less joint regret on most problems, not on all")
    axes.legend(fontsize=8, loc="lower right")
    return figure


def draw_winners(frame: pd.DataFrame) -> plt.Figure:
    best, look = winners(frame), looks({p: STANDARD[p] for p in POLICIES})
    names = [policy for policy in POLICIES if policy in set(best["policy"])]
    figure, grid = plt.subplots(
        1, len(GRID["correlation"]), figsize=(9.0, 2.9), sharey=True, layout="constrained"
    )
    arms, rooms = sorted(best["arms"].unique()), sorted(best["slack"].unique())
    for axes, (correlation, part) in zip(grid, best.groupby("correlation"), strict=True):
        for row in part.itertuples():
            corner = (arms.index(row.arms), rooms.index(row.slack))
            face = look[row.policy].colour if row.group == 0 else "none"
            edge = look[row.policy].colour
            axes.add_patch(plt.Rectangle(corner, 0.94, 0.94, facecolor=face, edgecolor=edge, lw=2))
        axes.set(xlim=(0, len(arms)), ylim=(0, len(rooms)), xlabel="arms")
        axes.set_title(f"correlation {correlation:g}", fontsize=9)
        axes.set_xticks(np.arange(len(arms)) + 0.5, [f"{n:.0f}" for n in arms])
        axes.set_yticks(np.arange(len(rooms)) + 0.5, [f"{x:g}" for x in rooms])
        axes.tick_params(length=0)
        axes.grid(False)
    grid[0].set_ylabel("room above the floor")
    patches = [plt.Rectangle((0, 0), 1, 1, color=look[p].colour) for p in names]
    patches.append(plt.Rectangle((0, 0), 1, 1, facecolor="none", edgecolor=INK))
    labels = [*(LABELS[p] for p in names), "kept in fewer than 80% of the runs"]
    figure.legend(patches, labels, loc="outside lower center", ncols=len(labels), fontsize=8)
    return figure


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=4)
    parser.add_argument("--problems", type=int, default=1_000)
    parser.add_argument("--processes", type=int, default=2)
    args = parser.parse_args()
    frame = by_problem(outcomes(args.problems, args.runs, args.processes))
    today = datetime.datetime.now(datetime.UTC)
    source = (
        f"`.venv/bin/python -m benchmarks.atlas`, {args.problems:,} problems, {args.runs} runs each"
    )
    tables = {"atlas": ratios, "atlas_arms": by_arms, "atlas_kept": keeping}
    for name, table in tables.items():
        write_table(name, source, f"{today.day} {today:%B %Y}", table(frame))
    with styled():
        draw_profile(frame).savefig(DOCS / "atlas_profile.png", dpi=160)
        draw_winners(frame).savefig(DOCS / "atlas_winners.png", dpi=160)
    fill_documents()


if __name__ == "__main__":
    main()
