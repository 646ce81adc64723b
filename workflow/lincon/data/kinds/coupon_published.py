"""The authors' coupons: a pickled `.npy` with the purchase rate and the price of each."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from lincon.data import arms
from lincon.data.arms import Arms
from lincon.data.kinds.declaration import Entry, Kind
from lincon.data.kinds.raw_files import FIXED, KEYS, checked, file_entry, one_file, real
from lincon.data.safe_pickle import read_float_arrays
from lincon.data.stand_in import Facts, along
from lincon.errors import UserError


def extract(entry: Entry, raw: Sequence[Path], dataset: str) -> Arms:
    (name,) = entry["files"]
    path, sha256 = checked(entry, raw, name)
    mean, value = read_float_arrays(path, ("reward_event_mean", "reward_value"))
    return arms.make(
        mean,
        value,
        [f"coupon {i}" for i in range(len(mean))],
        where=str(path),
        **real(dataset, file_entry(entry, name).get("address", ""), sha256),
    )


def check(entry: Entry, where: str) -> None:
    one_file(entry, where)
    (name,) = entry["files"]
    if not file_entry(entry, name).get("sha256"):
        raise UserError(
            f"{where}.files.{name}.sha256 is missing; a pickle is read only with its sha256"
        )


def facts() -> Facts:
    """What is published of the 142 coupons."""
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


KIND = Kind(
    name="coupon_published",
    description="the authors' preparation of the coupon data, a pickled .npy",
    mean="`reward_event_mean`",
    value="`reward_value`",
    source="real",
    keys=KEYS,
    required=("files",),
    fixed=FIXED,
    check=check,
    extract=extract,
    facts=facts,
)
