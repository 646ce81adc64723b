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
from lincon.data.raw import Pin
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
    Pin(entry.get("sha256"), entry.get("git_blob")).check(path)
    content = read_dict(path, MAX_BYTES)
    runs, horizon = (_whole(path, content, name) for name in ("N", "T"))
    best = MISSPELT if MISSPELT in content else OPTIMUM
    eta, optimum = (_fraction(path, content, name) for name in ("constraint", best))
    if "eta" in entry and (eta, horizon) != (entry["eta"], entry["horizon"]):
        raise UserError(
            f"{path} has runs with eta {eta:g} and {horizon:,} rounds, but the config says eta "
            f"{entry['eta']:g} and {entry['horizon']:,} rounds"
        )
    at = np.asarray(rounds, dtype=np.int64)
    if at.size == 0 or at.min() < 1 or at.max() > horizon:
        raise UserError(f"{path} has the rounds 1 to {horizon}; others were asked for")
    frames = []
    for policy in POLICIES:
        events, reward = _series(path, content, policy, (runs, horizon))
        columns = {
            "policy": policy,
            "run": np.repeat(np.arange(runs), at.size),
            "t": np.tile(at, runs),
            "reward": np.cumsum(reward, axis=1)[:, at - 1].ravel(),
            "events": np.cumsum(events, axis=1)[:, at - 1].ravel(),
        }
        frames.append(pd.DataFrame(columns))
    return PublishedRuns(runs, horizon, eta, optimum, pd.concat(frames, ignore_index=True))


def _series(
    path: str | os.PathLike[str], content: Content, policy: str, shape: tuple[int, int]
) -> tuple[np.ndarray, np.ndarray]:
    """Events and rewards of every run and round, checked against one another."""
    names = [f"{policy}_reward_{what}" for what in ("events", "values")]
    for name in names:
        array = content.get(name)
        if not isinstance(array, np.ndarray) or array.shape != shape:
            raise UserError(f"{path}: {name} is no array of {shape[0]} runs x {shape[1]} rounds")
    events, reward = (np.asarray(content[name]) for name in names)
    if not np.isin(events, (0.0, 1.0)).all():
        raise UserError(f"{path}: {names[0]} has other numbers than 0 and 1")
    if not ((reward >= 0) & (reward <= events)).all():
        raise UserError(f"{path}: {names[1]} has a reward outside of [0, 1], or without an event")
    return events, reward


def _whole(path: str | os.PathLike[str], content: Content, name: str) -> int:
    number = content.get(name)
    if not isinstance(number, int | float) or number != number // 1 or not 1 <= number <= 10**9:
        raise UserError(f"{path}: {name} must be a whole number from 1")
    return int(number)


def _fraction(path: str | os.PathLike[str], content: Content, name: str) -> float:
    number = content.get(name)
    if isinstance(number, np.ndarray) and number.size == 1:
        number = float(number.ravel()[0])
    if not isinstance(number, int | float) or not 0 <= number <= 1:
        raise UserError(f"{path}: {name} must be a number in [0, 1]")
    return float(number)
