"""The authors' coupons: a pickled `.npy` with the purchase rate and the price of each."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pydantic import Field, model_validator

from lincon.data.kinds.entry import KIND, OneFileEntry

if TYPE_CHECKING:
    from lincon.data.arms import Arms
    from lincon.data.stand_in import Facts


def facts() -> Facts:
    """What is published of the 142 coupons."""
    import numpy as np

    from lincon.data.stand_in import Facts, along

    top = (0.2222, 0.2273, 0.2360, 0.2481, 0.2541)
    return Facts(
        mean=along(
            142,
            (0.007576, 0.269388),
            (0.0241, 0.0352, 0.0526, 0.0840, 0.1139, 0.1555, 0.2154, 0.2516),
            dict(zip(range(136, 141), top, strict=True)),
        ),
        value=np.repeat(
            [0.48, 0.5, 0.75, 0.8, 0.875, 0.95, 0.995, 1.0], [2, 101, 3, 9, 1, 1, 3, 22]
        ),
        optimal={77: (0.203125, 1.0), 140: (0.269388, 0.75)},
        listed=(
            *((mean, 0.48 if mean == 0.2222 else 0.5) for mean in top),
            *((0.1667, 0.8), (0.1327, 0.95), (0.1250, 1.0)),
        ),
        ceiling=0.1250,
        tilt=0.37,
    )


class CouponPublished(OneFileEntry):
    """the authors' preparation of the coupon data, a pickled .npy"""

    kind: Literal["coupon_published"] = Field(description=KIND)

    mean_is = "`reward_event_mean`"
    value_is = "`reward_value`"
    facts = staticmethod(facts)

    @model_validator(mode="after")
    def _pinned(self) -> CouponPublished:
        for name, file in self.files.items():
            if not file.sha256:
                raise ValueError(
                    f".files.{name}.sha256 is missing; a pickle is read only with its sha256"
                )
        return self

    def extract(self, raw: Sequence[Path], dataset: str) -> Arms:
        from lincon.data import arms
        from lincon.data.npy import read_float_arrays

        path, provenance = self.the_file(raw, dataset)
        mean, value = read_float_arrays(path, ("reward_event_mean", "reward_value"))
        labels = [f"coupon {i}" for i in range(len(mean))]
        return arms.make(mean, value, labels, where=str(path), **provenance)
