"""From cumulative series to what is measured: per run first, then across runs.

R(t) = t g* - reward(t) and V_j(t) = t e_j - amount_j(t), of which the paper's regret and violation
are the positive parts, clipped per run and then averaged. Joint regret J = R+ + sum_j lambda_j V_j+
is both in one unit, and ranks policies. Composite regret R + sum_j lambda_j V_j is the quantity of
the theory and does not rank: it credits a surplus at the price, so a policy that ignores the reward
can have little of it.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import scipy  # scipy.special is loaded when it is used

from lincon.analysis.inference import describe, ratio_by_run
from lincon.data.arms import Arms
from lincon.errors import UserError
from lincon.problem.goal import program
from lincon.problem.record import Problem

BASES = ("expected", "realised")
# What rounding may add to a sum, per round: 10^7 times the same number are off by 4e-11 per round.
ROUNDING = 1e-9
STATISTICS = ("mean", "std", "ci_low", "ci_high", "n_runs")
# An oracle that draws from the optimal mixture keeps every constraint in this share of its runs.
ORACLE_KEEPS = float(scipy.special.ndtr(1.0))
Values = dict[str, np.ndarray]  # measure -> runs x recorded rounds


def per_run(series: pd.DataFrame, problem: Problem, basis: str) -> Values:
    """Each measure as an array of runs x recorded rounds.

    `shortfall_j` is V_j, `violation_j` its positive part. `ratio`, of the reward and the only
    violation, is a number whose mean over runs is the ratio of means. An infeasible goal has no
    optimum, and so no regret.
    """
    prefix = "expected_" if basis == "expected" else ""
    t, reward = np.unique(series["t"]), _grid(series, f"{prefix}reward")
    found = {"reward": reward}
    for j, one in enumerate(problem.goal.constraints):
        short = one.sign * (t * one.bound - _grid(series, f"{prefix}amount_{j}"))
        found[f"shortfall_{j}"] = without_rounding(short, t)
        found[f"violation_{j}"] = np.maximum(found[f"shortfall_{j}"], 0.0)
    if len(problem.goal.constraints) == 1:
        found["ratio"] = ratio_by_run(reward, found["violation_0"])
    if problem.feasible:
        best, prices = _optimum(series, problem, t)
        loss = without_rounding(best - reward, t)
        found |= {"signed_regret": loss, "regret": np.maximum(loss, 0.0)}
        composite, joint = loss, found["regret"]
        for j, price in enumerate(prices):
            composite = composite + price * found[f"shortfall_{j}"]
            joint = joint + price * found[f"violation_{j}"]
        found |= {"composite": without_rounding(composite, t), "joint": joint}
    return found


def own_optimum(series: pd.DataFrame) -> bool:
    """Whether runs have an optimum of their own: what holds of one problem does not of them."""
    return "optimum" in series


def _optimum(
    series: pd.DataFrame, problem: Problem, t: np.ndarray
) -> tuple[np.ndarray, Sequence[float | np.ndarray]]:
    """What the best mixture earns up to each round, and the prices; of each run where it differs.

    Bounds are the same in all runs, and so, for a floor that binds, is what an oracle's luck does
    to it: tolerances are those of the one problem.
    """
    if not own_optimum(series):
        return t * problem.optimum, problem.prices
    named = {f"price_{j}": price for j, price in enumerate(problem.prices)}
    prices = [_grid(series, name) if name in series else p for name, p in named.items()]
    return _grid(series, "optimum"), prices


def spends(problem: Problem) -> bool:
    """Whether the goal is to spend little: rewards are negative, and shown as costs."""
    return problem.goal.value == 0.0 or (problem.optimum or 0.0) < 0.0


def without_rounding(values: np.ndarray, t: np.ndarray | float) -> np.ndarray:
    """Zero where a difference of sums over t rounds is nothing but their rounding."""
    return np.where(np.abs(values) <= ROUNDING * t, 0.0, values)


def _grid(series: pd.DataFrame, column: str) -> np.ndarray:
    """A column of rows sorted by run and round, as runs x rounds."""
    return series[column].to_numpy(dtype=float).reshape(series["run"].nunique(), -1)


def deviations(arms: Arms, problem: Problem) -> np.ndarray:
    """Standard deviations of one play of the optimal mixture: of its reward, and of each amount.

    Zero without an optimum.
    """
    numbers, support = program(arms, problem.goal), list(problem.support)
    share, mean = np.array(problem.shares), arms.mean[support]
    a = np.vstack([numbers.value, numbers.a])[:, support]
    b = np.vstack([-numbers.cost, numbers.b])[:, support]
    square = mean * (a + b) ** 2 + (1.0 - mean) * b**2
    # Sums, here and in theory: what a matrix product rounds to depends on the processor.
    squares, means = (square * share).sum(axis=1), ((a * mean + b) * share).sum(axis=1)
    return np.sqrt(np.maximum(squares - means**2, 0.0))


def tolerances(
    arms: Arms,
    problem: Problem,
    t: np.ndarray | float,
    given: Sequence[float | None] = (),
) -> np.ndarray:
    """The shortfall at t that still counts as kept: constraints x rounds.

    By default one standard deviation of the optimal mixture's own sum, which is what luck alone
    does to an oracle. Where several constraints bind it is a little more, so that the oracle keeps
    all of them as often as it keeps one. `given` is per round, in the unit of the bound.
    """
    binding = max(1, sum(bool(each) for each in problem.binding))
    width = float(scipy.special.ndtri(ORACLE_KEEPS ** (1.0 / binding)))
    rounds = np.atleast_1d(np.asarray(t, dtype=float))
    made = np.outer(width * deviations(arms, problem)[1:], np.sqrt(rounds))
    for j, each in enumerate(given):
        if each is not None:
            made[j] = each * rounds
    return made


def kept(found: Values, allowed: np.ndarray) -> np.ndarray:
    """Whether a run keeps each constraint: constraints x runs x rounds."""
    short = np.array([found[f"shortfall_{j}"] for j in range(len(allowed))])
    return short <= allowed[:, None, :]


def in_order(series: pd.DataFrame, policy: str) -> pd.DataFrame:
    """Sorted by run and round; runs that were not recorded at the same rounds are refused."""
    whole = series["run"].nunique() * series["t"].nunique()
    if len(series) != whole or series.duplicated(["run", "t"]).any():
        raise UserError(f"{policy}: its runs were not recorded at the same rounds")
    return series.sort_values(["run", "t"])


def summarise(
    series: Mapping[str, pd.DataFrame],
    arms: Arms,
    problem: Problem,
    given: Sequence[float | None] = (),
) -> pd.DataFrame:
    """The tidy summary of a setting: one row per policy, measure, basis and recorded round."""
    parts: list[pd.DataFrame] = []
    for policy, frame in series.items():
        frame = in_order(frame, policy)
        t, runs = np.unique(frame["t"]), frame["run"].nunique()
        for basis in BASES:
            found = per_run(frame, problem, basis)
            found.pop("signed_regret", None)
            if basis == "realised":
                every = kept(found, tolerances(arms, problem, t, given)).all(axis=0)
                found |= {"kept": every.astype(float), "infeasible": _grid(frame, "infeasible")}
                # Plays are plays on either basis.
                found |= {"suboptimal": _grid(frame, "suboptimal")} if problem.feasible else {}
            keys = {"policy": policy, "basis": basis, "t": t, "n_runs": runs}
            parts += [
                pd.DataFrame(keys | {"metric": name} | describe(values))
                for name, values in found.items()
            ]
    return pd.concat(parts, ignore_index=True)[["policy", "metric", "basis", "t", *STATISTICS]]


def outcomes(
    series: Mapping[str, pd.DataFrame],
    arms: Arms,
    problem: Problem,
    given: Sequence[float | None] = (),
) -> pd.DataFrame:
    """How each run ended: one row per policy and run, from which policies are ranked and tested."""
    parts, count = [], len(problem.goal.constraints)
    names = ["reward", "regret", "signed_regret", "joint", "composite"]
    names += [f"{what}_{j}" for j in range(count) for what in ("violation", "shortfall")]
    for policy, frame in series.items():
        last = in_order(frame, policy)
        last = last[last["t"] == last["t"].max()]
        columns: dict[str, object] = {"policy": policy, "run": last["run"].to_numpy()}
        for basis in BASES:
            prefix = "expected_" if basis == "expected" else ""
            ended = per_run(last, problem, basis)
            for name in names:
                columns[f"{name}_{basis}"] = ended[name][:, 0] if name in ended else np.nan
            for j in range(count):
                columns[f"amount_{j}_{basis}"] = last[f"{prefix}amount_{j}"].to_numpy(float)
        if own_optimum(last):
            columns["optimum"] = last["optimum"].to_numpy(float)
        allowed = tolerances(arms, problem, float(last["t"].iloc[0]), given)
        held = kept(ended, allowed)[:, :, 0]
        for j in range(count):
            for name in (f"worst_shortfall_{j}", f"last_shortfall_{j}"):
                columns[name] = last[name].to_numpy(float)
            columns[f"kept_{j}"] = held[j]
        parts.append(pd.DataFrame(columns | {"kept": held.all(axis=0)}))
    return pd.concat(parts, ignore_index=True)
