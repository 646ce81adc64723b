"""Kaggle's coupon tables: a purchase rate and a price per coupon, out of millions of visits.

Visits are counted in pieces, so memory holds one piece and two numbers per coupon.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field, model_validator

from lincon.data.kinds.coupon_published import facts
from lincon.data.kinds.entry import KIND, FileEntry
from lincon.errors import UserError

if TYPE_CHECKING:
    import numpy as np

    from lincon.data.arms import Arms

PAGE = "https://www.kaggle.com/c/coupon-purchase-prediction/data"
BY_HAND = (
    f"log in to Kaggle, open {PAGE}, accept the rules of the competition "
    "coupon-purchase-prediction, download {name} (unzip it)"
)
LIST, VISITS = "coupon_list_train.csv", "coupon_visit_train.csv"
MAX_PRICE = 200


def read_coupons(
    coupon_list: Path, visits: Path
) -> tuple[list[str], np.ndarray, np.ndarray, np.ndarray]:
    """Hash, purchases, visits and value of each coupon with a price in (0, 200] that was bought.

    The coupons keep the order of the list, as in the authors' own preparation.
    """
    import numpy as np

    prices = {name: p for name, p in _prices(coupon_list).items() if 0 < p <= MAX_PRICE}
    bought, seen = _count(visits)
    names = [name for name in prices if bought[name]]
    if not names:
        raise UserError(
            f"{visits}: no coupon of {coupon_list.name} with a price in (0, {MAX_PRICE}] was bought"
        )
    purchases, visited = (
        np.array([float(count[name]) for name in names]) for count in (bought, seen)
    )
    return names, purchases, visited, np.array([prices[name] for name in names]) / MAX_PRICE


def _prices(path: Path) -> dict[str, float]:
    from lincon.data.csv_table import read_columns

    prices: dict[str, float] = {}
    for piece in read_columns(path, ("COUPON_ID_hash", "DISCOUNT_PRICE")):
        for line, name, text in piece.itertuples():
            if not name:
                raise UserError(f"{path}, row {line}: COUPON_ID_hash is empty")
            try:
                price = float(str(text).replace(",", ""))
            except ValueError:
                raise UserError(
                    f"{path}, row {line}: DISCOUNT_PRICE is {text!r}; a number is needed"
                ) from None
            if prices.setdefault(name, price) != price:
                raise UserError(
                    f"{path}, row {line}: coupon {name} has the price {price:g} here and "
                    f"{prices[name]:g} above; one price per coupon is needed"
                )
    return prices


def _count(path: Path) -> tuple[Counter[str], Counter[str]]:
    """Purchases and visits of each coupon; a row is a visit, also when it repeats another."""
    from lincon.data.csv_table import read_columns

    bought: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    for piece in read_columns(path, ("VIEW_COUPON_ID_hash", "PURCHASE_FLG")):
        names, flags = piece["VIEW_COUPON_ID_hash"], piece["PURCHASE_FLG"]
        bad = piece.index[~flags.isin(["0", "1"])]
        if len(bad):
            raise UserError(
                f"{path}, row {bad[0]}: PURCHASE_FLG is {flags[bad[0]]!r}; 0 or 1 is needed"
            )
        seen.update(names.value_counts().to_dict())
        bought.update(names[flags == "1"].value_counts().to_dict())
    return bought, seen


class CouponRaw(FileEntry):
    """the two tables of Kaggle's coupon competition, downloaded with your own login"""

    kind: Literal["coupon_raw"] = Field(description=KIND)

    mean_is = "mean of `PURCHASE_FLG` over the coupon's visits (every row is a visit)"
    value_is = "`DISCOUNT_PRICE / 200`"
    columns = ("successes", "trials")
    by_hand: ClassVar[Mapping[str, str]] = {
        name: BY_HAND.format(name=name) for name in (LIST, VISITS)
    }
    facts = staticmethod(facts)

    @model_validator(mode="after")
    def _two_files(self) -> CouponRaw:
        if set(self.files) != {LIST, VISITS}:
            raise ValueError(
                f".files names {', '.join(self.files)}; kind coupon_raw is made from {LIST} and "
                f"{VISITS}"
            )
        return self

    def extract(self, raw: Sequence[Path], dataset: str) -> Arms:
        from lincon.data import arms

        coupon_list, list_sha256 = self.checked(raw, LIST)
        visits, visits_sha256 = self.checked(raw, VISITS)
        label, bought, seen, value = read_coupons(coupon_list, visits)
        return arms.make(
            bought / seen,
            value,
            label,
            {"successes": bought, "trials": seen},
            where=str(visits),
            dataset=dataset,
            source="real",
            address=PAGE,
            sha256=f"{list_sha256} {visits_sha256}",
        )
