"""Microseconds per choice and per event of lincon.online, beside MABWiser in one process.

    python benchmarks/online.py [--arms 60 1000 10000] [--rounds 300]

Figures are medians of CPU time; the arms have all been played before. MABWiser (`pip install
mabwiser`, into any environment with NumPy) knows no constraints; without it lincon plays alone.
"""

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "workflow"))

from lincon.online import LearnedLedger, LinConKLUCB, LinConTS

try:
    from mabwiser.mab import MAB, LearningPolicy
except ImportError:
    MAB = None

Player = tuple[Callable[[], Any], Callable[[Any, int], Any]]


def own(cls: type, mean: np.ndarray, value: np.ndarray) -> Player:
    policy = cls(value, 2, eta=0.8, prior=history(mean))
    return policy.choose, policy.update


def decisions(mean: np.ndarray, value: np.ndarray) -> Player:
    """Decisions with an id, logged propensities and all."""
    policy = LinConTS(value, 2, eta=0.8, prior=history(mean))
    return lambda: policy.decide(resamples=15), lambda made, event: policy.update(made.id, event)


def mabwiser(how: Any, mean: np.ndarray) -> Player:
    policy = MAB(list(range(len(mean))), how, seed=2)
    arms = np.repeat(np.arange(len(mean)), 10)
    policy.fit(arms.tolist(), (np.random.default_rng(3).random(len(arms)) < mean[arms]).astype(int))
    return policy.predict, lambda arm, event: policy.partial_fit([arm], [event])


def history(mean: np.ndarray) -> dict[int, tuple[float, float]]:
    events = np.random.default_rng(3).binomial(10, mean)
    return {arm: (float(events[arm]), 10.0) for arm in range(len(mean))}


def microseconds(player: Player, mean: np.ndarray, rounds: int) -> tuple[float, float]:
    """(a choice, an event), the median of each: CPU time, which other processes do not change."""
    choose, update = player
    rng, times = np.random.default_rng(4), []
    for _ in range(rounds):
        start = time.process_time()
        made = choose()
        chosen = time.process_time()
        event = int(rng.random() < mean[getattr(made, "arm", made)])
        middle = time.process_time()
        update(made, event)
        times.append((chosen - start, time.process_time() - middle))
    choices, updates = zip(*times, strict=True)
    return 1e6 * statistics.median(choices), 1e6 * statistics.median(updates)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--arms", type=int, nargs="+", default=[60, 1000, 10_000])
    parser.add_argument("--rounds", type=int, default=300)
    args = parser.parse_args()
    if MAB is None:
        print("MABWiser is not installed here (pip install mabwiser): lincon.online alone")
    print(f"{'N':>6}  {'policy':<34}{'choice':>10}{'event':>10}  (microseconds)")
    for arms in args.arms:
        mean, value = np.random.default_rng(1).random((2, arms))
        players = {
            cls.__name__: own(cls, mean, value) for cls in (LinConTS, LinConKLUCB, LearnedLedger)
        }
        players["LinConTS, decide(resamples=15)"] = decisions(mean, value)
        if MAB is not None:
            players["MABWiser, ThompsonSampling"] = mabwiser(
                LearningPolicy.ThompsonSampling(), mean
            )
            players["MABWiser, UCB1"] = mabwiser(LearningPolicy.UCB1(), mean)
        for name, player in players.items():
            choice, event = microseconds(player, mean, args.rounds)
            print(f"{arms:>6,}  {name:<34}{choice:>10,.0f}{event:>10,.1f}", flush=True)


if __name__ == "__main__":
    main()
