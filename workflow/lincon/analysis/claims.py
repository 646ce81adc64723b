"""The paper's empirical claims as checks: a difference, its interval, and a verdict.

Differences are challenger minus baseline, of paired runs at the last round. A claim holds if its
whole 95% interval lies on the claimed side of zero, fails if it lies on the other side, and is
undecided otherwise; verdicts are corrected for the number of claims by Holm's method.
"""

import numpy as np
import pandas as pd

from lincon.analysis.inference import ALPHA, holm, paired_t, ratio_by_run
from lincon.analysis.measures import BASES, Values, spends, without_rounding
from lincon.problem.record import Problem

HOLDS, FAILS, UNDECIDED = "holds", "fails", "undecided"
# Quantity -> the sentence, and the sign of the difference that it claims. The abstract's
# "simultaneously minimizing the regret and the violation" is the joint regret. Several violations
# are added up at their prices; a ratio is of one.
SENTENCES = {
    "regret": ("lower regret", -1),
    "violation": ("lower violation", -1),
    "violations": ("lower violations at their prices", -1),
    "reward": ("higher cumulative reward", 1),
    "cost": ("lower cost", -1),
    "ratio": ("higher reward-to-violation ratio", 1),
    "joint": ("lower joint regret", -1),
}
COLUMNS = ["claim", "quantity", "value", "reference", "difference", "ci_low", "ci_high"]
COLUMNS += ["p_value", "verdict", "policy", "against", "basis", "n_runs", "p_holm"]
Row = dict[str, object]


def check_claims(
    outcomes: pd.DataFrame, problem: Problem, pair: tuple[str, str], horizon: int
) -> pd.DataFrame:
    """One row per claim of a challenger against a baseline, whose runs are paired.

    `verdict` is that of the interval, unless Holm's correction for the number of claims undoes it.
    """
    ended = [outcomes[outcomes["policy"] == policy].sort_values("run") for policy in pair]
    earned = "cost" if spends(problem) else "reward"
    rows: list[Row] = []
    for basis in BASES:
        challenger, baseline = (_measures(frame, problem, basis) for frame in ended)
        # Where no run is clipped, regret is T g* minus the reward, and the two sentences are one.
        signed = [frame[f"signed_regret_{basis}"] for frame in ended]
        same = problem.feasible and all((each >= 0.0).all() for each in signed)
        for quantity in (q for q in SENTENCES if q in challenger and not (same and q == earned)):
            row = compare(quantity, challenger[quantity], baseline[quantity], float(horizon))
            if same and quantity == "regret":
                row["claim"] = f"lower regret, {SENTENCES[earned][0]}"
            rows.append(row | {"policy": pair[0], "against": pair[1], "basis": basis})
    frame = pd.DataFrame(rows, columns=COLUMNS).assign(n_runs=len(ended[0]))
    frame["p_holm"] = holm(frame["p_value"].astype(float))
    return frame.assign(verdict=frame["verdict"].mask(frame["p_holm"] >= ALPHA, UNDECIDED))


def _measures(ended: pd.DataFrame, problem: Problem, basis: str) -> Values:
    """The compared measures, one number per run; without an optimum only those defined."""
    count, paid = len(problem.goal.constraints), spends(problem)
    values = {
        name: ended[f"{name}_{basis}"].to_numpy(dtype=float)
        for name in (*(("regret", "joint") if problem.feasible else ()), "reward")
    }
    if count == 1:
        values["violation"] = ended[f"violation_0_{basis}"].to_numpy(dtype=float)
    elif problem.feasible:
        values["violations"] = values["joint"] - values["regret"]
    if paid:
        values["cost"] = -values.pop("reward")
    elif count == 1:
        values["ratio"] = ratio_by_run(values["reward"], values["violation"])
    return values


def compare(quantity: str, challenger: np.ndarray, baseline: np.ndarray, t: float) -> Row:
    """The paired comparison of one quantity at the last round."""
    claim, sign = SENTENCES[quantity]
    difference = without_rounding(challenger - baseline, t)
    row: Row = {"claim": claim, "quantity": quantity}
    row |= {"value": float(challenger.mean()), "reference": float(baseline.mean())}
    mean = paired_t(difference)
    row |= {"difference": mean.value, "ci_low": mean.low, "ci_high": mean.high}
    return row | {"p_value": mean.p, "verdict": verdict(mean.low, mean.high, sign)}


def verdict(low: float, high: float, sign: int) -> str:
    """The verdict of a difference's interval on the claim that it has this sign."""
    if sign * low > 0.0 and sign * high > 0.0:
        return HOLDS
    return FAILS if sign * low < 0.0 and sign * high < 0.0 else UNDECIDED
