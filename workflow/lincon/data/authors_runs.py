"""The authors' own runs: the arrays behind the paper's figures, as a tidy frame.

Their repository holds, for each of the two experiments, one `np.save` of a dict: `T` rounds, `N`
runs, the floor (`constraint`), the optimum (`stationary_opt_reward`), and for each policy two N x T
arrays, not cumulative: whether the round had an event, and what it paid.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from lincon.data.npy import Content, read_dict
from lincon.data.raw import checked
from lincon.errors import UserError

if TYPE_CHECKING:
    import pandas as pd

POLICIES = ("lincon_ts", "lincon_kl_ucb")
OPTIMUM = "stationary_opt_reward"
# So spelt in one of the authors' notebooks.
MISSPELT = "stationay_opt_reward"
MAX_BYTES = 60_000_000


@dataclass(frozen=True)
class PublishedRuns:
    """`frame`: policy, run, t, and the realised reward and events up to round t."""

    runs: int
    horizon: int
    eta: float
    optimum: float
    frame: pd.DataFrame


def read_published(
    path: str | os.PathLike[str],
    rounds: Sequence[int] | np.ndarray,
    entry: Mapping[str, Any] | None = None,
) -> PublishedRuns:
    """The runs in a file at the given rounds; with its config entry, only if it is that file."""
    import pandas as pd

    entry = entry or {}
    checked(path, entry)
    content = read_dict(path, MAX_BYTES)
    best = MISSPELT if MISSPELT in content else OPTIMUM
    try:
        runs, horizon = int(content["N"]), int(content["T"])
        eta, optimum = (float(np.ravel(content[name])[0]) for name in ("constraint", best))
        series = {policy: _series(content, policy, (runs, horizon)) for policy in POLICIES}
    except (KeyError, ValueError, TypeError, OverflowError) as error:
        raise UserError(f"{path} does not hold published runs: {error}") from None
    if "eta" in entry and (eta, horizon) != (entry["eta"], entry["horizon"]):
        raise UserError(
            f"{path} has runs with eta {eta:g} and {horizon:,} rounds, but the config says eta "
            f"{entry['eta']:g} and {entry['horizon']:,} rounds"
        )
    at = np.asarray(rounds, dtype=np.int64)
    if at.size == 0 or at.min() < 1 or at.max() > horizon:
        raise UserError(f"{path} has the rounds 1 to {horizon}; others were asked for")
    frames = [
        pd.DataFrame(
            {
                "policy": policy,
                "run": np.repeat(np.arange(runs), at.size),
                "t": np.tile(at, runs),
                "reward": np.cumsum(reward, axis=1)[:, at - 1].ravel(),
                "events": np.cumsum(events, axis=1)[:, at - 1].ravel(),
            }
        )
        for policy, (events, reward) in series.items()
    ]
    return PublishedRuns(runs, horizon, eta, optimum, pd.concat(frames, ignore_index=True))


def _series(content: Content, policy: str, shape: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    """Events and rewards of every run and round, checked against one another."""
    events, reward = (
        np.asarray(content[f"{policy}_reward_{what}"]) for what in ("events", "values")
    )
    if not events.shape == reward.shape == shape:
        raise ValueError(f"{policy} has other arrays than {shape[0]} runs x {shape[1]} rounds")
    if not (np.isin(events, (0.0, 1.0)).all() and ((reward >= 0) & (reward <= events)).all()):
        raise ValueError(f"{policy} has events other than 0 and 1, or rewards without an event")
    return events, reward
