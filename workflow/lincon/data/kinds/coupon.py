"""Coupons as the paper's authors prepared them: a purchase rate and a price, in a pickled dict.

A pickle can run code. This one is read only with its pinned checksum, by an unpickler restricted to
arrays and numbers.
"""

import pickle
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from lincon.data.kinds.entry import KIND, FileEntry
from lincon.errors import UserError

MEAN, VALUE = "reward_event_mean", "reward_value"
# The module names of NumPy 1 and 2.
MODULES = ("numpy", "numpy.core.multiarray", "numpy._core.multiarray")


class CouponPublished(FileEntry):
    """the authors' preparation of the coupon data, a pickled .npy"""

    kind: Literal["coupon_published"] = Field(description=KIND)

    stand_in = "coupon"

    def extract(self, raw: Sequence[Path]) -> dict[str, Any]:
        import numpy as np

        path, provenance = self.pinned(raw)
        if not provenance["sha256"] == self.files[path.name].sha256:
            raise UserError(f"{path} is a pickle, read only with its sha256 in the config")
        try:
            with open(path, "rb") as stream:
                np.lib.format.read_magic(stream)
                np.lib.format.read_array_header_1_0(stream)
                content = _Unpickler(stream).load().item()
            mean, value = (np.asarray(content[name]) for name in (MEAN, VALUE))
            if any(column.ndim != 1 or column.dtype.kind not in "fi" for column in (mean, value)):
                raise ValueError("they are something else")
        except Exception as error:  # a pickle can fail in any way
            reason = (str(error).splitlines() or [type(error).__name__])[0][:200]
            raise UserError(
                f"{path}: a pickled dict with {MEAN} and {VALUE}, vectors of numbers, is needed "
                f"({reason})"
            ) from None
        labels = [f"coupon {i}" for i in range(len(mean))]
        return provenance | {"mean": mean, "value": value, "label": labels}


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        import numpy as np

        allowed = {
            "ndarray": np.ndarray,
            "dtype": np.dtype,
            "_reconstruct": np.zeros(0).__reduce__()[0],
            "scalar": np.float64(0).__reduce__()[0],
        }
        if module in MODULES and name in allowed:
            return allowed[name]
        raise pickle.UnpicklingError(f"it names {module}.{name}; only arrays of floats are read")
