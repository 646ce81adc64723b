"""The authors' own runs: the arrays behind the paper's figures, as a tidy frame.

Their repository holds, for each of the two experiments, one `np.save` of a dict: `T` rounds, `N`
runs, the floor (`constraint`), the optimum (`stationary_opt_reward`), and for each policy two N x T
arrays, not cumulative: whether the round had an event, and what it paid.
"""

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from lincon.data.npy import read_dict
from lincon.data.raw import checked
from lincon.errors import UserError

POLICIES = ("lincon_ts", "lincon_kl_ucb")
# The second is so spelt in one of the authors' notebooks.
OPTIMUM = ("stationary_opt_reward", "stationay_opt_reward")
MAX_BYTES = 60_000_000


def read_published(
    path: str | os.PathLike[str], rounds: Sequence[int], entry: Mapping[str, Any]
) -> tuple[pd.DataFrame, float]:
    """The runs of the file that its config entry pins, and their optimum.

    The frame has policy, run, t, and the realised reward and events up to each given round t.
    """
    checked(path, entry)
    content, frames, at = read_dict(path, MAX_BYTES), [], np.asarray(rounds)
    try:
        runs, horizon = int(content["N"]), int(content["T"])
        optimum = float(np.ravel(next(content[name] for name in OPTIMUM if name in content))[0])
        eta = float(np.ravel(content["constraint"])[0])
        for policy in POLICIES:
            events, reward = (content[f"{policy}_reward_{what}"] for what in ("events", "values"))
            if not np.shape(events) == np.shape(reward) == (runs, horizon):
                raise ValueError(f"{policy} has other arrays than {runs} runs x {horizon} rounds")
            if not (np.isin(events, (0, 1)).all() and ((reward >= 0) & (reward <= events)).all()):
                raise ValueError(f"{policy} has events other than 0 and 1, or rewards without one")
            sums = {"reward": np.cumsum(reward, axis=1), "events": np.cumsum(events, axis=1)}
            keys = {"run": np.repeat(np.arange(runs), at.size), "t": np.tile(at, runs)}
            columns = {name: array[:, at - 1].ravel() for name, array in sums.items()}
            frames.append(pd.DataFrame({"policy": policy, **keys, **columns}))
    except (LookupError, ValueError, TypeError, OverflowError, StopIteration) as error:
        raise UserError(f"{path} does not hold published runs: {error}") from None
    if (eta, horizon) != (entry["eta"], entry["horizon"]):
        raise UserError(
            f"{path} has runs with eta {eta:g} and {horizon:,} rounds, but the config says eta "
            f"{entry['eta']:g} and {entry['horizon']:,} rounds"
        )
    return pd.concat(frames, ignore_index=True), optimum
