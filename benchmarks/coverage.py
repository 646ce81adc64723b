"""Coverage of the intervals on the paper's data: the numbers of docs/statistics.md.

    LINCON_MIRROR=folder python -m benchmarks.coverage [--runs 1000] [--trials 4000]

Many runs are played once and stand for the truth; then experiments of a few runs are drawn from
them, pairs together, and each method's 95% interval is held against the mean of all. The folder
has the paper's real files.
"""

import argparse
import datetime
from collections.abc import Iterator

import numpy as np
import pandas as pd
from scipy import special, stats

import lincon
from lincon.analysis.inference import share_of, t_quantile
from lincon.analysis.league import MOST
from lincon.analysis.measures import tolerances
from lincon.analysis.results import Results
from tests.real_data import CONFIG, PAPER, folder, real_arms
from tools.fill_numbers import fill_documents, write_table

PAIR, BIMODAL = ("lincon_ts", "lincon_kl_ucb"), "ts_ledger"
SIZES, SIZE = (4, 16, 50), 16  # runs of an experiment; that of the paper
RESAMPLES, ORACLE_RUNS = 1_000, 100
POWER = 0.8
Outcomes = dict[str, pd.DataFrame]
Rows = list[list[str]]


def play(dataset: str, policies: list[str], runs: int) -> Results:
    """The paper's experiment with these policies."""
    (arms, eta), entry = real_arms(folder())[dataset], CONFIG["experiments"][dataset]
    keys = {"horizon": entry["horizon"], "runs": runs, "seed": CONFIG["seed"], "points": 2}
    return lincon.compare(arms, policies, floor=eta, **keys)


def by_run(outcomes: pd.DataFrame, measure: str) -> pd.DataFrame:
    return outcomes.pivot(index="run", columns="policy", values=f"{measure}_expected")


def drawn(values: np.ndarray, size: int, trials: int) -> Iterator[np.ndarray]:
    """Experiments of `size` of the runs."""
    rng = np.random.default_rng(size)
    for _ in range(trials):
        yield values[rng.choice(len(values), size, replace=False)]


def missed(values: np.ndarray, size: int, trials: int) -> tuple[float, float]:
    """How often the t and the percentile bootstrap interval of the mean miss that of all runs."""
    sample, truth = np.array(list(drawn(values, size, trials))).T, values.mean()
    half = t_quantile(size) * sample.std(axis=0, ddof=1) / np.sqrt(size)
    t = np.mean(np.abs(sample.mean(axis=0) - truth) > half)
    resampled = np.random.default_rng(1).multinomial(size, np.full(size, 1 / size), RESAMPLES)
    low, high = np.quantile(resampled @ sample / size, [0.025, 0.975], axis=0)
    return float(t), float(np.mean((truth < low) | (truth > high)))


def coverage(played: Outcomes, trials: int) -> Rows:
    rows = [["what the interval is of", "runs", "t interval misses", "percentile bootstrap misses"]]
    for dataset, outcomes in played.items():
        label, joint = CONFIG["datasets"][dataset]["label"], by_run(outcomes, "joint")
        of = {
            f"{label}: LinConTS against LinCon-KL-UCB": joint[PAIR[0]] - joint[PAIR[1]],
            f"{label}: TS ledger": joint[BIMODAL],
        }
        for what, values in of.items():
            for size in SIZES:
                shares = [f"{x:.1%}" for x in missed(values.to_numpy(), size, trials)]
                rows.append([what if size == SIZES[0] else "", str(size), *shares])
    return rows


def detectable_difference(spread: float, runs: int) -> float:
    """The smallest true difference that a paired t test of so many runs finds with 80% power.

    Where the noncentral t is above the test's limit with this power.
    """
    error = spread / np.sqrt(runs)
    return float(special.nctdtrinc(runs - 1, 1.0 - POWER, t_quantile(runs))) * error


def detectable(played: Outcomes) -> Rows:
    """From the spread of all runs, so that the numbers are not one experiment's."""
    rows = [["dataset", "measure", f"{SIZE} runs detect", "difference"]]
    for dataset, outcomes in played.items():
        for measure in ("regret", "violation_0"):
            values = by_run(outcomes, measure)
            difference = values[PAIR[0]] - values[PAIR[1]]
            label = CONFIG["datasets"][dataset]["label"] if measure == "regret" else ""
            numbers = (detectable_difference(difference.std(), SIZE), abs(difference.mean()))
            cells = [f"{x:,.1f}" if x < 50 else f"{x:,.0f}" for x in numbers]
            rows.append([label, measure.partition("_")[0], *cells])
    return rows


def oracle() -> Rows:
    """How many runs of the drawing oracle keep the paper's floors, by tolerance."""
    head = ["dataset", "kept, of 100 runs", "without the allowance for forced plays", "strictly"]
    rows = [head]
    for dataset in PAPER:
        results = play(dataset, ["oracle"], ORACLE_RUNS)
        runs, (arms, _) = results.outcomes, real_arms(folder())[dataset]
        short = runs["shortfall_0_realised"]
        bare = short <= tolerances(arms, results.problem, results.horizon)[0, 0]
        cells = [with_interval(held) for held in (runs["kept"], bare, runs["strict"])]
        rows.append([CONFIG["datasets"][dataset]["label"], *cells])
    return rows


def with_interval(held: pd.Series) -> str:
    share = share_of("kept", held)
    return f"{share['kept_runs']} ({share['kept_low']:.0%} to {share['kept_high']:.0%})"


def rule() -> Rows:
    """How often a policy that keeps its constraints with some probability passes the 80% rule."""
    counts = [f"counts as keeping them with {n} runs" for n in (16, 100)]
    head = ["keeps its constraints with probability", *counts]
    chances = (0.75, 0.84, 0.9)
    passes = [
        [f"{stats.binom.sf(np.ceil(MOST * n) - 1, n, p):.0%}" for n in (16, 100)] for p in chances
    ]
    return [head, *([f"{p:.0%}", *cells] for p, cells in zip(chances, passes, strict=True))]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=1_000)
    parser.add_argument("--trials", type=int, default=4_000)
    args = parser.parse_args()
    played = {name: play(name, [*PAIR, BIMODAL], args.runs).outcomes for name in PAPER}
    tables = {"coverage": coverage(played, args.trials), "detectable": detectable(played)}
    today = datetime.datetime.now(datetime.UTC)
    for name, rows in (tables | {"oracle": oracle(), "rule": rule()}).items():
        source = "`.venv/bin/python -m benchmarks.coverage`"
        write_table(name, source, f"{today.day} {today:%B %Y}", rows)
    fill_documents()


if __name__ == "__main__":
    main()
