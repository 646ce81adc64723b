"""Speed of the engines: one table, as text and Parquet, and a log-log figure of the growth.

    python benchmarks/engine.py [--quick]

All rows but the largest and the start-up are timed in this process, in CPU time, so that they are
ratios of one machine at one time. The arms are the real ones where resources/raw (or the folder
that LINCON_MIRROR names) has them, otherwise their stand-ins.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
import yaml

REPOSITORY = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(REPOSITORY / "workflow"))

from lincon.data import arms  # noqa: E402
from lincon.data.sources import extract  # noqa: E402
from lincon.engine.dense import DenseEngine  # noqa: E402
from lincon.engine.inputs import RunInputs  # noqa: E402
from lincon.engine.lazy.engine import LazyEngine  # noqa: E402
from lincon.engine.randomness import choice_stream, luck_key  # noqa: E402
from lincon.engine.simulate import compile_kernels  # noqa: E402
from lincon.policies.registry import engines_of, make_policy  # noqa: E402
from lincon.policies.standard import STANDARD  # noqa: E402
from lincon.problem import simplex  # noqa: E402
from lincon.problem.goal import Constraint, Goal  # noqa: E402
from lincon.problem.program import Program  # noqa: E402
from lincon.problem.solve import solve_problem  # noqa: E402

OUT = REPOSITORY / "results" / "benchmarks"
ETAS = {"edx": 0.5, "coupon": 0.25}
TS, KL_UCB = {"estimator": "beta_sample"}, {"estimator": "kl_ucb"}
POLICIES: dict[str, dict[str, object]] = {
    "LinConTS": TS,
    "LinCon-KL-UCB": KL_UCB,
}
# One standard policy per estimator, by the number of arms; dense rounds are all alike, so fewer do.
ESTIMATORS: dict[str, dict[str, object]] = {
    STANDARD[policy]["label"]: {
        key: value
        for key, value in STANDARD[policy].items()
        if key not in ("label", "origin", "differs")
    }
    for policy in ("lincon_ts", "lincon_kl_ucb", "con_ucb", "ts_ledger", "gittins_ledger")
}
ESTIMATOR_ROUNDS = {"lazy": 100_000, "dense": 10_000}
ENGINES = {"lazy": LazyEngine, "dense": DenseEngine}
Table = list[dict[str, object]]


def load(dataset: str) -> tuple[np.ndarray, np.ndarray, float, str]:
    config = yaml.safe_load((REPOSITORY / "config" / "config.yaml").read_text())
    spec = config["datasets"][dataset]
    mirror = Path(os.environ.get("LINCON_MIRROR", REPOSITORY / "resources" / "raw"))
    files = [mirror / name for name in spec["files"]]
    found = extract(spec, files if all(path.is_file() for path in files) else [], dataset)
    return found.mean, found.value, ETAS[dataset], found.source


def resampled(arms: int) -> tuple[np.ndarray, np.ndarray, float]:
    mean, value, eta, _ = load("edx")
    chosen = np.random.default_rng(0).integers(0, mean.size, arms)
    return mean[chosen], value[chosen], eta


def play(engine, policy, mean, value, eta, horizon, run=0):
    """(CPU seconds of the run, the engine after it), in blocks as the recorder plays them."""
    rng = choice_stream(0, "bench", eta, policy, run)
    key = luck_key(0, "bench")
    made = make_policy("bench", (ESTIMATORS | POLICIES)[policy])
    ones, goal = np.ones((1, mean.size)), Goal.floor(eta)
    program = Program(value, 0.0 * value, ones, 0.0 * ones, np.array([eta]))
    inputs = RunInputs(made, mean, goal, program, horizon, key, run, rng)
    return timed(ENGINES[engine](inputs), horizon)


def timed(played, horizon: int):
    ends = np.unique(np.geomspace(1, horizon, 200).astype(int))
    start, first = time.process_time(), 1
    for end in ends:
        played.advance(first, int(end))
        first = int(end) + 1
    return time.process_time() - start, played


def per_round(engine, policy, mean, value, eta, horizon, run=0) -> float:
    """Microseconds per round, over a whole run."""
    return 1e6 * play(engine, policy, mean, value, eta, horizon, run)[0] / horizon


def compare(table: Table, dataset: str, horizon: int, goal: float, runs: int) -> None:
    mean, value, eta, source = load(dataset)
    for policy in POLICIES:
        # In turns, so that a slow spell of the machine hits both; some runs explore longer.
        times = [
            [per_round(engine, policy, mean, value, eta, horizon, run) for engine in ENGINES]
            for run in range(runs)
        ]
        lazy, dense = np.median(times, axis=0)
        ratio = np.median([slow / fast for fast, slow in times])
        own_goal = 10.0 if (dataset, policy) == ("edx", "LinCon-KL-UCB") else goal
        row = f"{dataset} ({source}), T {horizon:,}, {policy}, against dense"
        text = f">= {own_goal:g} times"
        add(table, row, mean.size, horizon, lazy, dense, ratio, text, ratio >= own_goal)


def against_others(table: Table, runs: int) -> None:
    """A whole lazy round against N Beta draws and nothing else, and against a solver's LP."""
    from scipy.optimize import linprog

    mean, value, eta, _ = load("edx")
    plays = [play("lazy", "LinConTS", mean, value, eta, 50_000, run) for run in range(runs)]
    lazy, played = 1e6 * np.median([seconds for seconds, _ in plays]) / 50_000, plays[0][1]
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


def several_constraints(table: Table, runs: int) -> None:
    """A dense round with m constraints, each a random cost and cap, beside one with m = 1."""
    mean, value, eta, _ = load("edx")
    policy, rng = make_policy("bench", POLICIES["LinConTS"]), np.random.default_rng(1)
    horizon, n = 5_000 * runs, mean.size
    times, lps = {}, {}
    for m in (1, 1, 2, 4, 8):  # the first loads the kernel
        a, b = np.zeros((m, n)), -rng.random((m, n))
        a[0], b[0] = 1.0, 0.0
        e = np.array([eta, *(-0.55 for _ in range(m - 1))])
        program = Program(value, np.zeros(n), a, b, e)
        goal = Goal.floor(eta) if m == 1 else Goal((Constraint("any"),) * m)
        stream = choice_stream(0, "bench", eta, "p", 0)
        key = luck_key(0, "bench")
        inputs = RunInputs(policy, mean, goal, program, horizon, key, 0, stream)
        times[m] = 1e6 * timed(DenseEngine(inputs), horizon)[0] / horizon
        lps[m] = lp_times(mean, program, 300)
    for m in (2, 4, 8):
        ratio = times[m] / times[1]
        row = f"edx, m {m}, LinConTS, a dense round against one with m 1"
        goal, reached = ("<= 3 times", ratio <= 3.0) if m == 2 else ("report", True)
        add(table, row, n, horizon, times[m], times[1], ratio, goal, reached)
        own, highs = lps[m]
        row = f"edx, m {m}, one LP, against scipy's linprog (HiGHS)"
        add(table, row, n, horizon, own, highs, highs / own, "report", True)


def lp_times(mean: np.ndarray, program: Program, count: int) -> tuple[float, float]:
    """Microseconds of one LP at sampled means: our simplex, and HiGHS."""
    from scipy.optimize import linprog

    rng, ones = np.random.default_rng(2), np.ones((1, mean.size))
    work = simplex.Simplex.new(program.e.size, np.zeros(program.value.size))
    drawn = rng.beta(1.0 + 50.0 * mean, 1.0 + 50.0 * (1.0 - mean), (count, mean.size))
    points = [(theta * program.a + program.b, theta * program.value) for theta in drawn]
    start = time.process_time()
    for h, g in points:
        simplex.solve_simplex(h, g, program.e, work)
    own = time.process_time() - start
    start = time.process_time()
    for h, g in points[:20]:
        linprog(-g, -h, -program.e, ones, [1.0])
    return 1e6 * own / count, 1e6 * (time.process_time() - start) / 20


def fastest(cases: list[tuple], repeats: int) -> list[float]:
    """Microseconds per round of each case, the lowest of several passes over all of them."""
    return np.min([[per_round(*case) for case in cases] for _ in range(repeats)], axis=0).tolist()


def growth_with_arms(table: Table, sizes: list[int], horizon: int, repeats: int) -> None:
    problems = [resampled(arms) for arms in sizes]
    for policy in POLICIES:
        cases = [("lazy", policy, *problem, horizon) for problem in problems]
        times = fastest(cases, repeats)
        for (mean, value, eta), lazy in zip(problems, times, strict=True):
            # The dense engine's rounds cost about the same: some after the first of each arm.
            arms, rounds = mean.size, 3_000_000 // mean.size
            before = play("dense", policy, mean, value, eta, arms)[0]
            after = play("dense", policy, mean, value, eta, arms + rounds)[0]
            dense, ratio = 1e6 * (after - before) / rounds, lazy / times[0]
            row = f"N {arms:,}, T {horizon:,}, {policy}, against N {sizes[0]}"
            bounded = policy == "LinConTS"  # an index policy looks at every arm's cap
            goal, reached = ("<= 4 times", ratio <= 4.0) if bounded else ("report", True)
            add(table, row, arms, horizon, lazy, dense, ratio, goal, reached, "arms")


def growth_of_estimators(table: Table, sizes: list[int]) -> None:
    """Each estimator in the first engine that plays it, by the number of arms."""
    for policy, parts in ESTIMATORS.items():
        engine = engines_of(make_policy("bench", parts))[0]
        horizon = ESTIMATOR_ROUNDS[engine]
        for count in sizes:
            time_of = per_round(engine, policy, *resampled(count), horizon)
            row = f"N {count:,}, T {horizon:,}, {policy} ({engine})"
            add(table, row, count, horizon, time_of, np.nan, np.nan, "report", True)


def growth_with_rounds(table: Table, horizons: list[int], repeats: int) -> None:
    mean, value, eta, _ = load("edx")
    for policy in POLICIES:
        dense = per_round("dense", policy, mean, value, eta, 10_000)
        cases = [("lazy", policy, mean, value, eta, horizon) for horizon in horizons]
        times = fastest(cases, repeats)
        for horizon, lazy, last in zip(horizons, times, [times[0], *times], strict=False):
            row, ratio = f"edx, T {horizon:,}, {policy}, against a tenth of T", lazy / last
            # Differences below 5% are noise.
            fine, n = ratio <= 1.05, mean.size
            add(table, row, n, horizon, lazy, dense, ratio, "falls, stays", fine, "rounds")


def copied(table: Table, horizons: list[int], repeats: int) -> None:
    """Copies of every arm: nothing more to learn, but more arms compete in each round."""
    mean, value, eta, _ = load("edx")
    arms = {n: (np.tile(mean, n), np.tile(value, n), eta) for n in (1, 3, 10)}
    for policy, horizon in product(POLICIES, horizons):
        cases = [("lazy", policy, *problem, horizon) for problem in arms.values()]
        times = dict(zip(arms, fastest(cases, repeats), strict=True))
        for n in (3, 10):
            row = f"edx, {n} copies of each arm, T {horizon:,}, {policy}, against 1"
            told = (n * mean.size, horizon, times[n], times[1], times[n] / times[1])
            add(table, row, *told, "report", True)


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
    """CPU time of a job that plays a few rounds: with its kernel to be compiled, and compiled."""
    few = arms.make([0.4, 0.6, 0.5], [1.0, 0.5, 0.6], dataset="x")
    for policy, parts in POLICIES.items():
        with TemporaryDirectory() as folder:
            table_file, problem, out = (f"{folder}/{name}" for name in ("arms", "problem", "out"))
            arms.write(few, Path(table_file))
            Path(problem).write_text(solve_problem(few, 0.5).to_json())
            run = [sys.executable, "-m", "lincon", "simulate", "--horizon", "100", "--points", "20"]
            run += ["--policy", "x", *(f"{key}={value}" for key, value in parts.items())]
            run += ["--arms", table_file, "--problem", problem, "--out", out]
            seconds = [cpu_seconds(run, folder) for _ in range(6)]
        print(f"{policy}: {seconds[0]:.1f} s of CPU to compile its kernel")
        row = f"start-up of a {policy} job with compiled kernels: {min(seconds):.2f} s"
        add(table, row, 3, 100, np.nan, np.nan, np.nan, "< 1 s", min(seconds) < 1.0)


def cpu_seconds(command: list[str], cache: str) -> float:
    """Of a process that has the library, and this folder for machine code."""
    paths = {"PYTHONPATH": str(REPOSITORY / "workflow"), "NUMBA_CACHE_DIR": cache}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, env=os.environ | paths, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


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
        # Dashes fill each other's gaps where two curves are one.
        for offset, (policy, colour) in enumerate(colours.items()):
            rows = [r for r in table if r["growth"] == growth and f", {policy}," in r["row"]]
            x = [r["arms" if growth == "arms" else "horizon"] for r in rows]
            dashes = (4 * offset, (4, 4))
            for engine, key, look in (("lazy", "lazy_us", "-"), ("dense", "other_us", dashes)):
                y, mark = [r[key] for r in rows], "s" if engine == "dense" else "o"
                name = f"{policy}, {engine}"
                axis.loglog(x, y, mark, ls=look, color=colour, label=name, markersize=5)
        axis.set_xlabel(label)
        axis.set_xticks(x)
        axis.set_xticklabels([f"{tick:,}" for tick in x], fontsize=9)
        axis.minorticks_off()
        axis.grid(True, which="major", alpha=0.3)
    axes[0].set_ylabel("microseconds per round")
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
    runs = 1 if options.quick else 5
    compile_kernels()
    print(f"{'':75} {'lazy us':>10} {'other us':>10} {'ratio':>10} {'goal':>12}")
    start_up(table)
    compare(table, "edx", 50_000, 8.0, runs)
    compare(table, "coupon", 10_000, 4.0, 4 * runs)
    against_others(table, runs)
    several_constraints(table, runs)
    sizes, horizons = [290, 2_900, 29_000], [10**5, 10**6, 10**7]
    growth_of_estimators(table, sizes)
    if options.quick:
        growth_with_arms(table, sizes[:2], 10**5, 1)
        growth_with_rounds(table, horizons[:2], 1)
        copied(table, [50_000], 1)
    else:
        growth_with_arms(table, sizes, 10**6, 5)
        growth_with_rounds(table, horizons, 3)
        copied(table, [50_000, 10**6], 3)
        largest(table)
    OUT.mkdir(parents=True, exist_ok=True)
    pd.DataFrame(table).to_parquet(OUT / "engine.parquet")
    draw_growth(table, OUT / "engine.png")
    print(f"written: {OUT / 'engine.parquet'} and engine.png beside it")


if __name__ == "__main__":
    main()
