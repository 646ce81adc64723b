"""How often the intervals hold what they say, on the project's own runs: docs/statistics.md.

    python benchmarks/coverage.py [--runs 2000] [--trials 2000] [--horizon 10000]

Many runs of two policies are played once and stand for the truth; then experiments of a few runs
are drawn from them, pairs together, and each method's 95% interval is held against the mean of all.
The arms are the real ones where LINCON_MIRROR has them, otherwise their stand-ins.
"""

import argparse
import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import yaml

from lincon.analysis.inference import (
    detectable_difference,
    ratio_by_run,
    t_interval,
    t_quantile,
)
from lincon.analysis.measures import per_run
from lincon.data.arms import Arms
from lincon.data.raw import lacking
from lincon.data.sources import extract
from lincon.engine.simulate import Setting, simulate
from lincon.policies.registry import make_policy
from lincon.problem.record import Problem
from lincon.problem.solve import solve_problem
from lincon.study.config import engine_keys

REPOSITORY = Path(__file__).resolve().parent.parent
ETAS = {"coupon": 0.25, "edx": 0.5}
SIZES = (2, 4, 8, 16, 50)
MEANS = ("regret", "violation_0", "joint")
RESAMPLES = 1_000
Curves = dict[str, dict[str, np.ndarray]]


def load(dataset: str) -> Arms:
    config = yaml.safe_load((REPOSITORY / "config" / "config.yaml").read_text(encoding="utf-8"))
    entry = config["datasets"][dataset]
    mirror = Path(os.environ.get("LINCON_MIRROR", REPOSITORY / "resources" / "raw"))
    files = [mirror / name for name in entry["files"]]
    return extract(entry, [] if lacking(entry, mirror) else files, dataset)


def play(dataset: str, arms: Arms, problem: Problem, runs: int, horizon: int) -> Curves:
    """Policy -> metric -> runs x recorded rounds, on the expected basis."""
    config = yaml.safe_load((REPOSITORY / "config" / "config.yaml").read_text(encoding="utf-8"))
    curves = {}
    for name in config["compare"]:
        entry = engine_keys(config["policies"][name])
        policy = make_policy(name, entry)
        frames = []
        for run in range(runs):
            setting = Setting(dataset, ETAS[dataset], horizon, policy, run, 7, 40, "lazy")
            frames.append(simulate(setting, arms, problem).series.to_pandas())
        curves[name] = per_run(pd.concat(frames), problem, "expected")
    return curves


def samples(runs: int, size: int, trials: int) -> Iterator[np.ndarray]:
    rng = np.random.default_rng(size)
    for _ in range(trials):
        yield rng.choice(runs, size, replace=False)


def wrong_about_means(curves: Curves, size: int, trials: int) -> dict[str, tuple[float, float]]:
    """Metric -> how often the t and the percentile interval miss the true paired difference."""
    ours, theirs = curves.values()
    resampled = np.random.default_rng(1).multinomial(size, np.full(size, 1.0 / size), RESAMPLES)
    result = {}
    for metric in MEANS:
        difference = ours[metric][:, -1] - theirs[metric][:, -1]
        drawn = np.array([difference[ids] for ids in samples(len(difference), size, trials)]).T
        truth = difference.mean()
        half = t_quantile(size) * drawn.std(axis=0, ddof=1) / np.sqrt(size)
        t = np.mean(np.abs(drawn.mean(axis=0) - truth) > half)
        low, high = np.quantile(resampled @ drawn / size, [0.025, 0.975], axis=0)
        result[metric] = float(t), float(np.mean((truth < low) | (truth > high)))
    return result


def wrong_about_ratios(curves: Curves, size: int, trials: int) -> float:
    """How often the interval of a difference of ratios (delta method) misses it."""
    pairs = [(c["reward"][:, -1], c["violation_0"][:, -1]) for c in curves.values()]
    truth = np.subtract(*(top.mean() / bottom.mean() for top, bottom in pairs))
    ids = np.array(list(samples(len(pairs[0][0]), size, trials))).T
    low, high = t_interval(np.subtract(*(ratio_by_run(top[ids], low[ids]) for top, low in pairs)))
    return float(np.mean((truth < low) | (truth > high)))


def wrong_about_one_ratio(curves: Curves, size: int, trials: int) -> list[float]:
    """Per policy, how often the delta method's interval of its own ratio misses it."""
    shares = []
    for values in curves.values():
        reward, violation = (values[name][:, -1] for name in ("reward", "violation_0"))
        truth = reward.mean() / violation.mean()
        ids = np.array(list(samples(len(reward), size, trials))).T
        low, high = t_interval(ratio_by_run(reward[ids], violation[ids]))
        shares.append(float(np.mean((truth < low) | (truth > high))))
    return shares


def held_curves(curves: Curves, size: int, trials: int) -> float:
    """How often pointwise bands hold the whole curve of joint regret."""
    values = next(iter(curves.values()))["joint"]
    truth, held = values.mean(axis=0), 0
    slack = 1e-9 * np.abs(truth)
    for ids in samples(len(values), size, trials):
        low, high = t_interval(values[ids])
        held += bool(((low <= truth + slack) & (truth - slack <= high)).all())
    return held / trials


def sharpness(curves: Curves, size: int = 16) -> None:
    """What 16 runs detect, and what pairing gained, from the spread of all runs."""
    ours, theirs = curves.values()
    print(f"\n| quantity | difference | {size} runs detect | variance, paired / unpaired |")
    print("|---|---:|---:|---:|")
    for metric in MEANS:
        mine, other = ours[metric][:, -1], theirs[metric][:, -1]
        # The spread of all runs, the number of an experiment's.
        scaled = detectable_difference((mine - other)[:size])
        scaled *= np.std(mine - other, ddof=1) / np.std((mine - other)[:size], ddof=1)
        gained = np.var(mine - other, ddof=1) / (np.var(mine, ddof=1) + np.var(other, ddof=1))
        print(f"| {metric} | {np.mean(mine - other):,.1f} | {scaled:,.1f} | {gained:.2f} |")


def report(dataset: str, runs: int, trials: int, horizon: int) -> None:
    arms = load(dataset)
    problem = solve_problem(arms, ETAS[dataset])
    curves = play(dataset, arms, problem, runs, horizon)
    print(
        f"\n{dataset} ({arms.source}), T = {horizon:,}, {trials:,} experiments out of {runs:,} runs"
    )
    sharpness(curves)
    print("\n| runs | regret: t | percentile | violation: t | percentile | joint: t "
          "| percentile | ratio |")  # fmt: skip
    print("|---:|" + "---:|" * 7)
    for size in SIZES:
        means = wrong_about_means(curves, size, trials)
        cells = [f"{share:.1%}" for metric in MEANS for share in means[metric]]
        cells += [f"{wrong_about_ratios(curves, size, trials):.1%}"]
        print(f"| {size} | " + " | ".join(cells) + " |", flush=True)
    print(
        "\n| runs | " + " | ".join(f"ratio of {name}" for name in curves) + " |\n|---:|---:|---:|"
    )
    for size in SIZES:
        shares = wrong_about_one_ratio(curves, size, trials)
        print(f"| {size} | " + " | ".join(f"{share:.1%}" for share in shares) + " |", flush=True)
    print("\n| runs | whole curve in pointwise bands |\n|---:|---:|")
    for size in (4, 16, 50):
        print(f"| {size} | {held_curves(curves, size, trials // 4):.1%} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=2_000)
    parser.add_argument("--trials", type=int, default=2_000)
    parser.add_argument("--horizon", type=int, default=10_000)
    parser.add_argument("--datasets", nargs="+", choices=list(ETAS), default=list(ETAS))
    args = parser.parse_args()
    for dataset in args.datasets:
        report(dataset, args.runs, args.trials, args.horizon)


if __name__ == "__main__":
    main()
