"""Coupons, from Kaggle's tables or as the authors prepared them: a purchase rate and a price."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from lincon.data.kinds.entry import KIND, FileEntry
from lincon.errors import UserError

MAX_PRICE = 200


class CouponPublished(FileEntry):
    """the authors' preparation of the coupon data, a pickled .npy"""

    kind: Literal["coupon_published"] = Field(description=KIND)

    mean_is = "`reward_event_mean`"
    value_is = "`reward_value`"
    stand_in = "coupon"

    def extract(self, raw: Sequence[Path]) -> dict[str, Any]:
        import numpy as np

        from lincon.data.authors_files import read_dict

        (path,), provenance = self.pinned(raw)
        content = read_dict(path, dict(self.files[path.name]))
        names = ("reward_event_mean", "reward_value")
        mean, value = (np.asarray(content.get(name)) for name in names)
        if mean.ndim != 1 or value.ndim != 1:
            raise UserError(f"{path}: {' and '.join(names)} must be vectors of floats")
        labels = [f"coupon {i}" for i in range(len(mean))]
        return provenance | {"mean": mean, "value": value, "label": labels}


class CouponRaw(FileEntry):
    """the two tables of Kaggle's coupon competition, downloaded with your own login"""

    kind: Literal["coupon_raw"] = Field(description=KIND)

    mean_is = "mean of `PURCHASE_FLG` over the coupon's visits (every row is a visit)"
    value_is = "`DISCOUNT_PRICE / 200`"
    columns = ("successes", "trials")
    made_from = ("coupon_list_train.csv", "coupon_visit_train.csv")
    stand_in = "coupon"

    def extract(self, raw: Sequence[Path]) -> dict[str, Any]:
        """The coupons with a price in (0, 200] that were bought, in the order of the list.

        A row is a visit, also when it repeats another; a coupon that the list repeats is one.
        """
        import pandas as pd

        (coupon_list, visits), provenance = self.pinned(raw)
        name, price = "COUPON_ID_hash", "DISCOUNT_PRICE"
        seen, flag = "VIEW_COUPON_ID_hash", "PURCHASE_FLG"
        flags: dict[str, Any] = {"true_values": ["1"], "false_values": ["0"]}
        types = {seen: "category", flag: bool}
        try:
            coupons = pd.read_csv(coupon_list, usecols=[name, price], thousands=",")
            coupons[price] = coupons[price].astype(float)
            shown = pd.read_csv(visits, usecols=[seen, flag], dtype=types, **flags)
        except ValueError as error:
            raise UserError(f"{visits.parent}: Kaggle's tables cannot be read: {error}") from None
        counts = shown.groupby(seen, observed=True)[flag].agg(["sum", "count"])
        affordable = coupons[coupons[price].between(0, MAX_PRICE, inclusive="right")]
        table = affordable.drop_duplicates().set_index(name).join(counts)
        table = table[table["sum"] > 0].astype(float)
        bought, trials = table["sum"].to_numpy(), table["count"].to_numpy()
        return provenance | {
            "mean": bought / trials,
            "value": table[price].to_numpy() / MAX_PRICE,
            "label": [str(name) for name in table.index],
            "columns": {"successes": bought, "trials": trials},
        }
