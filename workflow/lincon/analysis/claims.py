"""The paper's empirical sentences as checks: a number, its interval, and a computed verdict.

Differences are challenger minus baseline, of paired runs: both met the same luck. A sentence holds
if its whole 95% interval is on the claimed side, does not hold if it is on the other side, and is
undecided with this many runs otherwise. What the theory says of T without end, or up to a constant
that it does not give, cannot be refuted by a run of this length: above, it is "not yet at this T".
A slope held against the lower bound's coefficient C is a measurement, as nobody claims that the
one is below the other.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from lincon.analysis.c_library import log
from lincon.analysis.inference import (
    ALPHA,
    Estimate,
    detectable_difference,
    holm,
    paired_t,
    ratio_difference,
    variance_ratio,
)
from lincon.analysis.intervals import resampling_weights
from lincon.analysis.metrics import (
    BASES,
    check_complete,
    counts_per_run,
    per_run,
    quotient,
    without_rounding,
)
from lincon.analysis.slopes import slope
from lincon.analysis.theory import bounds
from lincon.errors import UserError
from lincon.problem.record import Problem

HOLDS, FAILS, UNDECIDED = "holds", "does not hold", "undecided"
NOT_YET, MEASURED = "not yet at this T", "measured"
COMPARISON, THEORY, MEASUREMENT = "comparison", "theory", "measurement"
# Quantity -> the sentence, and the sign of the difference that it claims. The abstract's
# "simultaneously minimizing the regret and the violation" is the composite regret R + lambda* V.
SENTENCES = {
    "regret": ("lower regret", -1),
    "violation": ("fewer violations", -1),
    "reward": ("higher cumulative reward", 1),
    "ratio": ("higher reward-to-violation ratio", 1),
    "composite": ("lower regret and violation together", -1),
}
GROWTH = "suboptimal plays grow at most as C' log t"
SLOPE = "slope of composite regret / C of the lower bound"
LEVELS = {
    "suboptimal": "suboptimal plays below C' log T (Lemma 2)",
    "regret": "regret below its bound (Theorem 1)",
    "violation": "violation below its bound (Theorem 2)",
}
COLUMNS = (
    *("dataset", "eta", "horizon", "kind", "policy", "against", "claim", "quantity", "basis"),
    *("value", "reference", "difference", "ci_low", "ci_high", "p_value", "p_holm"),
    *("share_of_runs", "share_of_time", "detectable", "variance_ratio"),
    *("n_runs", "verdict_alone", "verdict"),
)

Values = Mapping[str, np.ndarray]
Row = dict[str, object]


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
    """One row a claim; `series` has at least the runs of the two, `table` is the theory table.

    `verdict_alone` is that of a claim's own interval, `verdict` the one that stands when the
    number of claims in the table is corrected for.
    """
    frames = {}
    for policy in (challenger, baseline):
        check_complete(series[policy], runs, policy)
        frames[policy] = series[policy].sort_values(["run", "t"])
    t = np.unique(frames[challenger]["t"])
    if not np.array_equal(t, np.unique(frames[baseline]["t"])):
        raise UserError(f"{challenger} and {baseline} were not recorded at the same rounds")
    weights = resampling_weights(runs, resamples, seed)
    rows: list[Row] = []
    for basis in BASES:
        ours, theirs = (per_run(frames[p], problem, basis) for p in (challenger, baseline))
        for quantity in SENTENCES:
            row = compare(quantity, ours, theirs, t, problem.arms, weights)
            rows.append({"policy": challenger, "against": baseline, "basis": basis} | row)
    for policy, frame in frames.items():
        curves = per_run(frame, problem, "expected") | counts_per_run(frame, problem)
        checks = growth(curves, problem, table, t)
        if policy == challenger:
            checks += levels(curves, problem, table, int(t[-1]))
        rows += [{"policy": policy, "against": "theory"} | row for row in checks]
    setting = {"dataset": problem.dataset, "eta": problem.eta, "horizon": int(t[-1])}
    frame = pd.DataFrame([setting | {"n_runs": runs} | row for row in rows])
    return corrected(frame)[list(COLUMNS)]


def corrected(frame: pd.DataFrame) -> pd.DataFrame:
    """With Holm's p-values over the table, and the verdicts that are left by them."""
    tested = frame["p_value"].where(frame["kind"] != MEASUREMENT)
    p_holm = holm(tested.to_numpy(dtype=float))
    lost = (p_holm >= ALPHA) & frame["verdict_alone"].isin([HOLDS, FAILS, NOT_YET])
    # A number that is exactly the bound in every run needs no test.
    lost &= frame["difference"] != 0.0
    return frame.assign(
        p_holm=p_holm, verdict=frame["verdict_alone"].where(~lost, UNDECIDED).to_numpy()
    )


def compare(
    quantity: str, ours: Values, theirs: Values, t: np.ndarray, arms: int, weights: np.ndarray
) -> Row:
    """The paired comparison of one quantity at the last round, and how it stood before."""
    claim, sign = SENTENCES[quantity]
    row: Row = {"kind": COMPARISON, "claim": claim, "quantity": quantity}
    if quantity not in ours and quantity != "ratio":
        return row | _undefined()
    difference, value, reference = _difference(quantity, ours, theirs, float(t[-1]), weights)
    by_run = _advantage(quantity, _last(ours), _last(theirs))
    by_round = _advantage(quantity, _average(ours), _average(theirs))
    return row | {
        "value": value,
        "reference": reference,
        "difference": difference.value,
        "ci_low": difference.low,
        "ci_high": difference.high,
        "p_value": difference.p,
        "share_of_runs": float(np.mean(by_run > 0.0)),
        "share_of_time": _share_of_time(by_round > 0.0, t, arms),
        **_sharpness(quantity, ours, theirs),
        "verdict_alone": verdict(difference.low, difference.high, sign),
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
    return slope(t, values, t >= max(t[-1] / 10.0, arms))


def growth(curves: Values, problem: Problem, table: pd.DataFrame, t: np.ndarray) -> list[Row]:
    """The slope of suboptimal plays against Lemma 2's; that of composite regret, measured in C."""
    sums = bounds(table, problem)
    slopes = {
        quantity: last_decade_slope(t, curves[quantity], problem.arms)
        for quantity in ("suboptimal", "composite")
        if quantity in curves
    }
    plays = _below(slopes.get("suboptimal"), sums.plays_slope)
    ratio = None
    if "composite" in slopes and sums.lower_bound_slope > 0.0:
        ratio = slopes["composite"] / sums.lower_bound_slope
    return [
        {"kind": THEORY, "claim": GROWTH, "quantity": "suboptimal slope", "basis": "realised"}
        | plays,
        {"kind": MEASUREMENT, "claim": SLOPE, "quantity": "composite slope / C"}
        | {"basis": "expected"}
        | _below(ratio, 1.0)
        | {"verdict_alone": MEASURED if ratio is not None else UNDECIDED, "share_of_runs": np.nan},
    ]


def levels(curves: Values, problem: Problem, table: pd.DataFrame, horizon: int) -> list[Row]:
    """What the theorems bound, at the last round, against the growing terms of the bounds."""
    sums = bounds(table, problem)
    limits = {
        "suboptimal": sums.plays_slope * float(log(horizon)),
        "regret": sums.regret_bound(horizon),
        "violation": sums.violation_bound(horizon),
    }
    rows = []
    for quantity, claim in LEVELS.items():
        last = curves[quantity][:, -1] if quantity in curves else None
        basis = "realised" if quantity == "suboptimal" else "expected"
        row: Row = {"kind": THEORY, "claim": claim, "quantity": quantity, "basis": basis}
        rows.append(row | _below(last, float(limits[quantity])))
    return rows


def _below(by_run: np.ndarray | None, limit: float) -> Row:
    """A number a run against one that it is to be at most."""
    if by_run is None or np.isnan(by_run).any() or np.isnan(limit):
        return _undefined()
    excess = paired_t(by_run - limit)
    said = verdict(excess.low, excess.high, -1)
    if excess.low == excess.high == 0.0:
        said = HOLDS
    return {
        "value": float(by_run.mean()),
        "reference": limit,
        "difference": excess.value,
        "ci_low": excess.low,
        "ci_high": excess.high,
        "p_value": excess.p,
        "share_of_runs": float(np.mean(by_run <= limit)),
        "share_of_time": np.nan,
        "detectable": np.nan,
        "variance_ratio": np.nan,
        "verdict_alone": NOT_YET if said == FAILS else said,
    }


def _difference(
    quantity: str, ours: Values, theirs: Values, t: float, weights: np.ndarray
) -> tuple[Estimate, float, float]:
    """The difference at the last round, and the two numbers that it is between."""
    if quantity == "ratio":
        mine, other = (
            np.array([v["reward"][:, -1], v["violation"][:, -1]]) for v in (ours, theirs)
        )
        value, reference = (float(quotient(*pair.mean(axis=1))) for pair in (mine, other))
        return ratio_difference(mine, other, weights), value, reference
    mine, other = ours[quantity][:, -1], theirs[quantity][:, -1]
    estimate = paired_t(without_rounding(mine - other, t))
    return estimate, float(mine.mean()), float(other.mean())


def _sharpness(quantity: str, ours: Values, theirs: Values) -> Row:
    """The smallest difference that so many runs detect, and what it gained that they are paired."""
    if quantity == "ratio":
        return {"detectable": np.nan, "variance_ratio": np.nan}
    mine, other = ours[quantity][:, -1], theirs[quantity][:, -1]
    return {
        "detectable": detectable_difference(mine - other),
        "variance_ratio": variance_ratio(mine, other),
    }


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


def _last(values: Values) -> Values:
    return {name: array[:, -1] for name, array in values.items()}


def _average(values: Values) -> Values:
    return {name: array.mean(axis=0) for name, array in values.items()}


def _undefined() -> Row:
    numbers = ("value", "reference", "difference", "ci_low", "ci_high", "p_value")
    shares = ("share_of_runs", "share_of_time", "detectable", "variance_ratio")
    return dict.fromkeys((*numbers, *shares), np.nan) | {"verdict_alone": UNDECIDED}
