"""What keeping a promise costs in a service, on the routing example (docs/production.md).

    python benchmarks/promise.py [--runs 20]

13 language models (config/llm_routing.csv, LiveCodeBench), at least 75% of the answers correct at
the least cost. Costs are in units of the cheapest mixture's. Late: feedback comes 200 requests
later. Mended: for 1,000 requests a grader calls every answer wrong.
"""

import argparse
import csv
import logging
import sys
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY / "workflow"))

from lincon.online import GittinsLedger, LinConTS, TSLedger, linear, read_arms  # noqa: E402

FILE, WHERE = REPOSITORY / "config/llm_routing.csv", {"benchmark": "LiveCodeBench"}
FLOOR, HORIZON, BROKEN, BLOCK = 0.75, 10_000, range(4000, 5000), 250
GOAL = {
    "objective": {"value": 0, "cost": "cost"},
    "constraints": [{"name": "correct", "per_event": 1, "at_least": FLOOR}],
}
ARMS, _ = read_arms(FILE, where=WHERE)
with FILE.open(newline="") as table:
    ROWS = [row for row in csv.DictReader(table) if row["benchmark"] == WHERE["benchmark"]]
MEAN = {row["label"]: float(row["mean"]) for row in ROWS}
COST = {row["label"]: float(row["cost"]) for row in ROWS}
Played = tuple[np.ndarray, np.ndarray]


def cheapest() -> float:
    """The cost per request of the cheapest mixture that keeps the floor."""
    rates, costs = np.array(list(MEAN.values())), np.array(list(COST.values()))
    mixture = linear.solve_pair(rates, -costs, FLOOR)
    return sum(share * costs[i] for i, share in (mixture or {}).items())


def play(policy: Any, seed: int, late: int = 0, mend: str | None = None) -> Played:
    """(cost, in units of the cheapest mixture; correct answers) of every request."""
    rng, waiting, broken = np.random.default_rng(1000 + seed), deque[tuple[str, bool]](), []
    cost, correct = np.zeros(HORIZON), np.zeros(HORIZON)
    for t in range(HORIZON):
        decision = policy.decide()
        correct[t], cost[t] = rng.random() < MEAN[decision.arm], COST[decision.arm]
        wrong = mend is not None and t in BROKEN
        broken += [decision.id] * wrong
        waiting.append((decision.id, bool(correct[t]) and not wrong))
        while len(waiting) > late:
            policy.update(*waiting.popleft())
        if t == BROKEN.stop and mend == "void":
            policy.void(broken)
        elif t == BROKEN.stop and mend == "forgive":
            policy.forgive("correct")
    return cost / cheapest(), correct


def kept_from(correct: np.ndarray) -> int:
    """The request from which on the floor is kept to the end; HORIZON + 1 if it is not."""
    below = np.flatnonzero(np.cumsum(correct) < FLOOR * np.arange(1, correct.size + 1))
    return int(below[-1]) + 2 if below.size else 1


def promise(make: Callable[[int], Any], late: int, runs: int) -> list[str]:
    played = [play(make(seed), seed, late) for seed in range(runs)]
    cost = np.mean([one.mean() for one, _ in played])
    rate = np.mean([one.mean() for _, one in played])
    kept = sum(one.mean() >= FLOOR for _, one in played)
    since = float(np.median([kept_from(one) for _, one in played]))
    text = f"{since:,.0f}" if since <= HORIZON else "not yet"
    return [f"{late}", f"{cost:.2f}", f"{rate:.1%}", f"{kept} of {runs}", text]


def mended(options: dict[str, float], mend: str, runs: int) -> list[str]:
    """For how many requests after the grader was mended it cost twice the optimum, and how much
    more than the optimum it cost in all; medians."""
    long, extra = [], []
    for seed in range(runs):
        policy = TSLedger(ARMS, goal=GOAL, seed=seed, **options)
        after = play(policy, seed, mend=mend)[0][BROKEN.stop :]
        dear = np.flatnonzero(after.reshape(-1, BLOCK).mean(axis=1) > 2.0)
        long.append(BLOCK * (dear[-1] + 1) if dear.size else 0)
        extra.append(after.sum() - after.size)
    return [f"{np.median(long):,.0f}", f"{np.median(extra):,.0f}"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=20)
    runs = parser.parse_args().runs
    logging.disable(logging.WARNING)
    table = csv.writer(sys.stdout, lineterminator="\n")
    table.writerow(["policy", "late by", "cost", "correct", "kept", "kept from"])
    classes: dict[str, Callable[[int], Any]] = {
        "TSLedger": lambda seed: TSLedger(ARMS, goal=GOAL, seed=seed),
        "GittinsLedger": lambda seed: GittinsLedger(ARMS, horizon=HORIZON, goal=GOAL, seed=seed),
        "LinConTS": lambda seed: LinConTS(ARMS, goal=GOAL, seed=seed),
    }
    for name, make in classes.items():
        for late in (0, 200):
            table.writerow([name, *promise(make, late, runs)])
            sys.stdout.flush()
    table.writerow(["mended by", "requests at twice the optimum", "extra cost, in requests"])
    for name, options in (
        ("nothing", {}),
        ("debt_limit=100", {"debt_limit": 100.0}),
        ("memory=2000", {"memory": 2000.0}),
        ("forgive", {}),
        ("void", {}),
    ):
        table.writerow([name, *mended(options, name, runs)])
        sys.stdout.flush()


if __name__ == "__main__":
    main()
