"""What keeping a promise costs in a service, on the routing example (docs/production.md).

    python benchmarks/promise.py [--runs 20]

13 language models (config/llm_routing.csv, LiveCodeBench), at least 75% of the answers correct at
the least cost, 10,000 requests. Costs are in units of the cheapest mixture's. Writes promise.csv
and, with half of the runs, repair.csv and drift.csv of docs/numbers.
"""

import argparse
import csv
import datetime
import logging
import sys
from collections import deque
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(REPOSITORY), str(REPOSITORY / "workflow")]

from lincon.online import GittinsLedger, LinConTS, TSLedger, linear, read_arms  # noqa: E402
from tools.fill_numbers import fill_documents, write_table  # noqa: E402

FILE, WHERE = REPOSITORY / "config/llm_routing.csv", {"benchmark": "LiveCodeBench"}
FLOOR, HORIZON, HALF, BROKEN, BLOCK = 0.75, 10_000, 5_000, range(4000, 5000), 250
GOAL = {
    "objective": {"value": 0, "cost": "cost"},
    "constraints": [{"name": "correct", "per_event": 1, "at_least": FLOOR}],
}
ARMS, _ = read_arms(FILE, where=WHERE)
with FILE.open(newline="") as table:
    ROWS = [row for row in csv.DictReader(table) if row["benchmark"] == WHERE["benchmark"]]
RATE = {row["label"]: float(row["mean"]) for row in ROWS}
COST = {row["label"]: float(row["cost"]) for row in ROWS}
Played = tuple[np.ndarray, np.ndarray]


def cheapest(rate: Mapping[str, float]) -> dict[str, float]:
    """The cheapest mixture that keeps the floor."""
    rates, costs = np.array(list(rate.values())), np.array(list(COST.values()))
    mixture = linear.solve_pair(rates, -costs, FLOOR) or {}
    return {list(rate)[i]: share for i, share in mixture.items()}


def price(mixture: Mapping[str, float]) -> float:
    return sum(share * COST[name] for name, share in mixture.items())


# After the first half a new version of the best mixture's main model is worse.
MAIN = max(cheapest(RATE), key=cheapest(RATE).__getitem__)
MOVED = RATE | {MAIN: RATE[MAIN] - 0.15}


def play(policy: Any, seed: int, late: int = 0, repair: str = "", drift: bool = False) -> Played:
    """(cost; correct answers) of every request.

    Feedback comes `late` requests later. To be repaired: from request 4,000 on a grader calls 1,000
    answers wrong.
    """
    rng, waiting, broken = np.random.default_rng(1000 + seed), deque[tuple[str, bool]](), []
    cost, correct = np.zeros(HORIZON), np.zeros(HORIZON)
    for t in range(HORIZON):
        decision = policy.decide()
        rate = MOVED if drift and t >= HALF else RATE
        correct[t], cost[t] = rng.random() < rate[decision.arm], COST[decision.arm]
        wrong = bool(repair) and t in BROKEN
        broken += [decision.id] * wrong
        waiting.append((decision.id, bool(correct[t]) and not wrong))
        while len(waiting) > late:
            policy.update(*waiting.popleft())
        if t == BROKEN.stop and repair == "void":
            policy.void(broken)
        elif t == BROKEN.stop and repair == "forgive":
            policy.forgive("correct")
    return cost, correct


def kept_from(correct: np.ndarray) -> int:
    """The request from which on the floor is kept to the end; HORIZON + 1 if it is not."""
    below = np.flatnonzero(np.cumsum(correct) < FLOOR * np.arange(1, correct.size + 1))
    return int(below[-1]) + 2 if below.size else 1


def promise_row(make: Callable[[int], Any], late: int, runs: int) -> list[str]:
    played = [play(make(seed), seed, late) for seed in range(runs)]
    cost = np.mean([one.mean() for one, _ in played]) / price(cheapest(RATE))
    rate = np.mean([one.mean() for _, one in played])
    kept = sum(one.mean() >= FLOOR for _, one in played)
    since = float(np.median([kept_from(one) for _, one in played]))
    text = f"{since:,.0f}" if since <= HORIZON else "not yet"
    return [f"{late}", f"{cost:.2f}", f"{rate:.1%}", f"{kept} of {runs}", text]


def repair_row(repair: str, runs: int, **options: float) -> list[str]:
    """For how many requests after the grader works again it costs twice the optimum, and how much
    more than the optimum it costs in all; medians."""
    long, extra = [], []
    for seed in range(runs):
        policy = TSLedger(ARMS, goal=GOAL, seed=seed, **options)
        after = play(policy, seed, repair=repair)[0][BROKEN.stop :] / price(cheapest(RATE))
        dear = np.flatnonzero(after.reshape(-1, BLOCK).mean(axis=1) > 2.0)
        long.append(BLOCK * (dear[-1] + 1) if dear.size else 0)
        extra.append(after.sum() - after.size)
    return [f"{np.median(long):,.0f}", f"{np.median(extra):,.0f}"]


def drift_row(memory: float | None, runs: int) -> list[str]:
    """Cost and correct answers where nothing drifts, and of the second half where a model does."""
    row = []
    for drift, since, best in ((False, 0, RATE), (True, HALF, MOVED)):
        policies = [TSLedger(ARMS, goal=GOAL, seed=seed, memory=memory) for seed in range(runs)]
        played = [play(policy, seed, drift=drift) for seed, policy in enumerate(policies)]
        cost = np.mean([one[since:].mean() for one, _ in played]) / price(cheapest(best))
        row += [f"{cost:.2f}", f"{np.mean([one[since:].mean() for _, one in played]):.1%}"]
    return row


CLASSES: dict[str, Callable[[int], Any]] = {
    "TSLedger": lambda seed: TSLedger(ARMS, goal=GOAL, seed=seed),
    "GittinsLedger": lambda seed: GittinsLedger(ARMS, horizon=HORIZON, goal=GOAL, seed=seed),
    "LinConTS": lambda seed: LinConTS(ARMS, goal=GOAL, seed=seed),
}
LIMITS: dict[str, dict[str, float]] = {
    "nothing": {},
    "debt_limit=100": {"debt_limit": 100.0},
    "memory=2000": {"memory": 2000.0},
    "forgive": {},
    "void": {},
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=20)
    runs, today = parser.parse_args().runs, datetime.date.today()
    logging.disable(logging.WARNING)
    source = "`.venv/bin/python benchmarks/promise.py`", f"{today.day} {today:%B %Y}"
    rows = [["policy", "feedback late by", "cost", "correct", "kept strictly", "kept from request"]]
    for name, make in CLASSES.items():
        rows += [[name, *promise_row(make, late, runs)] for late in (0, 200)]
    write_table("promise", *source, rows)
    rows = [["repaired by", "requests at over twice the optimum", "extra cost, in requests"]]
    rows += [[name, *repair_row(name, runs // 2, **held)] for name, held in LIMITS.items()]
    write_table("repair", *source, rows)
    rows = [["memory", "no drift: cost", "correct", "after the drift: cost", "correct"]]
    for memory in (None, 2000.0, 500.0):
        rows.append([f"{memory:,.0f}" if memory else "none", *drift_row(memory, runs // 2)])
    write_table("drift", *source, rows)
    fill_documents()


if __name__ == "__main__":
    main()
