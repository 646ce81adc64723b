"""Kaggle's coupon tables: a purchase rate and a price per coupon, out of millions of visits.

Visits are counted row by row, so memory holds one row and two numbers a coupon.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from lincon.data import arms
from lincon.data.arms import Arms
from lincon.data.csv_table import read_rows
from lincon.data.kinds.coupon_published import facts
from lincon.data.kinds.declaration import Entry, Kind
from lincon.data.kinds.raw_files import FIXED, KEYS, checked, real
from lincon.errors import UserError

PAGE = "https://www.kaggle.com/c/coupon-purchase-prediction/data"
BY_HAND = (
    f"log in to Kaggle, open {PAGE}, accept the rules of the competition "
    "coupon-purchase-prediction, download {name} (unzip it)"
)
LIST, VISITS = "coupon_list_train.csv", "coupon_visit_train.csv"
MAX_PRICE = 200


def extract(entry: Entry, raw: Sequence[Path], dataset: str) -> Arms:
    coupon_list, list_sha256 = checked(entry, raw, LIST)
    visits, visits_sha256 = checked(entry, raw, VISITS)
    label, mean, value = read_coupons(coupon_list, visits)
    provenance = real(dataset, PAGE, f"{list_sha256} {visits_sha256}")
    return arms.make(mean, value, label, where=str(visits), **provenance)


def check(entry: Entry, where: str) -> None:
    if set(entry["files"]) != {LIST, VISITS}:
        raise UserError(
            f"{where}.files names {', '.join(entry['files'])}; kind coupon_raw is made from "
            f"{LIST} and {VISITS}"
        )


def read_coupons(coupon_list: Path, visits: Path) -> tuple[list[str], np.ndarray, np.ndarray]:
    """Hash, purchase rate and value of each coupon that has a price in (0, 200] and was bought.

    The coupons keep the order of the list, as in the authors' own preparation.
    """
    prices = {name: p for name, p in _prices(coupon_list).items() if 0 < p <= MAX_PRICE}
    bought, seen = _count(visits, prices)
    names = [name for name in prices if bought[name]]
    if not names:
        raise UserError(
            f"{visits}: no coupon of {coupon_list.name} with a price in (0, {MAX_PRICE}] was bought"
        )
    rate = np.array([bought[name] / seen[name] for name in names])
    return names, rate, np.array([prices[name] for name in names]) / MAX_PRICE


def _prices(path: Path) -> dict[str, float]:
    prices: dict[str, float] = {}
    for line, (name, text) in read_rows(path, ("COUPON_ID_hash", "DISCOUNT_PRICE")):
        if not name:
            raise UserError(f"{path}, row {line}: COUPON_ID_hash is empty")
        price = _price(path, line, text)
        if prices.setdefault(name, price) != price:
            raise UserError(
                f"{path}, row {line}: coupon {name} has the price {price:g} here and "
                f"{prices[name]:g} above; one price a coupon is needed"
            )
    return prices


def _price(path: Path, line: int, text: str) -> float:
    try:
        return float(text.replace(",", ""))
    except ValueError:
        raise UserError(
            f"{path}, row {line}: DISCOUNT_PRICE is {text!r}; a number is needed"
        ) from None


def _count(path: Path, prices: dict[str, float]) -> tuple[dict[str, int], dict[str, int]]:
    """Purchases and visits of each coupon; a row is a visit, also when it repeats another."""
    bought, seen = dict.fromkeys(prices, 0), dict.fromkeys(prices, 0)
    for line, (name, flag) in read_rows(path, ("VIEW_COUPON_ID_hash", "PURCHASE_FLG")):
        if flag not in ("0", "1"):
            raise UserError(f"{path}, row {line}: PURCHASE_FLG is {flag!r}; 0 or 1 is needed")
        if name in seen:
            seen[name] += 1
            bought[name] += flag == "1"
    return bought, seen


KIND = Kind(
    name="coupon_raw",
    description="the two tables of Kaggle's coupon competition, downloaded with your own login",
    mean="mean of `PURCHASE_FLG` over the coupon's visits (every row is a visit)",
    value="`DISCOUNT_PRICE / 200`",
    source="real",
    keys=KEYS,
    required=("files",),
    fixed=FIXED,
    check=check,
    extract=extract,
    facts=facts,
    by_hand={name: BY_HAND.format(name=name) for name in (LIST, VISITS)},
)
