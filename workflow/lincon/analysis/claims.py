"""The paper's empirical sentences as checks: a number, its interval, and a computed verdict.

Differences are challenger minus baseline, of paired runs. A sentence holds if its whole 95%
interval is on the claimed side, fails if it is on the other side, and is undecided otherwise;
verdicts are corrected for the number of sentences by Holm's method.

The theorems are measured, not tested. They speak of T -> infinity, up to constants that the paper
does not give: no number at a finite T refutes them, and a test that cannot fail is none. Where a
bound is above what uniform play does, any policy is below it, and it says nothing at this T.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd

from lincon.analysis.inference import (
    ALPHA,
    Estimate,
    detectable_difference,
    holm,
    paired_t,
    ratio_difference,
    resampling_weights,
    variance_ratio,
)
from lincon.analysis.measures import (
    BASES,
    Values,
    check_complete,
    per_run,
    quotient,
    without_rounding,
)
from lincon.analysis.theory import bounds, uniform_play
from lincon.errors import UserError
from lincon.problem.record import Problem

HOLDS, FAILS, UNDECIDED = "holds", "fails", "undecided"
BELOW, ABOVE, SILENT = "below", "above", "says nothing at this T"
COMPARISON, MEASUREMENT = "comparison", "measurement"
# Quantity -> the sentence, and the sign of the difference that it claims. The abstract's
# "simultaneously minimizing the regret and the violation" is the joint regret.
SENTENCES = {
    "regret": ("lower regret", -1),
    "violation": ("fewer violations", -1),
    "reward": ("higher cumulative reward", 1),
    "ratio": ("higher reward-to-violation ratio", 1),
    "joint": ("lower regret and violation together", -1),
}
# Where no run is clipped, regret is T g* minus the reward, and the two sentences are one.
SAME = "lower regret, higher cumulative reward"
LEVELS = {
    "suboptimal": "suboptimal plays against C' log T (Lemma 2)",
    "regret": "regret against its bound (Theorem 1)",
    "violation": "violation against its bound (Theorem 2)",
}
COLUMNS = (
    *("dataset", "horizon", "kind", "policy", "against", "claim", "quantity", "basis"),
    *("value", "reference", "difference", "ci_low", "ci_high", "p_value", "p_holm"),
    *("share_of_runs", "share_of_time", "detectable", "variance_ratio"),
    *("n_runs", "verdict_alone", "verdict"),
)
NUMBERS = COLUMNS[8:19]
Row = dict[str, object]


def check_claims(
    series: Mapping[str, pd.DataFrame],
    problem: Problem,
    table: pd.DataFrame,
    pair: tuple[str, str],
    runs: int,
    resamples: int,
    seed: int,
) -> pd.DataFrame:
    """One row per claim of challenger against baseline; `table` is the theory table.

    `verdict_alone` is that of a claim's own interval, `verdict` the one that stands when the
    number of claims is corrected for.
    """
    frames = {}
    for policy in pair:
        check_complete(series[policy], runs, policy)
        frames[policy] = series[policy].sort_values(["run", "t"])
    t, other = (np.unique(frame["t"]) for frame in frames.values())
    if not np.array_equal(t, other):
        raise UserError(f"{pair[0]} and {pair[1]} were not recorded at the same rounds")
    weights = resampling_weights(runs, resamples, seed)
    rows: list[Row] = []
    for basis in BASES:
        ours, theirs = (_measures(frame, problem, basis) for frame in frames.values())
        same = "regret" in ours and _unclipped(ours) and _unclipped(theirs)
        left_out = {"reward"} if same else set()
        left_out |= {"ratio"} if len(problem.goal.constraints) > 1 else set()
        for quantity in (q for q in SENTENCES if q not in left_out):
            row = compare(quantity, ours, theirs, t, problem.arms, weights)
            row |= {"claim": SAME} if quantity == "regret" and same else {}
            rows.append(row | {"policy": pair[0], "against": pair[1], "basis": basis})
    if table["plays_coefficient"].notna().all():
        rows += [row | {"policy": pair[0]} for row in levels(frames[pair[0]], problem, table)]
    setting = {"dataset": problem.dataset, "horizon": int(t[-1]), "n_runs": runs}
    return corrected(pd.DataFrame([setting | row for row in rows]))[list(COLUMNS)]


def _measures(frame: pd.DataFrame, problem: Problem, basis: str) -> Values:
    """With `violation` for the one of the paper; of several, the sum at their prices."""
    found = per_run(frame, problem, basis)
    if len(problem.goal.constraints) == 1:
        return found | {"violation": found["violation_0"]}
    return found | ({"violation": found["joint"] - found["regret"]} if problem.feasible else {})


def _unclipped(values: Values) -> bool:
    return bool((values["signed_regret"][:, -1] >= 0.0).all())


def corrected(frame: pd.DataFrame) -> pd.DataFrame:
    """With Holm's p-values over the comparisons, and the verdicts that are left by them."""
    tested = frame["p_value"].where(frame["kind"] == COMPARISON)
    p_holm = holm(tested.to_numpy(dtype=float))
    lost = (p_holm >= ALPHA) & frame["verdict_alone"].isin([HOLDS, FAILS])
    return frame.assign(p_holm=p_holm, verdict=frame["verdict_alone"].mask(lost, UNDECIDED))


def compare(
    quantity: str, ours: Values, theirs: Values, t: np.ndarray, arms: int, weights: np.ndarray
) -> Row:
    """The paired comparison of one quantity at the last round, and how it stood before."""
    claim, sign = SENTENCES[quantity]
    row: Row = {"kind": COMPARISON, "claim": claim, "quantity": quantity}
    needed = ("reward", "violation") if quantity == "ratio" else (quantity,)
    if not set(needed) <= set(ours):
        return row | dict.fromkeys(NUMBERS, np.nan) | {"verdict_alone": UNDECIDED}
    difference, value, reference = _difference(quantity, ours, theirs, float(t[-1]), weights)
    last, mean = _each(ours, theirs, lambda x: x[:, -1]), _each(ours, theirs, lambda x: x.mean(0))
    return row | {
        "value": value,
        "reference": reference,
        "difference": difference.value,
        "ci_low": difference.low,
        "ci_high": difference.high,
        "p_value": difference.p,
        "share_of_runs": float(np.mean(_advantage(quantity, *last) > 0.0)),
        "share_of_time": _share_of_time(_advantage(quantity, *mean) > 0.0, t, arms),
        **_sharpness(quantity, ours, theirs),
        "verdict_alone": verdict(difference.low, difference.high, sign),
    }


def verdict(low: float, high: float, sign: int, words: tuple[str, str] = (HOLDS, FAILS)) -> str:
    """What the interval of a difference says of the claim that it has this sign."""
    if np.isnan(low) or np.isnan(high):
        return UNDECIDED
    if min(sign * low, sign * high) > 0.0:
        return words[0]
    return words[1] if max(sign * low, sign * high) < 0.0 else UNDECIDED


def levels(frame: pd.DataFrame, problem: Problem, table: pd.DataFrame) -> list[Row]:
    """What the theorems bound, at the last round, beside the growing terms of the bounds."""
    last = frame[frame["t"] == frame["t"].max()]
    horizon = int(last["t"].iloc[0])
    found, sums = per_run(last, problem, "expected"), bounds(table, problem)
    ends = {
        "suboptimal": (last["suboptimal"].to_numpy(dtype=float), sums.plays_bound(horizon)),
        "regret": (found["regret"][:, 0], sums.regret_bound(horizon)),
        "violation": (found["violation_0"][:, 0], sums.violation_bound(horizon)),
    }
    easy = uniform_play(table, float(horizon))
    rows = []
    for quantity, claim in LEVELS.items():
        values, bound = ends[quantity][0], float(ends[quantity][1])
        excess = paired_t(values - bound)
        said = verdict(excess.low, excess.high, -1, (BELOW, ABOVE))
        said = SILENT if bound >= easy[quantity] else said
        row: Row = dict.fromkeys(NUMBERS, np.nan)
        row |= {"kind": MEASUREMENT, "against": "theory", "claim": claim, "quantity": quantity}
        row |= {"basis": "realised" if quantity == "suboptimal" else "expected"}
        row |= {"value": float(values.mean()), "reference": bound, "difference": excess.value}
        row |= {"ci_low": excess.low, "ci_high": excess.high, "verdict_alone": said}
        rows.append(row)
    return rows


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
    """The smallest difference that so many runs detect, and what pairing them gained."""
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


def _each(
    ours: Values, theirs: Values, taken: Callable[[np.ndarray], np.ndarray]
) -> tuple[Values, Values]:
    mine, other = ({k: taken(v) for k, v in values.items()} for values in (ours, theirs))
    return mine, other
