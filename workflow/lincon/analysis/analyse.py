"""All frames of one experiment in one go: runs in, frames out, nothing read or written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from lincon.analysis.claims import check_claims
from lincon.analysis.league import league
from lincon.analysis.outcomes import outcomes
from lincon.analysis.slopes import slopes
from lincon.analysis.theory import bounds, scalars, theory_table
from lincon.data.arms import Arms
from lincon.problem.record import Problem


@dataclass(frozen=True)
class Settings:
    """`compare`: challenger and baseline of the claims; `references`: policies not ranked."""

    runs: int
    resamples: int = 10_000
    seed: int = 0
    gamma: float = 0.1
    compare: tuple[str, str] | None = None
    references: tuple[str, ...] = ()


def analyse(
    runs: Mapping[str, pd.DataFrame],
    plays: Mapping[str, pd.DataFrame],
    problem: Problem,
    arms: Arms,
    settings: Settings,
) -> dict[str, Any]:
    """Theory, scalars, claims, outcomes, plays, slopes and league of an experiment.

    `runs` are the series by policy, `plays` what `lincon.analysis.runs.read_plays` gives for each.
    """
    series = dict(runs)
    horizon = int(next(iter(series.values()))["t"].max())
    table = theory_table(arms, problem, settings.gamma)
    learners = {p: frame for p, frame in series.items() if p not in settings.references}
    ended = outcomes(series, problem, settings.runs)
    claims = None
    if settings.compare is not None and set(settings.compare) <= set(series):
        claims = check_claims(
            series,
            problem,
            table,
            *settings.compare,
            settings.runs,
            settings.resamples,
            settings.seed,
        )
    return {
        "theory": table,
        "scalars": scalars(table, problem, horizon),
        "claims": claims,
        "outcomes": ended,
        "plays": pd.concat([plays[policy] for policy in series], ignore_index=True),
        "slopes": slopes(learners, problem, bounds(table, problem).lower_bound_slope),
        "league": league(ended, problem, horizon, settings.references),
    }
