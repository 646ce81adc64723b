"""What the values of a sweep say: who leads at how many points, and how far its colours go."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from lincon.analysis.league_text import listed


def colour_top(values: pd.Series) -> float:
    """Where the colours of a map end: at the largest value, unless a few stand far out.

    One cell with several times the regret of all others would leave these in the dark.
    """
    values = values.dropna()
    if values.empty:
        return 1.0
    most, largest = float(values.quantile(0.98)), float(values.max())
    return most if 0.0 < 1.5 * most < largest else largest


def who_leads(composite: pd.DataFrame, axes: Sequence[str], labels: Mapping[str, str]) -> list[str]:
    """In words: at how many points each policy has the least composite regret.

    `composite` has one row a point and policy: policy, mean, ci_low, ci_high and the axes. Only
    policies that have a label are compared.
    """
    composite = composite[composite["policy"].isin(list(labels)) & composite["mean"].notna()]
    if composite["policy"].nunique() < 2:
        return []
    ordered = composite.sort_values("mean", kind="stable").groupby(list(axes), sort=False)
    best, following = ordered.nth(0), ordered.nth(1)
    (first, most), *others = best["policy"].value_counts().items()
    leads = [
        f"{labels[first]} has the least mean composite regret at {most:,} of {len(best):,} points "
        "within reach",
        *(f"{labels[policy]} at {count:,}" for policy, count in others),
    ]
    ends = best.set_index(list(axes))["ci_high"], following.set_index(list(axes))["ci_low"]
    apart = int((ends[0] < ends[1].reindex(ends[0].index)).sum())
    return [
        f"{', '.join(leads)}; at {apart:,} the 95% interval of the best lies below that of "
        "the next."
    ]


def where_the_floor_binds(states: pd.DataFrame) -> list[str]:
    """In words: at how many points the floor is out of reach, or met by the best arm alone."""
    reach = states["feasible"].astype(bool)
    counts = {
        "is out of reach": int((~reach).sum()),
        "does not bind": int((reach & ~states["binding"].astype(bool)).sum()),
    }
    parts = [f"{what} at {count:,}" for what, count in counts.items() if count]
    return [f"The floor {listed(parts)} of {len(states):,} points."] if parts else []
