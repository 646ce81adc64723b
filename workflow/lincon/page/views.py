"""Results as the frames that charts draw: rows chosen and renamed, nothing computed anew.

Charts know policies by key (p0, p1, ...), so that no label can meet the charts' own language.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from lincon.analysis.claims import MEASUREMENT
from lincon.analysis.intervals import t_interval
from lincon.analysis.metrics import BASES
from lincon.page.looks import Look
from lincon.problem.envelope import upper_envelope

if TYPE_CHECKING:
    from lincon.analysis.results import Results

Looks = Mapping[str, Look]
# More points than this are neither told apart by an eye nor carried by a page.
MOST_ARMS = 2000
PLANE = {"x": "signed_violation", "y": "signed_regret"}


def curves(results: Results, looks: Looks, metric: str) -> pd.DataFrame:
    """A metric over the rounds: policy, basis, round, mean and interval."""
    summary = results.summary
    rows = summary[(summary["metric"] == metric) & summary["policy"].isin(list(looks))]
    return pd.DataFrame(
        {
            "p": keys(rows["policy"], looks),
            "b": rows["basis"].to_numpy(),
            "t": rows["t"].to_numpy(),
            "mean": rows["mean"].to_numpy(),
            "low": rows["ci_low"].to_numpy(),
            "high": rows["ci_high"].to_numpy(),
        }
    )


def spans_decades(frame: pd.DataFrame) -> bool:
    """Whether a few values would press all others flat, as a ratio where the violation is small."""
    values = frame["mean"].dropna()
    values = values[values > 0.0]
    return bool(len(values) and values.max() > 50.0 * values.median())


def after_first_plays(results: Results, frame: pd.DataFrame) -> pd.DataFrame:
    """The rounds after every arm was played once, where that leaves a decade and more."""
    arms = results.problem.arms
    return frame[frame["t"] >= arms] if arms <= results.horizon / 10 else frame


def plane(results: Results, looks: Looks) -> pd.DataFrame:
    """Regret and violation at T, signed, as they add up to the composite regret; with intervals."""
    rows = []
    for policy, runs in results.outcomes.groupby("policy", sort=False):
        for basis in BASES if policy in looks else ():
            row: dict[str, object] = {"p": looks[str(policy)].key, "b": basis}
            for axis, column in PLANE.items():
                values = runs[f"{column}_{basis}"].to_numpy(dtype=float)
                low, high = t_interval(values)
                row |= {axis: values.mean(), f"{axis}_low": low, f"{axis}_high": high}
            rows.append(row)
    return pd.DataFrame(rows).dropna(subset=["x", "y"])


def apart(points: pd.DataFrame, order: Sequence[str]) -> list[str]:
    """Of these policies' keys, in this order, those whose names do not run into each other's."""
    places = points[points["b"] == "expected"].set_index("p")[["x", "y"]]
    spread = (places.max() - places.min()).replace(0.0, 1.0)
    kept: list[str] = []
    for key in order:
        if key not in places.index:
            continue
        away = ((places.loc[kept] - places.loc[key]) / spread).abs()
        if ((away["x"] > 0.3) | (away["y"] > 0.06)).all():
            kept.append(key)
    return kept


def equal_composite(points: pd.DataFrame, price: float | None) -> pd.DataFrame:
    """Lines of equal composite regret, R + lambda* V = c, across the plane of the points."""
    if points.empty or price is None or price <= 0.0:
        return pd.DataFrame(columns=["x", "y", "x2", "y2"])
    left, right = min(0.0, float(points["x"].min())), float(points["x"].max())
    low, high = min(0.0, float(points["y"].min())), float(points["y"].max())
    levels = np.linspace(low + price * left, high + price * right, 8)[1:-1]
    start, end = (
        np.maximum(left, (levels - high) / price),
        np.minimum(right, (levels - low) / price),
    )
    return pd.DataFrame(
        {"x": start, "y": levels - price * start, "x2": end, "y2": levels - price * end}
    )


def arms(results: Results, looks: Looks) -> pd.DataFrame:
    """One row an arm: where it lies, how often each policy played it, whether it is optimal."""
    table = results.theory
    frame = pd.DataFrame(
        {
            "label": table["label"].astype(str).to_numpy(),
            "mean": table["mean"].to_numpy(),
            "value": table["value"].to_numpy(),
            "reward": table["mean"].to_numpy() * table["value"].to_numpy(),
            "share": table["share"].to_numpy(),
            "optimal": table["optimal"].to_numpy(dtype=bool),
            "envelope": _on_envelope(results),
        }
    )
    plays = results.plays.pivot_table(index="arm", columns="policy", values="plays")
    for policy, look in looks.items():
        if policy in plays:
            frame[look.key] = plays[policy].reindex(table["arm"].to_numpy()).to_numpy()
    return thinned(frame)


def _on_envelope(results: Results) -> np.ndarray:
    """Whether an arm is on the upper concave envelope."""
    mean, value = results.arms.mean, results.arms.value
    mark = np.zeros(len(mean), dtype=bool)
    mark[upper_envelope(mean, mean * value)] = True
    return mark


def thinned(frame: pd.DataFrame) -> pd.DataFrame:
    """Of many arms those that are optimal or on the envelope, and others, evenly spaced."""
    if len(frame) <= MOST_ARMS:
        return frame
    special = np.flatnonzero((frame["optimal"] | frame["envelope"]).to_numpy())[:MOST_ARMS]
    others = np.linspace(0, len(frame) - 1, MOST_ARMS).astype(int)
    return frame.iloc[np.union1d(special, others)]


def plays(results: Results, looks: Looks) -> pd.DataFrame:
    """Lemma 2: plays of each suboptimal arm beside log T / d(mu_i, xi_i)."""
    table = results.theory
    horizon = float(results.summary["t"].max())
    with np.errstate(divide="ignore", invalid="ignore"):
        predicted = np.log(horizon) / table["kl"].to_numpy(dtype=float)
    reached = ~table["optimal"].to_numpy(dtype=bool) & np.isfinite(predicted) & (predicted > 0.0)
    # The arms that matter most are those that theory says are played most.
    order = np.argsort(-predicted[reached], kind="stable")[: MOST_ARMS // max(1, len(looks) // 4)]
    chosen = table[reached].iloc[order]
    known = pd.DataFrame(
        {"label": chosen["label"].astype(str), "predicted": predicted[reached][order]}
    )
    known.index = pd.Index(chosen["arm"])
    rows = results.plays[results.plays["arm"].isin(known.index)]
    rows = rows[rows["policy"].isin(list(looks))]
    return pd.DataFrame(
        {
            "p": keys(rows["policy"], looks),
            "label": known["label"].reindex(rows["arm"]).to_numpy(),
            "predicted": known["predicted"].reindex(rows["arm"]).to_numpy(),
            "plays": rows["plays"].to_numpy(),
        }
    )


def slope(results: Results, looks: Looks) -> pd.DataFrame:
    """The lower bound's slope C over the last decade, hung from the lowest curve at its start.

    Oracles know the means, and the bound is not one for them.
    """
    coefficient = results.scalars.get("lower_bound_slope")
    rows = curves(results, looks, "composite")
    rows = rows[rows["b"] == "expected"].dropna(subset=["mean"])
    if coefficient is None or rows.empty:
        return pd.DataFrame(columns=["t", "mean"])
    learners = rows[~rows["p"].isin([looks[oracle].key for oracle in results.references])]
    hung = rows if learners.empty else learners
    late = hung[hung["t"] >= rows["t"].max() / 10]
    start = late[late["t"] == late["t"].min()]
    first, low = float(start["t"].iloc[0]), float(start["mean"].min())
    # No higher than the curves, which it would press flat.
    room = (
        np.exp(min(700.0, max(0.0, 1.05 * rows["mean"].max() - low) / coefficient))
        if coefficient
        else np.inf
    )
    t = np.array([first, min(float(rows["t"].max()), first * room)])
    return pd.DataFrame({"t": t, "mean": low + coefficient * np.log(t / first)})


def claims(results: Results, looks: Looks) -> pd.DataFrame:
    """One row a claim: its interval in per cent of what it is held against, and its verdict."""
    table = results.claims
    if table is None or table.empty:
        return pd.DataFrame()
    table = table[table["kind"] != MEASUREMENT]
    scale = 100.0 / table["reference"].abs().replace(0.0, np.nan)
    names = {policy: look.label for policy, look in looks.items()} | {"theory": "theory"}
    policy, against = (table[c].map(lambda x: names.get(x, x)) for c in ("policy", "against"))
    measured = table["claim"] + ", " + table["basis"]
    return pd.DataFrame(
        {
            "row": measured.where(table["against"] != "theory", policy + ": " + table["claim"]),
            "claim": measured,
            "pair": policy + " against " + against,
            "middle": table["difference"] * scale,
            "low": table["ci_low"] * scale,
            "high": table["ci_high"] * scale,
            "value": table["value"],
            "reference": table["reference"],
            "verdict": table["verdict"],
        }
    )


def keys(policies: pd.Series, looks: Looks) -> np.ndarray:
    """The charts' names of policies."""
    return policies.map({name: look.key for name, look in looks.items()}).to_numpy()
