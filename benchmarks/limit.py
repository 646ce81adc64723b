"""The Bayes-optimal joint regret, which no policy can beat on average: docs/limit.md.

    python -m benchmarks.limit [--runs 16] [--processes 2]

Problems have the values and the floor of a `Case` and means drawn uniformly from a grid, if the
best mean leaves some room above the floor. Given this prior, the best policy is a
dynamic program over the counts (plays and events of each arm). Its expected joint regret on the
expected basis is the limit, beside which the policies play the same problems. Writes
docs/numbers/limit.csv and docs/limit.png.
"""

import argparse
import datetime
import itertools
import math
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from numba import njit

import lincon
from lincon.analysis.inference import mean_of
from lincon.policies.standard import STANDARD
from lincon.report.figures.style import styled
from lincon.report.palette import INK, looks
from lincon.report.text import interval
from tools.fill_numbers import fill_documents, write_table

GRID = np.linspace(0.05, 0.95, 19)
PATIENCE = 100  # the horizon of the table of decisions
ROOM = 0.05  # of the best mean above the floor
POLICIES = ("gittins_ledger", "ts_ledger", "ts_paced", "lincon_ts", "lincon_kl_ucb")
FIGURE = Path(__file__).resolve().parents[1] / "docs" / "limit.png"


class Case(NamedTuple):
    eta: float
    values: tuple[float, ...]
    horizons: tuple[int, ...]
    step: int = 1  # which means of GRID are possible: every one, every third

    @property
    def title(self) -> str:
        return f"{self.eta:g}; {', '.join(f'{value:g}' for value in self.values)}"


TWO, THREE = (25, 100, 400), (10, 40)
CASES = (
    Case(0.5, (1.0, 0.4), TWO),
    Case(0.3, (1.0, 0.7), TWO),
    Case(0.7, (1.0, 0.2), TWO),
    Case(0.5, (1.0, 0.6, 0.3), THREE, step=3),
    Case(0.7, (1.0, 0.5, 0.2), THREE, step=3),
)


class Prior(NamedTuple):
    """All problems that are possible, equally likely: their means and what plays cost at the end.

    Attributes
    ----------
    where : int array of shape (K, N)
        The places of the means in GRID.
    reward, price : arrays of shape (K,)
        Of the optimal mixture, per round; of the floor.
    """

    where: np.ndarray
    reward: np.ndarray
    price: np.ndarray

    @classmethod
    def of(cls, case: Case) -> "Prior":
        places = itertools.product(range(0, GRID.size, case.step), repeat=len(case.values))
        room = case.eta + ROOM - 1e-9
        where = np.array([one for one in places if GRID[list(one)].max() >= room])
        optima = [lincon.solve(arms_of(GRID[one], case), floor=case.eta) for one in where]
        prices = [one.problem.prices[0] for one in optima]
        return cls(where, np.array([one.problem.optimum for one in optima]), np.array(prices))


def arms_of(means: np.ndarray, case: Case) -> lincon.Arms:
    return lincon.Arms.from_arrays(list(means), list(case.values))


def joint_regret(prior: Prior, case: Case, plays: np.ndarray) -> np.ndarray:
    """J = R+ + lambda V+ of each problem, K, after so many plays of the arms (N, or K x N)."""
    rounds, means = plays.sum(axis=-1), GRID[prior.where]
    regret = rounds * prior.reward - (plays * means * case.values).sum(axis=1)
    violation = rounds * case.eta - (plays * means).sum(axis=1)
    # Rounding errors become 0.
    positive = [np.where(x > 1e-9, x, 0.0) for x in (regret, violation)]
    return positive[0] + prior.price * positive[1]


# --- the dynamic program


def limit(case: Case, horizon: int) -> float:
    """The expected joint regret of the best policy over so many rounds.

    W(counts) = sum over problems of their probability, of the chance that these plays give these
    events, and of the joint regret from there on. It needs no posterior:

        W(counts) = min over arms of  W(counts and an event) + W(counts and a miss)
    """
    values, starts, first = final(case, horizon)
    for rounds in range(horizon - 1, -1, -1):
        step_back(values, starts, rounds, horizon, first)
    return float(values[0])


def patience(case: Case, horizon: int) -> dict[int, int]:
    """When the optimal policy of two arms leaves the first, which it has played alone so far: the
    number of plays -> the most events with which it does."""
    values, starts, first = final(case, horizon)
    leaves = {}
    for rounds in range(horizon - 1, 0, -1):
        other, same = values[starts[0, rounds] :], values[starts[0, rounds + 1] :]
        for events in range(rounds + 1):
            # Of the second arm's block two values, a miss and an event, per count of the first's.
            if other[2 * events] + other[2 * events + 1] < same[events] + same[events + 1]:
                leaves[rounds] = events
        step_back(values, starts, rounds, horizon, first)
    return leaves


def final(case: Case, horizon: int) -> tuple[np.ndarray, np.ndarray, int]:
    """W after the last round, where its blocks start, and how often the first of three arms can be
    played (of two arms, which are the second and the third, never)."""
    prior = Prior.of(case)
    first = horizon if len(case.values) == 3 else 0
    starts = starts_of(horizon, first)
    values = np.empty(starts.max() + (horizon + 1) ** 2)
    where = prior.where if first else np.insert(prior.where, 0, 0, axis=1)
    for plays in splits(horizon, first):
        weights = np.zeros((GRID.size,) * 3)
        counts = np.array(plays[3 - len(case.values) :])
        weights[tuple(where.T)] = joint_regret(prior, case, counts) / len(where)
        likely = [likelihoods(n) for n in plays]
        start, size = starts[plays[:2]], math.prod(n + 1 for n in plays)
        block = np.einsum("ijk,ai,bj,ck->abc", weights, *likely, optimize=True)
        values[start : start + size] = block.ravel()
    return values, starts, first


def splits(rounds: int, first: int) -> Iterator[tuple[int, int, int]]:
    """All plays of three arms in so many rounds; of two arms, `first` is 0."""
    for n0 in range(min(rounds, first) + 1):
        for n1 in range(rounds - n0 + 1):
            yield n0, n1, rounds - n0 - n1


def starts_of(horizon: int, first: int) -> np.ndarray:
    """Where the block of (n0, n1) begins; it is large enough for all n2 that are left."""
    starts, total = np.zeros((horizon + 1, horizon + 1), np.int64), 0
    for n0, n1, n2 in splits(horizon, first):
        starts[n0, n1] = total
        total += (n0 + 1) * (n1 + 1) * (n2 + 1)
    return starts


def likelihoods(plays: int) -> np.ndarray:
    """mu^s (1 - mu)^(n - s), one row per s = 0..n, one column per mean of the grid."""
    events = np.arange(plays + 1)[:, None]
    return GRID**events * (1.0 - GRID) ** (plays - events)


@njit
def step_back(values, starts, rounds, horizon, first):
    """Replace W after rounds + 1 plays by W after `rounds` plays, in place.

    Counts are taken in rising order, so what is written is never read again.
    """
    for n0 in range(min(rounds, first) + 1):
        for n1 in range(rounds - n0 + 1):
            n2 = rounds - n0 - n1
            here, after_0, after_1 = starts[n0, n1], starts[n0 + 1, n1], starts[n0, n1 + 1]
            for s0 in range(n0 + 1):
                for s1 in range(n1 + 1):
                    # Rows of n2 + 2 values before this step, of n2 + 1 after it.
                    old = here + (s0 * (n1 + 1) + s1) * (n2 + 2)
                    new = here + (s0 * (n1 + 1) + s1) * (n2 + 1)
                    row_1 = after_1 + (s0 * (n1 + 2) + s1) * (n2 + 1)
                    row_0 = after_0 + (s0 * (n1 + 1) + s1) * (n2 + 1)
                    more_0 = (n1 + 1) * (n2 + 1)
                    for s2 in range(n2 + 1):
                        best = values[old + s2] + values[old + s2 + 1]
                        one = values[row_1 + s2] + values[row_1 + n2 + 1 + s2]
                        best = min(best, one)
                        if first > 0:
                            one = values[row_0 + s2] + values[row_0 + more_0 + s2]
                            best = min(best, one)
                        values[new + s2] = best


# --- the policies, on the same problems


def play(case: Case, prior: Prior, horizon: int, runs: int, k: int) -> np.ndarray:
    """Joint regret on problem k, policies x runs."""
    arms = lincon.Arms.from_arrays(GRID[prior.where[k]], case.values, dataset=f"limit {k}")
    keys = {"horizon": horizon, "runs": runs, "seed": 2020, "points": 2, "processes": 1}
    one = Prior(*(part[[k]] for part in prior))
    joint = []
    for policy in POLICIES:
        frame = lincon.simulate(arms, policy, case.eta, **keys).plays
        plays = frame.pivot(index="run", columns="arm", values="plays").to_numpy(float)
        joint.append([joint_regret(one, case, of_run)[0] for of_run in plays])
    return np.array(joint)


def measure(case: Case, horizon: int, runs: int, processes: int) -> list[dict[str, Any]]:
    """One row per policy: its joint regret, the mean over all problems, over the limit.

    Run k of all problems is one draw of that mean; its interval is over runs.
    """
    prior, least = Prior.of(case), limit(case, horizon)
    with ProcessPoolExecutor(processes) as pool:
        work = partial(play, case, prior, horizon, runs)
        joint = np.mean(list(pool.map(work, range(len(prior.where)))), axis=0)
    return [
        {"case": case.title, "T": horizon, "limit": least, "policy": policy}
        | mean_of("ratio", of_policy / least)
        for policy, of_policy in zip(POLICIES, joint, strict=True)
    ]


# --- table and figure


def table(frame: pd.DataFrame) -> list[list[str]]:
    labels = [STANDARD[policy]["label"] for policy in POLICIES]
    rows = [["floor; values", "T", "limit J", *labels]]
    for (case, horizon), part in frame.groupby(["case", "T"], sort=False):
        cells = [interval(*row) for row in part[["ratio", "ratio_low", "ratio_high"]].to_numpy()]
        rows.append([case, str(horizon), f"{part['limit'].iloc[0]:.3f}", *cells])
    return rows


def patience_table() -> list[list[str]]:
    """How many events short of the floor the first arm may be, after so many plays of it alone."""
    numbers = STANDARD["gittins_ledger"]
    rows = [["floor; values", "plays of the first arm alone", "optimal policy", "Gittins ledger"]]
    for case in CASES[0], CASES[2]:
        leaves = patience(case, PATIENCE)
        for n in range(10, PATIENCE, 20):
            sigma = math.sqrt(case.eta * (1.0 - case.eta) * n)
            allowed = numbers["allowance"] * sigma * (1.0 - n / PATIENCE)
            ours = allowed - numbers["reserve"] * math.log(n)
            cells = [f"{x:.1f}".replace("-", "\u2212") for x in (case.eta * n - leaves[n], ours)]
            rows.append([case.title if n == 10 else "", str(n), *cells])
    return rows


def draw(frame: pd.DataFrame) -> plt.Figure:
    cases = frame["case"].unique()
    figure, grid = plt.subplots(1, len(cases), figsize=(9.0, 2.6), sharey=True)
    for axes, case in zip(grid, cases, strict=True):
        for policy, look in looks({p: STANDARD[p] for p in POLICIES}).items():
            part = frame[(frame["case"] == case) & (frame["policy"] == policy)]
            band = axes.fill_between(part["T"], part["ratio_low"], part["ratio_high"], alpha=0.2)
            band.set(color=look.colour, linewidth=0)
            style = {"color": look.colour, "dashes": look.dashes or (None, None)}
            axes.plot(part["T"], part["ratio"], label=look.label, marker=".", **style)
        axes.axhline(1.0, color=INK, lw=0.8)
        ticks = sorted(frame[frame["case"] == case]["T"].unique())
        axes.set(xscale="log", yscale="log", title=f"floor {case}", xlabel="T")
        axes.set_xticks(ticks, [f"{t}" for t in ticks])
        axes.set_yticks([1, 1.5, 2, 3, 4, 6, 8], ["1", "1.5", "2", "3", "4", "6", "8"])
        axes.minorticks_off()
    grid[0].set_ylabel("joint regret over the limit")
    figure.legend(*grid[0].get_legend_handles_labels(), loc="outside lower center", ncols=5)
    return figure


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=16)
    parser.add_argument("--processes", type=int, default=2)
    args = parser.parse_args()
    rows = []
    for case in CASES:
        for horizon in case.horizons:
            rows += measure(case, horizon, args.runs, args.processes)
            print(case.title, horizon, flush=True)
    frame, today = pd.DataFrame(rows), datetime.datetime.now(datetime.UTC)
    source = f"`.venv/bin/python -m benchmarks.limit`, {args.runs} runs per problem"
    for name, rows_of in (("limit", table(frame)), ("patience", patience_table())):
        write_table(name, source, f"{today.day} {today:%B %Y}", rows_of)
    with styled():
        draw(frame).savefig(FIGURE, dpi=160)
    fill_documents()


if __name__ == "__main__":
    main()
