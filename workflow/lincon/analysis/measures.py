"""From cumulative series to measures: per run first, then across runs.

R(t) = t g* - reward(t) and V_j(t) = t e_j - amount_j(t), of which the paper's regret and violation
are the positive parts, clipped per run and then averaged. Joint regret J = R+ + sum_j lambda_j V_j+
is both in one unit, and ranks policies. Composite regret R + sum_j lambda_j V_j is the quantity of
the theory and does not rank: it credits a surplus at the price, so a policy that ignores the reward
can have little of it.

A run keeps a constraint if its realised shortfall is at most a tolerance: one standard deviation of
the optimal mixture's own sum, plus what the forced first plays of its policy cost an oracle in
expectation. It keeps it strictly if the shortfall is zero. So an oracle that draws its arms from
the optimal mixture keeps a binding constraint in about 84% of its runs, whether or not plays are
forced; strictly in about half if none are, in fewer if forced plays cost more than chance makes up.
"""

from collections.abc import Collection, Mapping, Sequence

import numpy as np
import pandas as pd
import scipy  # submodules are loaded when used

from lincon.analysis.inference import describe, ratio_by_run
from lincon.data.arms import Arms
from lincon.errors import UserError
from lincon.problem.program import program
from lincon.problem.record import Problem

EXPECTED, REALISED = BASES = ("expected", "realised")
# Rounding error of a sum, per round: 10^7 times the same number are off by 4e-11 per round.
ROUNDING = 1e-9
STATISTICS = ("mean", "std", "ci_low", "ci_high", "n_runs")
# An oracle that draws from the optimal mixture keeps every constraint in this share of its runs.
ORACLE_KEEPS = float(scipy.special.ndtr(1.0))
Values = dict[str, np.ndarray]  # measure -> runs x recorded rounds
Tolerances = Sequence[float | None]  # per constraint and round; None is the default


def per_run(series: pd.DataFrame, problem: Problem, basis: str) -> Values:
    """Each measure as an array of runs x recorded rounds.

    `shortfall_j` is V_j, `violation_j` its positive part. `ratio`, of the reward and the only
    violation, is a number whose mean over runs is the ratio of means. An infeasible goal has no
    optimum, and so no regret.
    """
    prefix = "expected_" if basis == EXPECTED else ""
    t, reward = np.unique(series["t"]), _grid(series, f"{prefix}reward")
    measured = {"reward": reward}
    for j, one in enumerate(problem.goal.constraints):
        short = one.sign * (t * one.bound - _grid(series, f"{prefix}amount_{j}"))
        measured[f"shortfall_{j}"] = without_rounding(short, t)
        measured[f"violation_{j}"] = np.maximum(measured[f"shortfall_{j}"], 0.0)
    if len(problem.goal.constraints) == 1:
        measured["ratio"] = ratio_by_run(reward, measured["violation_0"])
    if problem.feasible:
        best, prices = _optimum(series, problem, t)
        loss = without_rounding(best - reward, t)
        measured |= {"signed_regret": loss, "regret": np.maximum(loss, 0.0)}
        composite, joint = loss, measured["regret"]
        for j, price in enumerate(prices):
            composite = composite + price * measured[f"shortfall_{j}"]
            joint = joint + price * measured[f"violation_{j}"]
        measured |= {"composite": without_rounding(composite, t), "joint": joint}
    return measured


def own_optimum(frame: pd.DataFrame) -> bool:
    """Whether every run has its own optimum."""
    return "optimum" in frame


def _optimum(
    series: pd.DataFrame, problem: Problem, t: np.ndarray
) -> tuple[np.ndarray, Sequence[float | np.ndarray]]:
    """What the best mixture earns up to each round, and the prices; of each run where it differs.

    Tolerances are those of the one problem: thresholds are the same in all runs.
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
    """Zero where a difference of sums over t rounds is only rounding error."""
    return np.where(np.abs(values) <= ROUNDING * t, 0.0, values)


def _grid(series: pd.DataFrame, column: str) -> np.ndarray:
    """A column of rows sorted by run and round, as runs x rounds."""
    return series[column].to_numpy(dtype=float).reshape(series["run"].nunique(), -1)


def deviations(arms: Arms, problem: Problem) -> np.ndarray:
    """Standard deviation of each amount of a round of the optimal mixture; zero without one."""
    numbers, support = program(arms, problem.goal), list(problem.support)
    share = np.array(problem.shares) * arms.kind_shares[arms.kind[support]]
    a, b, mean = numbers.a[:, support], numbers.b[:, support], arms.mean[support]
    square = mean * (a + b) ** 2 + (1.0 - mean) * b**2
    # Sums, as the rounding of a matrix product depends on the processor.
    squares, means = (square * share).sum(axis=1), ((a * mean + b) * share).sum(axis=1)
    return np.sqrt(np.maximum(squares - means**2, 0.0))


def forced_shortfall(arms: Arms, problem: Problem, t: np.ndarray) -> np.ndarray:
    """The expected shortfall at t of an oracle that plays each arm once first.

    Constraints x rounds: the amounts of the optimal mixture less those of the forced plays, less
    what the mixture has to spare.
    """
    numbers, last = program(arms, problem.goal), np.minimum(np.asarray(t, int), len(arms)) - 1
    amount = numbers.a * arms.mean + numbers.b
    optimal = np.zeros((len(amount), len(arms.kind_shares)))  # of each kind's requests
    for arm, share in zip(problem.support, problem.shares, strict=True):
        optimal[:, arms.kind[arm]] += share * amount[:, arm]
    missing = np.cumsum(optimal[:, arms.kind] - amount, axis=1)[:, last]
    spare = np.maximum((optimal * arms.kind_shares).sum(axis=1) - numbers.e, 0.0)
    return np.maximum(missing - np.outer(spare, t), 0.0)


def tolerances(
    arms: Arms,
    problem: Problem,
    t: np.ndarray | float,
    chosen: Tolerances = (),
    *,
    forced: bool = False,
) -> np.ndarray:
    """The shortfall at t that still counts as kept: constraints x rounds.

    Where several constraints bind, the default is a little more than one standard deviation, so
    that an oracle meets all of them jointly with the same probability. `forced`: each arm is played
    once first. `chosen` replaces the default, per round and in the unit of the threshold.
    """
    binding = max(1, sum(bool(each) for each in problem.binding))
    width = float(scipy.special.ndtri(ORACLE_KEEPS ** (1.0 / binding)))
    rounds = np.atleast_1d(np.asarray(t, dtype=float))
    allowed = np.outer(width * deviations(arms, problem), np.sqrt(rounds))
    if forced and problem.feasible:
        allowed += forced_shortfall(arms, problem, rounds)
    for j, each in enumerate(chosen):
        if each is not None:
            allowed[j] = each * rounds
    return allowed


def in_order(series: pd.DataFrame, policy: str) -> pd.DataFrame:
    """Sorted by run and round; runs that were not recorded at the same rounds are refused."""
    whole = series["run"].nunique() * series["t"].nunique()
    if len(series) != whole or series.duplicated(["run", "t"]).any():
        raise UserError(f"{policy}: its runs were not recorded at the same rounds")
    return series.sort_values(["run", "t"])


def measured(
    series: Mapping[str, pd.DataFrame],
    arms: Arms,
    problem: Problem,
    chosen: Tolerances = (),
    forcing: Collection[str] = (),
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """How each run ended, which is what is ranked and tested; and the means on the way.

    Parameters
    ----------
    series : policy -> frame
        One row per run and recorded round, as the engine writes them.
    chosen : sequence
        Tolerances per constraint and round; None is the default.
    forcing : collection of policies
        Those that play each arm once first.

    Returns
    -------
    outcomes
        One row per policy and run. Measures have a column per basis, such as `joint_expected`;
        constraint j has `tolerance_j`, `kept_j`, `strict_j` and others; `kept` and `strict` are of
        all constraints.
    curves
        One row per policy, metric, basis and recorded round: policy, metric, basis, t, mean, std,
        ci_low, ci_high, n_runs.
    """
    ended, means = [], []
    for policy, frame in series.items():
        frame = in_order(frame, policy)
        t, runs = np.unique(frame["t"]), frame["run"].nunique()
        allowed = tolerances(arms, problem, t, chosen, forced=policy in forcing)
        last = frame[frame["t"] == t[-1]].reset_index(drop=True)
        columns: dict[str, object] = {"policy": policy, "run": last["run"]}
        for basis in BASES:
            values = per_run(frame, problem, basis)
            columns |= _ended(values, last, problem, basis)
            values.pop("signed_regret", None)
            if basis == REALISED:
                short = [values[f"shortfall_{j}"] <= row for j, row in enumerate(allowed)]
                values["kept"] = np.all(short, axis=0).astype(float)
                values["infeasible"] = _grid(frame, "infeasible")
                # Plays are plays on either basis.
                values |= {"suboptimal": _grid(frame, "suboptimal")} if problem.feasible else {}
            keys = {"policy": policy, "basis": basis, "t": t, "n_runs": runs}
            means += [
                pd.DataFrame(keys | {"metric": name} | describe(each))
                for name, each in values.items()
            ]
        for name in ("optimum", "infeasible", "suboptimal"):
            columns |= {name: last[name].astype(float)} if name in last else {}
        columns |= {name: last[name] for name in last if name.startswith("plays_")}
        columns |= {f"tolerance_{j}": row[-1] for j, row in enumerate(allowed)}
        ended.append(pd.DataFrame(columns))
    curves = pd.concat(means, ignore_index=True)[["policy", "metric", "basis", "t", *STATISTICS]]
    return _judged(pd.concat(ended, ignore_index=True), len(problem.goal.constraints)), curves


def _ended(values: Values, last: pd.DataFrame, problem: Problem, basis: str) -> dict[str, object]:
    """The columns of one basis: each measure at the last round, NaN where it is not defined."""
    count, prefix = len(problem.goal.constraints), "expected_" if basis == EXPECTED else ""
    names = ["reward", "regret", "signed_regret", "joint", "composite"]
    names += [f"{what}_{j}" for j in range(count) for what in ("violation", "shortfall")]
    columns: dict[str, object] = {
        f"{name}_{basis}": values[name][:, -1] if name in values else np.nan for name in names
    }
    amounts = {f"amount_{j}_{basis}": last[f"{prefix}amount_{j}"] for j in range(count)}
    return columns | {name: column.astype(float) for name, column in amounts.items()}


def _judged(outcomes: pd.DataFrame, constraints: int) -> pd.DataFrame:
    """With what each run kept: constraint by constraint, and all of them."""
    held: dict[str, pd.Series] = {}
    for j in range(constraints):
        short = outcomes[f"shortfall_{j}_realised"]
        held |= {f"kept_{j}": short <= outcomes[f"tolerance_{j}"], f"strict_{j}": short <= 0.0}
    for word in ("kept", "strict"):
        each = [held[f"{word}_{j}"] for j in range(constraints)]
        held[word] = pd.concat(each, axis=1).all(axis=1)
    return outcomes.assign(**held)
