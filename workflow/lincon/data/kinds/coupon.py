"""Coupons as the paper's authors prepared them: a purchase rate and a price."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from lincon.data.kinds.entry import KIND, FileEntry
from lincon.errors import UserError


class CouponPublished(FileEntry):
    """the authors' preparation of the coupon data, a pickled .npy"""

    kind: Literal["coupon_published"] = Field(description=KIND)

    stand_in = "coupon"

    def extract(self, raw: Sequence[Path]) -> dict[str, Any]:
        import numpy as np

        from lincon.data.pickled import read_dict

        path, provenance = self.pinned(raw)
        content = read_dict(path, dict(self.files[path.name]))
        names = ("reward_event_mean", "reward_value")
        mean, value = (np.asarray(content.get(name)) for name in names)
        if mean.ndim != 1 or value.ndim != 1:
            raise UserError(f"{path}: {' and '.join(names)} must be vectors of floats")
        labels = [f"coupon {i}" for i in range(len(mean))]
        return provenance | {"mean": mean, "value": value, "label": labels}
