"""How fast are the engines? One table, as text, Parquet and a log-log figure of the growth.

    python benchmarks/engine.py [--quick]

All rows but the largest and the start-up are timed in this process, in CPU time, so that they are
ratios of one machine at one time. The arms are the real ones where LINCON_MIRROR (or the folder
shared/datasets beside the repository) has them, otherwise their stand-ins.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import yaml

REPOSITORY = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(REPOSITORY / "workflow"))

from lincon.dense import DenseEngine  # noqa: E402
from lincon.estimators import BETA_SAMPLE, KL_UCB  # noqa: E402
from lincon.lazy import LazyEngine  # noqa: E402
from lincon.selectors import LP  # noqa: E402
from lincon.simulate import compile_kernels  # noqa: E402
from lincon.sources import extract  # noqa: E402
from lincon.streams import choice_stream, luck_key  # noqa: E402

OUT = REPOSITORY / "results" / "benchmarks"
ETAS = {"edx": 0.5, "coupon": 0.25}
POLICIES = {"LinConTS": BETA_SAMPLE, "LinCon-KL-UCB": KL_UCB}
ENGINES = {"lazy": LazyEngine, "dense": DenseEngine}
Table = list[dict[str, object]]


def load(dataset: str) -> tuple[np.ndarray, np.ndarray, float, str]:
    config = yaml.safe_load((REPOSITORY / "config" / "config.yaml").read_text())
    spec = config["datasets"][dataset]
    mirror = Path(os.environ.get("LINCON_MIRROR", REPOSITORY.parent / "shared" / "datasets"))
    files = [mirror / name for name in spec["files"]]
    source = "real" if all(file.is_file() for file in files) else "standin"
    arms = extract({**spec, "data": source}, files, dataset)
    return arms.mean, arms.value, ETAS[dataset], source


def resampled(arms: int) -> tuple[np.ndarray, np.ndarray, float]:
    mean, value, eta, _ = load("edx")
    chosen = np.random.default_rng(0).integers(0, mean.size, arms)
    return mean[chosen], value[chosen], eta


def play(engine, policy, mean, value, eta, horizon, run=0):
    """(CPU seconds of the run, the engine after it), in blocks as the recorder plays them."""
    rng = choice_stream(0, "bench", eta, policy, run)
    key = luck_key(0, "bench")
    played = ENGINES[engine](POLICIES[policy], LP, 0.0, mean, value, eta, key, run, rng)
    ends = np.unique(np.geomspace(1, horizon, 200).astype(int))
    start, first = time.process_time(), 1
    for end in ends:
        played.advance(first, int(end))
        first = int(end) + 1
    return time.process_time() - start, played


def per_round(engine, policy, mean, value, eta, horizon, runs=1) -> float:
    """Microseconds a round, over whole runs."""
    seconds = sum(play(engine, policy, mean, value, eta, horizon, run)[0] for run in range(runs))
    return 1e6 * seconds / (horizon * runs)


def compare(table: Table, dataset: str, horizon: int, goal: float, runs: int) -> None:
    mean, value, eta, source = load(dataset)
    for policy in POLICIES:
        # In turns, so that a slow spell of the machine hits both.
        times = [
            [per_round(engine, policy, mean, value, eta, horizon) for engine in ENGINES]
            for _ in range(runs)
        ]
        lazy, dense = np.median(times, axis=0)
        ratio = np.median([slow / fast for fast, slow in times])
        own_goal = 10.0 if (dataset, policy) == ("edx", "LinCon-KL-UCB") else goal
        add(
            table,
            f"{dataset} ({source}), T {horizon:,}, {policy}, against dense",
            mean.size,
            horizon,
            lazy,
            dense,
            ratio,
            f">= {own_goal:g} times",
            ratio >= own_goal,
        )


def against_others(table: Table, runs: int) -> None:
    """A whole lazy round against N Beta draws and nothing else, and against a solver's LP."""
    from scipy.optimize import linprog

    mean, value, eta, _ = load("edx")
    seconds, played = play("lazy", "LinConTS", mean, value, eta, 50_000)
    lazy = 1e6 * seconds / 50_000
    a, b = 1.0 + played.tally.events, 1.0 + played.tally.plays - played.tally.events
    rng = np.random.default_rng(0)
    start = time.process_time()
    for _ in range(2000 * runs):
        rng.beta(a, b)
    draws = 1e6 * (time.process_time() - start) / (2000 * runs)
    row = "edx, T 50,000, LinConTS, against numpy's N Beta draws alone"
    add(table, row, mean.size, 50_000, lazy, draws, draws / lazy, ">= 5 times", draws / lazy >= 5)
    start = time.process_time()
    for _ in range(20 * runs):
        theta = rng.beta(a, b)
        linprog(-theta * value, -theta[None], [-eta], np.ones((1, theta.size)), [1.0])
    solver = 1e6 * (time.process_time() - start) / (20 * runs)
    row = "edx, T 50,000, LinConTS, against scipy's linprog each round"
    add(table, row, mean.size, 50_000, lazy, solver, solver / lazy, "report", True)


def growth_with_arms(table: Table, sizes: list[int], horizon: int) -> None:
    for policy in POLICIES:
        base = None
        for arms in sizes:
            mean, value, eta = resampled(arms)
            lazy = per_round("lazy", policy, mean, value, eta, horizon)
            # The dense engine's rounds all cost about the same: some after the first of each arm.
            rounds = max(200_000 // arms, 20)
            before = play("dense", policy, mean, value, eta, arms)[0]
            after = play("dense", policy, mean, value, eta, arms + rounds)[0]
            base = base or lazy
            add(
                table,
                f"N {arms:,}, T {horizon:,}, {policy}, against N {sizes[0]}",
                arms,
                horizon,
                lazy,
                1e6 * (after - before) / rounds,
                lazy / base,
                "<= 4 times",
                lazy <= 4.0 * base,
                "arms",
            )


def growth_with_rounds(table: Table, horizons: list[int]) -> None:
    mean, value, eta, _ = load("edx")
    for policy in POLICIES:
        dense = per_round("dense", policy, mean, value, eta, 10_000)
        last = np.inf
        for horizon in horizons:
            lazy = per_round("lazy", policy, mean, value, eta, horizon)
            row = f"edx, T {horizon:,}, {policy}, against a tenth of T"
            ratio = lazy / last if np.isfinite(last) else 1.0
            add(
                table,
                row,
                mean.size,
                horizon,
                lazy,
                dense,
                ratio,
                "<= 1 times",
                ratio <= 1.0,
                "rounds",
            )
            last = lazy


def million(policy: str) -> dict[str, float]:
    """N = 10^6, T = 10^7, alone in a process: seconds and peak memory."""
    mean, value, eta = resampled(10**6)
    start = time.perf_counter()
    seconds, _ = play("lazy", policy, mean, value, eta, 10**7)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0
    return {"cpu": seconds, "wall": time.perf_counter() - start, "peak": peak}


def largest(table: Table) -> None:
    run = [sys.executable, __file__, "--million", "LinConTS"]
    found = json.loads(subprocess.run(run, check=True, capture_output=True, text=True).stdout)
    row = f"N 1,000,000, T 10,000,000, LinConTS: {found['wall']:.0f} s, {found['peak']:.0f} MB"
    lazy = found["cpu"] / 10.0
    add(table, row, 10**6, 10**7, lazy, np.nan, np.nan, "< 1 GB", found["peak"] < 1024.0)


def start_up(table: Table) -> None:
    """The CPU time of a process that finds its kernels compiled: imports, loading, a tiny run."""
    code = """
from lincon import arms, policies
from lincon.simulate import Setting, simulate
policy = policies.make("ts", {"estimator": "beta_sample", "selector": "lp"})
simulate(Setting("x", 0.5, 100, policy, 0, 0), arms.make([0.4, 0.6, 0.5], [1.0, 0.5, 0.6]))
"""
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY / "workflow")}
    start = time.process_time()
    compile_kernels()
    print(f"all kernels, compiled or loaded: {time.process_time() - start:.1f} s")
    seconds = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-c", code], check=True, env=environment)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    row = f"start-up of a LinConTS job with compiled kernels: {min(seconds):.2f} s"
    add(table, row, 3, 100, np.nan, np.nan, np.nan, "< 1 s", min(seconds) < 1.0)


def add(table, row, arms, horizon, lazy, other, ratio, goal, reached, growth="") -> None:
    keys = ("row", "arms", "horizon", "lazy_us", "other_us", "ratio", "goal", "reached", "growth")
    values = (row, arms, horizon, lazy, other, ratio, goal, bool(reached), growth)
    table.append(dict(zip(keys, values, strict=True)))
    numbers = [f"{x:10.2f}" if np.isfinite(x) else " " * 10 for x in map(float, values[3:6])]
    print(f"{row:75}", *numbers, f"{goal:>12}  {'yes' if reached else 'NO'}", flush=True)


def draw_growth(table: Table, path: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    colours = {"LinConTS": "#0072B2", "LinCon-KL-UCB": "#D55E00"}
    figure, axes = plt.subplots(1, 2, figsize=(9, 4), sharey=True, layout="constrained")
    horizon = max(entry["horizon"] for entry in table if entry["growth"] == "arms")
    titles = {"arms": f"arms (resampled from edX, T = {horizon:,})", "rounds": "rounds (edX)"}
    for axis, (growth, label) in zip(axes, titles.items(), strict=True):
        for policy, colour in colours.items():
            rows = [r for r in table if r["growth"] == growth and f", {policy}," in r["row"]]
            x = [r["arms" if growth == "arms" else "horizon"] for r in rows]
            for engine, key, style in (("lazy", "lazy_us", "o-"), ("dense", "other_us", "s--")):
                y = [r[key] for r in rows]
                axis.loglog(x, y, style, color=colour, label=f"{policy}, {engine}", markersize=5)
        axis.set_xlabel(label)
        axis.grid(True, which="major", alpha=0.3)
    axes[0].set_ylabel("microseconds a round")
    axes[0].legend(frameon=False, fontsize=8)
    figure.savefig(path, dpi=150)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="smaller sizes, in about a minute")
    parser.add_argument("--million", choices=POLICIES, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.million:
        print(json.dumps(million(options.million)))
        return
    table: Table = []
    start_up(table)
    runs = 1 if options.quick else 5
    print(f"{'':75} {'lazy us':>10} {'other us':>10} {'ratio':>10} {'goal':>12}")
    compare(table, "edx", 50_000, 8.0, runs)
    compare(table, "coupon", 10_000, 4.0, 2 * runs)
    against_others(table, runs)
    sizes, horizons = [290, 2_900, 29_000], [10**5, 10**6, 10**7]
    growth_with_arms(
        table, sizes[:2] if options.quick else sizes, 10**5 if options.quick else 10**6
    )
    growth_with_rounds(table, horizons[:2] if options.quick else horizons)
    if not options.quick:
        largest(table)
    save(table)


def save(table: Table) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    OUT.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(table), OUT / "engine.parquet")
    draw_growth(table, OUT / "engine.png")
    print(f"written: {OUT / 'engine.parquet'} and engine.png beside it")


if __name__ == "__main__":
    main()
