"""The paper's empirical sentences as checks: a number, its interval, and a computed verdict.

Differences are challenger minus baseline, of paired runs. A sentence holds if its whole 95%
interval is on the claimed side, fails if it is on the other side, and is undecided otherwise;
verdicts are corrected for the number of sentences by Holm's method.

The theorems are measured, not tested. They speak of T -> infinity, up to constants that the paper
does not give: no number at a finite T refutes them, and a test that cannot fail is none. Where a
bound is above what uniform play does, any policy is below it, and it says nothing at this T.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from lincon.analysis.inference import ALPHA, detectable_difference, holm, paired_t
from lincon.analysis.measures import BASES, Values, in_order, per_run, spends, without_rounding
from lincon.analysis.theory import bounds, uniform_play
from lincon.errors import UserError
from lincon.problem.record import Problem

HOLDS, FAILS, UNDECIDED = "holds", "fails", "undecided"
BELOW, ABOVE, SILENT = "below", "above", "says nothing at this T"
COMPARISON, MEASUREMENT = "comparison", "measurement"
# Quantity -> the sentence, and the sign of the difference that it claims. The abstract's
# "simultaneously minimizing the regret and the violation" is the joint regret. Several violations
# are added up at their prices; a ratio is of one.
SENTENCES = {
    "regret": ("lower regret", -1),
    "violation": ("fewer violations", -1),
    "violations": ("lower violations at their prices", -1),
    "reward": ("higher cumulative reward", 1),
    "cost": ("lower cost", -1),
    "ratio": ("higher reward-to-violation ratio", 1),
    "joint": ("lower regret and violation together", -1),
}
LEVELS = {
    "suboptimal": "suboptimal plays against C' log T (Lemma 2)",
    "regret": "regret against its bound (Theorem 1)",
    "violation": "violation against its bound (Theorem 2)",
}
COLUMNS = (
    *("dataset", "horizon", "kind", "policy", "against", "claim", "quantity", "basis"),
    *("value", "reference", "difference", "ci_low", "ci_high", "p_value", "p_holm"),
    *("share_of_runs", "detectable", "n_runs", "verdict_alone", "verdict"),
)
Row = dict[str, object]


def check_claims(
    series: Mapping[str, pd.DataFrame],
    problem: Problem,
    table: pd.DataFrame,
    pair: tuple[str, str],
) -> pd.DataFrame:
    """One row per claim of challenger against baseline; `table` is the theory table.

    `verdict_alone` is that of a claim's own interval, `verdict` the one that stands when the
    number of claims is corrected for.
    """
    frames = [in_order(series[policy], policy) for policy in pair]
    first, second = (frame[["run", "t"]].to_numpy() for frame in frames)
    if not np.array_equal(first, second):
        raise UserError(f"{pair[0]} and {pair[1]} were not recorded at the same rounds")
    horizon = int(first[-1, 1])
    ended = [frame[frame["t"] == horizon] for frame in frames]
    rows: list[Row] = []
    for basis in BASES:
        ours, theirs = (_measures(frame, problem, basis) for frame in ended)
        earned = "cost" if spends(problem) else "reward"
        # Where no run is clipped, regret is T g* minus the reward, and the two sentences are one.
        same = problem.feasible and all((v["signed_regret"] >= 0.0).all() for v in (ours, theirs))
        for quantity in (q for q in SENTENCES if q in ours and not (same and q == earned)):
            row = compare(quantity, ours[quantity], theirs[quantity], float(horizon))
            if same and quantity == "regret":
                row["claim"] = f"lower regret, {SENTENCES[earned][0]}"
            rows.append(row | {"policy": pair[0], "against": pair[1], "basis": basis})
    if table["plays_coefficient"].notna().all():
        rows += [row | {"policy": pair[0]} for row in levels(ended[0], problem, table)]
    setting = {"dataset": problem.dataset, "horizon": horizon, "n_runs": len(ended[0])}
    frame = pd.DataFrame([setting | row for row in rows]).reindex(columns=list(COLUMNS))
    # Measurements have no p-value, and so no part in Holm's correction.
    p_holm = holm(frame["p_value"].to_numpy(dtype=float))
    lost = (p_holm >= ALPHA) & frame["verdict_alone"].isin([HOLDS, FAILS])
    return frame.assign(p_holm=p_holm, verdict=frame["verdict_alone"].mask(lost, UNDECIDED))


def _measures(last: pd.DataFrame, problem: Problem, basis: str) -> Values:
    """What is compared, one number per run: without an optimum only what is defined."""
    found = {name: values[:, 0] for name, values in per_run(last, problem, basis).items()}
    if spends(problem):
        found["cost"] = -found.pop("reward")
        found.pop("ratio", None)
    if len(problem.goal.constraints) == 1:
        return found | {"violation": found["violation_0"]}
    return found | ({"violations": found["joint"] - found["regret"]} if problem.feasible else {})


def compare(quantity: str, ours: np.ndarray, theirs: np.ndarray, t: float) -> Row:
    """The paired comparison of one quantity at the last round."""
    claim, sign = SENTENCES[quantity]
    difference = without_rounding(ours - theirs, t)
    row: Row = {"kind": COMPARISON, "claim": claim, "quantity": quantity}
    row |= {"value": float(ours.mean()), "reference": float(theirs.mean())}
    if quantity != "ratio":  # one run has no influence of its own to be counted
        row |= {"share_of_runs": float(np.mean(sign * difference > 0.0))}
        row |= {"detectable": detectable_difference(ours - theirs)}
    found = paired_t(difference)
    row |= {"difference": found.value, "ci_low": found.low, "ci_high": found.high}
    return row | {"p_value": found.p, "verdict_alone": verdict(found.low, found.high, sign)}


def verdict(low: float, high: float, sign: int, words: tuple[str, str] = (HOLDS, FAILS)) -> str:
    """What the interval of a difference says of the claim that it has this sign; NaN says none."""
    if sign * low > 0.0 and sign * high > 0.0:
        return words[0]
    return words[1] if sign * low < 0.0 and sign * high < 0.0 else UNDECIDED


def levels(last: pd.DataFrame, problem: Problem, table: pd.DataFrame) -> list[Row]:
    """What the theorems bound, at the last round, beside the growing terms of the bounds."""
    horizon = float(last["t"].iloc[0])
    found = _measures(last, problem, "expected")
    found["suboptimal"] = last["suboptimal"].to_numpy(dtype=float)
    bound, easy = bounds(table, problem, horizon), uniform_play(table, horizon)
    rows: list[Row] = []
    for quantity, claim in LEVELS.items():
        excess = paired_t(found[quantity] - bound[quantity])
        said = verdict(excess.low, excess.high, -1, (BELOW, ABOVE))
        said = SILENT if bound[quantity] >= easy[quantity] else said
        row: Row = {"kind": MEASUREMENT, "against": "theory", "claim": claim, "quantity": quantity}
        row |= {"basis": "realised" if quantity == "suboptimal" else "expected"}
        row |= {"value": float(found[quantity].mean()), "reference": bound[quantity]}
        row |= {"difference": excess.value, "ci_low": excess.low, "ci_high": excess.high}
        rows.append(row | {"verdict_alone": said})
    return rows
