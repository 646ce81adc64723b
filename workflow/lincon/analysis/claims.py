"""The paper's empirical sentences as checks: a number, its interval, and a computed verdict.

Differences are challenger minus baseline. Both met the same luck in a run, so a resample draws
runs, and with them pairs. A sentence holds if its whole 95% interval is on the claimed side, does
not hold if it is on the other side, and is undecided with this many runs otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from lincon.analysis.intervals import bootstrap_interval, resampling_weights
from lincon.analysis.metrics import BASES, check_complete, counts_per_run, per_run, quotient
from lincon.analysis.theory import bounds
from lincon.errors import UserError
from lincon.problem.record import Problem

HOLDS, FAILS, UNDECIDED = "holds", "does not hold", "undecided"
# Quantity -> the sentence, and the sign of the difference that it claims. The abstract's
# "simultaneously minimizing the regret and the violation" is the composite regret R + lambda* V.
SENTENCES = {
    "regret": ("lower regret", -1),
    "violation": ("fewer violations", -1),
    "reward": ("higher cumulative reward", 1),
    "ratio": ("higher reward-to-violation ratio", 1),
    "composite": ("lower regret and violation together", -1),
}
# The sentences of the theory, each about a quantity that is to stay below a number.
GROWTH = {
    "suboptimal": "suboptimal plays grow at most as C' log t",
    "composite": "composite regret grows at most as C log t",
}
LEVELS = {
    "suboptimal": "suboptimal plays below C' log T (Lemma 2)",
    "regret": "regret below its bound (Theorem 1)",
    "violation": "violation below its bound (Theorem 2)",
}
NOTES = """\
`runs` and `time`: the share of runs, and of the rounds after the first N, in which it is so. Growth
is the slope against log t over the last decade. C is the lower bound's coefficient, and C' that of
Lemma 2: (1 + gamma)^2 times the sum of 1 / d(mu_i, xi_i). Both are those of T without end, and the
bounds are given without their constants: a slope above its coefficient does not refute a theorem,
it says how far this T is from where the theorem speaks."""
COLUMNS = (
    *("dataset", "eta", "horizon", "policy", "against", "claim", "quantity", "basis"),
    *("value", "reference", "difference", "ci_low", "ci_high"),
    *("share_of_runs", "share_of_time", "n_runs", "verdict"),
)

Values = Mapping[str, np.ndarray]


def check_claims(
    series: Mapping[str, pd.DataFrame],
    problem: Problem,
    table: pd.DataFrame,
    challenger: str,
    baseline: str,
    runs: int,
    resamples: int,
    seed: int,
) -> pd.DataFrame:
    """One row a claim; `series` has at least the runs of the two, `table` is the theory table."""
    frames = {}
    for policy in (challenger, baseline):
        check_complete(series[policy], runs, policy)
        frames[policy] = series[policy].sort_values(["run", "t"])
    t = np.unique(frames[challenger]["t"])
    if not np.array_equal(t, np.unique(frames[baseline]["t"])):
        raise UserError(f"{challenger} and {baseline} were not recorded at the same rounds")
    weights = resampling_weights(runs, resamples, seed)
    rows = []
    for basis in BASES:
        ours, theirs = (per_run(frames[p], problem, basis) for p in (challenger, baseline))
        for quantity in SENTENCES:
            row = compare(quantity, ours, theirs, t, problem.arms, weights)
            rows.append({"policy": challenger, "against": baseline, "basis": basis} | row)
    for policy, frame in frames.items():
        curves = per_run(frame, problem, "expected") | counts_per_run(frame, problem)
        checks = growth(curves, problem, table, t, weights)
        if policy == challenger:
            checks += levels(curves, problem, table, int(t[-1]), weights)
        rows += [{"policy": policy, "against": "theory"} | row for row in checks]
    setting = {"dataset": problem.dataset, "eta": problem.eta, "horizon": int(t[-1])}
    return pd.DataFrame([setting | {"n_runs": runs} | row for row in rows])[list(COLUMNS)]


def compare(
    quantity: str, ours: Values, theirs: Values, t: np.ndarray, arms: int, weights: np.ndarray
) -> dict[str, object]:
    """The paired comparison of one quantity at the last round, and how it stood before."""
    claim, sign = SENTENCES[quantity]
    row: dict[str, object] = {"claim": claim, "quantity": quantity}
    if quantity not in ours and quantity != "ratio":
        return row | _undefined()
    value, value_draws = _at_the_end(quantity, ours, weights)
    reference, reference_draws = _at_the_end(quantity, theirs, weights)
    low, high = _interval(value_draws - reference_draws, len(ours["reward"]))
    by_run = _advantage(quantity, _last(ours), _last(theirs))
    by_round = _advantage(quantity, _average(ours), _average(theirs))
    return row | {
        "value": value,
        "reference": reference,
        "difference": value - reference,
        "ci_low": low,
        "ci_high": high,
        "share_of_runs": float(np.mean(by_run > 0.0)),
        "share_of_time": _share_of_time(by_round > 0.0, t, arms),
        "verdict": verdict(low, high, sign),
    }


def verdict(low: float, high: float, sign: int) -> str:
    """What the interval of a difference says of the claim that it has this sign."""
    if np.isnan(low) or np.isnan(high):
        return UNDECIDED
    if min(sign * low, sign * high) > 0.0:
        return HOLDS
    return FAILS if max(sign * low, sign * high) < 0.0 else UNDECIDED


def last_decade_slope(t: np.ndarray, values: np.ndarray, arms: int) -> np.ndarray:
    """Per run, the least-squares slope against log t over the last decade of rounds.

    The first rounds, in which every arm is played once, are left out even in a short run.
    """
    recent = t >= max(t[-1] / 10.0, arms)
    if recent.sum() < 2:
        return np.full(len(values), np.nan)
    x = np.log(t[recent])
    x = x - x.mean()
    return values[:, recent] @ x / (x @ x)


def growth(
    curves: Values, problem: Problem, table: pd.DataFrame, t: np.ndarray, weights: np.ndarray
) -> list[dict[str, object]]:
    """Slopes against their asymptotic coefficients; above one, T is short or the claim is wrong."""
    sums = bounds(table, problem)
    coefficients = {"suboptimal": sums.plays_slope, "composite": sums.lower_bound_slope}
    rows = []
    for quantity, claim in GROWTH.items():
        slopes = None
        if quantity in curves:
            slopes = last_decade_slope(t, curves[quantity], problem.arms)
        row = {"claim": claim, "quantity": f"{quantity} slope", "basis": _basis(quantity)}
        rows.append(row | _below(slopes, coefficients[quantity], weights))
    return rows


def levels(
    curves: Values, problem: Problem, table: pd.DataFrame, horizon: int, weights: np.ndarray
) -> list[dict[str, object]]:
    """What the theorems bound, at the last round, against the growing terms of the bounds."""
    sums = bounds(table, problem)
    limits = {
        "suboptimal": sums.plays_slope * np.log(horizon),
        "regret": sums.regret_bound(horizon),
        "violation": sums.violation_bound(horizon),
    }
    rows = []
    for quantity, claim in LEVELS.items():
        last = curves[quantity][:, -1] if quantity in curves else None
        row = {"claim": claim, "quantity": quantity, "basis": _basis(quantity)}
        rows.append(row | _below(last, float(limits[quantity]), weights))
    return rows


def _basis(quantity: str) -> str:
    return "realised" if quantity == "suboptimal" else "expected"


def _below(by_run: np.ndarray | None, limit: float, weights: np.ndarray) -> dict[str, object]:
    if by_run is None or np.isnan(by_run).any() or np.isnan(limit):
        return _undefined()
    excess = by_run - limit
    low, high = _interval(weights @ excess, len(excess))
    return {
        "value": float(by_run.mean()),
        "reference": limit,
        "difference": float(excess.mean()),
        "ci_low": low,
        "ci_high": high,
        "share_of_runs": float(np.mean(excess <= 0.0)),
        "share_of_time": np.nan,
        "verdict": verdict(low, high, -1),
    }


def _at_the_end(quantity: str, values: Values, weights: np.ndarray) -> tuple[float, np.ndarray]:
    """A quantity at the last round: over all runs, and over each resample of them."""
    if quantity == "ratio":
        reward, violation = (values[name][:, -1] for name in ("reward", "violation"))
        over_runs = quotient(reward.mean(), violation.mean())
        return float(over_runs), quotient(weights @ reward, weights @ violation)
    last = values[quantity][:, -1]
    return float(last.mean()), weights @ last


def _advantage(quantity: str, ours: Values, theirs: Values) -> np.ndarray:
    """Above zero where the claim holds; ratios are cross-multiplied, so that zero may divide."""
    if quantity == "ratio":
        return ours["reward"] * theirs["violation"] - theirs["reward"] * ours["violation"]
    return SENTENCES[quantity][1] * (ours[quantity] - theirs[quantity])


def _share_of_time(better: np.ndarray, t: np.ndarray, arms: int) -> float:
    """The share of the rounds after the first N; a recorded round stands for those since the last.

    In the first N rounds every policy plays each arm once, so there is nothing to compare.
    """
    counted = np.diff(np.maximum(t, arms), prepend=arms)
    return float(np.sum(better * counted) / counted.sum()) if counted.sum() else np.nan


def _interval(draws: np.ndarray, runs: int) -> tuple[float, float]:
    if runs < 2:
        return np.nan, np.nan
    low, high = bootstrap_interval(draws)
    return float(low), float(high)


def _last(values: Values) -> Values:
    return {name: array[:, -1] for name, array in values.items()}


def _average(values: Values) -> Values:
    return {name: array.mean(axis=0) for name, array in values.items()}


def _undefined() -> dict[str, object]:
    numbers = ("value", "reference", "difference", "ci_low", "ci_high")
    shares = ("share_of_runs", "share_of_time")
    return dict.fromkeys((*numbers, *shares), np.nan) | {"verdict": UNDECIDED}


def to_markdown(frame: pd.DataFrame, problem: Problem, labels: Mapping[str, str]) -> str:
    """The claims of one setting as a page of Markdown; `labels` are the policies' names."""
    first = frame.iloc[0]
    lines = [
        f"# Claims: {problem.dataset}, eta = {problem.eta:g}, T = {first['horizon']:,}",
        "",
        *([f"**{problem.note}**", ""] if problem.source == "standin" else []),
        f"{_name(first['policy'], labels)} against {_name(first['against'], labels)}, "
        f"{first['n_runs']} runs. Differences at T, with 95% bootstrap intervals over runs. "
        "A claim holds, or does not, if the whole interval says so; else it is undecided.",
        "",
        "| claim | policy | basis | value | against | difference | 95% interval | runs | time "
        "| verdict |",
        "|---|---|---|---:|---:|---:|---:|---:|---:|---|",
    ]
    lines += [_markdown_row(row, labels) for _, row in frame.iterrows()]
    return "\n".join([*lines, "", NOTES, ""])


def _markdown_row(row: pd.Series, labels: Mapping[str, str]) -> str:
    interval = "none" if np.isnan(row["ci_low"]) else f"{_number(row['ci_low'])} to "
    interval += "" if np.isnan(row["ci_low"]) else _number(row["ci_high"])
    cells = [row["claim"], _name(row["policy"], labels), row["basis"]]
    cells += [_number(row[name]) for name in ("value", "reference", "difference")]
    cells += [interval, _percent(row["share_of_runs"]), _percent(row["share_of_time"])]
    return "| " + " | ".join([*cells, f"**{row['verdict']}**"]) + " |"


def _name(policy: str, labels: Mapping[str, str]) -> str:
    return labels.get(policy, policy)


def _number(x: float) -> str:
    if np.isnan(x):
        return "undefined"
    return f"{x:,.0f}" if abs(x) >= 999.5 else f"{x:.3g}"


def _percent(x: float) -> str:
    return "" if np.isnan(x) else f"{x:.0%}"
