"""Decisions per second of lincon.online on one core, beside MABWiser, river and pybandits.

    python benchmarks/online.py [--rounds 2000]

CPU time of a decision and its feedback, after arms have been played ten times each. The others know
no constraints and are played where they are installed (`pip install mabwiser river pybandits`, into
any environment with NumPy). Writes docs/numbers/online.csv.
"""

import argparse
import datetime
import itertools
import sys
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(REPOSITORY), str(REPOSITORY / "workflow")]

from lincon.online import GittinsLedger, LinConKLUCB, LinConTS, TSLedger  # noqa: E402
from tools.fill_numbers import fill_documents, write_table  # noqa: E402

# A name, a choice, and feedback on what was chosen.
Player = tuple[str, Callable[[], Any], Callable[[Any, int], Any]]
CLASSES: tuple[Any, ...] = (LinConTS, TSLedger, LinConKLUCB, GittinsLedger)
CONSTRAINTS = (
    {"name": "correct", "per_event": 1, "at_least": 0.6},
    {"name": "spent", "per_play": "cost", "at_most": 0.6},
)


def ours(mean: np.ndarray, constraints: int, draws: int) -> Iterator[Player]:
    events = np.random.default_rng(3).binomial(10, mean)
    history = {arm: (float(hits), 10.0) for arm, hits in enumerate(events)}
    value, cost = np.random.default_rng(2).random((2, mean.size))
    arms = [{"value": v, "cost": c} for v, c in zip(value, cost, strict=True)]
    goal = {"objective": {"cost": "cost"}, "constraints": list(CONSTRAINTS[:constraints])}
    for cls in CLASSES:
        horizon = {"horizon": 100_000} if cls is GittinsLedger else {}
        policy = cls(arms, goal=goal, history=history, seed=2, propensity_draws=draws, **horizon)
        yield cls.__name__, policy.decide, _by_id(policy)


def _by_id(policy: Any) -> Callable[[Any, int], Any]:
    return lambda decision, event: policy.update(decision.id, event)


def others(mean: np.ndarray) -> Iterator[Player]:
    """Thompson sampling of other libraries, one decision and one update at a time."""
    names = [str(arm) for arm in range(mean.size)]
    luck = np.random.default_rng(3)
    if mabwiser := _library("mabwiser.mab"):
        policy = mabwiser.MAB(names, mabwiser.LearningPolicy.ThompsonSampling(), seed=2)
        played = names * 10
        policy.fit(played, [int(luck.random() < mean[int(arm)]) for arm in played])
        yield "MABWiser", policy.predict, lambda arm, event: policy.partial_fit([arm], [event])
    if _library("river.bandit"):
        from river import bandit, proba

        river = bandit.ThompsonSampling(reward_obj=proba.Beta(), seed=2)
        yield "river", lambda: river.pull(names), river.update
    if smab := _library("pybandits.smab"):
        thompson = smab.SmabBernoulli.cold_start(action_ids=set(names))
        yield (
            "pybandits",
            lambda: thompson.predict(n_samples=1)[0][0],
            lambda arm, event: thompson.update(actions=[arm], rewards=[event]),
        )


def _library(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        return None


def per_second(player: Player, mean: np.ndarray, rounds: int) -> float:
    """Decisions with their feedback per second of CPU time of this thread."""
    _, choose, update = player
    rng = np.random.default_rng(4)
    for t in range(-100, rounds):
        if t == 0:
            start = time.thread_time()
        choice = choose()
        update(choice, int(rng.random() < mean[int(getattr(choice, "arm", choice))]))
    return rounds / (time.thread_time() - start)


# Arms, constraints and draws for a propensity.
COLUMNS = {
    "60 arms, 1 constraint": (60, 1, 0),
    "13 arms, 2 constraints": (13, 2, 0),
    "the same with propensities": (13, 2, 15),
    "10,000 arms, 1 constraint": (10_000, 1, 0),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=2000)
    rounds, table = parser.parse_args().rounds, dict[str, dict[str, str]]()
    for column, (arms, constraints, draws) in COLUMNS.items():
        mean = np.random.default_rng(1).random(arms)
        rest = others(mean) if constraints == 1 else ()
        for player in itertools.chain(ours(mean, constraints, draws), rest):
            speed = per_second(player, mean, rounds if arms < 1000 else rounds // 20)
            table.setdefault(player[0], {})[column] = f"{speed:,.0f}"
    rows = [[name, *(row.get(one, "") for one in COLUMNS)] for name, row in table.items()]
    today = datetime.date.today()
    source = "`.venv/bin/python benchmarks/online.py`", f"{today.day} {today:%B %Y}"
    write_table("online", *source, [["policy", *COLUMNS], *rows])
    fill_documents()


if __name__ == "__main__":
    main()
