"""The authors' files: pickles of one dict of numbers and float arrays each, by an allow-list.

Their repository holds the coupons and, for each of the two experiments, the arrays behind the
paper's figures: `T` rounds, `N` runs, the floor (`constraint`), the optimum
(`stationary_opt_reward`), and for each policy two N x T arrays, not cumulative: whether the round
had an event, and what it paid.
"""

import io
import os
import pickle
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from lincon.data.raw import checked
from lincon.errors import UserError

MAX_BYTES = 200_000_000
# All that such a pickle needs, under the module names of NumPy 1 and 2.
PARTS = {
    "ndarray": np.ndarray,
    "dtype": np.dtype,
    "_reconstruct": np.zeros(0).__reduce__()[0],
    "scalar": np.float64(0).__reduce__()[0],
}
MODULES = ("numpy", "numpy.core.multiarray", "numpy._core.multiarray")
POLICIES = ("lincon_ts", "lincon_kl_ucb")
# The second is so spelt in one of the authors' notebooks.
OPTIMUM = ("stationary_opt_reward", "stationay_opt_reward")


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if module in MODULES and name in PARTS:
            return PARTS[name]
        raise pickle.UnpicklingError(f"it names {module}.{name}; only arrays of floats are read")


def read_dict(path: str | os.PathLike[str], entry: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """The numbers and arrays by name of the `.npy` that its config entry pins."""
    if not (entry.get("sha256") or entry.get("git_blob")):
        raise UserError(f"{path} is a pickle, read only with its sha256 or git_blob in the config")
    checked(path, entry)
    if os.path.getsize(path) > MAX_BYTES:
        raise UserError(f"{path} is larger than {MAX_BYTES:,} bytes")
    data = io.BytesIO(Path(path).read_bytes())
    try:
        np.lib.format.read_magic(data)
        np.lib.format.read_array_header_1_0(data)
        content = {n: np.asarray(value) for n, value in _Unpickler(data).load().item().items()}
        for name, value in content.items():
            if value.dtype.kind not in "fi":
                raise ValueError(f"{name!r} is neither a number nor an array of numbers")
    except Exception as error:  # a pickle can fail in any way
        reason = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
        raise UserError(f"{path}: a pickled dict of numbers is expected: {reason}") from None
    return {name: value.astype(np.float64) for name, value in content.items()}


def read_published(
    path: str | os.PathLike[str], rounds: Sequence[int], entry: Mapping[str, Any]
) -> tuple[pd.DataFrame, float]:
    """The runs of the file that its config entry pins, and their optimum.

    The frame has policy, run, t, and the realised reward and events up to each given round t.
    """
    content, frames, at = read_dict(path, entry), [], np.asarray(rounds)
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
