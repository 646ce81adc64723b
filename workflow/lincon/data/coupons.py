"""Kaggle's coupon tables: a purchase rate and a price per coupon, out of millions of visits.

Visits are counted batch by batch, so memory holds one batch and two numbers a coupon.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from lincon.errors import UserError

LIST, VISITS = "coupon_list_train.csv", "coupon_visit_train.csv"
MAX_PRICE = 200
BATCH_BYTES = 8 << 20


def read_coupons(coupon_list: Path, visits: Path) -> tuple[list[str], np.ndarray, np.ndarray]:
    """Hash, purchase rate and value of each coupon that has a price in (0, 200] and was bought.

    The coupons keep the order of the list, as in the authors' own preparation.
    """
    hashes, price = _cheap_coupons(coupon_list)
    bought, seen = _count(visits, hashes)
    kept = bought > 0
    if not kept.any():
        raise UserError(
            f"{visits}: no coupon of {coupon_list.name} with a price in (0, {MAX_PRICE}] was bought"
        )
    names = hashes.filter(pa.array(kept)).to_pylist()
    return names, bought[kept] / seen[kept], price[kept] / MAX_PRICE


def _cheap_coupons(path: Path) -> tuple[pa.Array, np.ndarray]:
    table = _open(path, {"COUPON_ID_hash": pa.string(), "DISCOUNT_PRICE": pa.string()}).read_all()
    names, texts = (column.to_pylist() for column in table.itercolumns())
    prices: dict[str, float] = {}
    for row, (name, text) in enumerate(zip(names, texts, strict=True)):
        price = _price(path, row, text)
        if not name:
            raise UserError(f"{path}, row {row + 2}: COUPON_ID_hash is empty")
        if prices.setdefault(name, price) != price:
            raise UserError(
                f"{path}, row {row + 2}: coupon {name} has the price {price:g} here and "
                f"{prices[name]:g} above; one price a coupon is needed"
            )
    cheap = {name: price for name, price in prices.items() if 0 < price <= MAX_PRICE}
    return pa.array(cheap, pa.string()), np.array(list(cheap.values()))


def _price(path: Path, row: int, text: str | None) -> float:
    try:
        return float((text or "").replace(",", ""))
    except ValueError:
        raise UserError(
            f"{path}, row {row + 2}: DISCOUNT_PRICE is {text!r}; a number is needed"
        ) from None


def _count(path: Path, hashes: pa.Array) -> tuple[np.ndarray, np.ndarray]:
    """Purchases and visits of each coupon; a row is a visit, also when it repeats another."""
    bought, seen = np.zeros(len(hashes)), np.zeros(len(hashes))
    columns = {"VIEW_COUPON_ID_hash": pa.string(), "PURCHASE_FLG": pa.int8()}
    row = 2
    try:
        for batch in _open(path, columns):
            flag = batch["PURCHASE_FLG"].fill_null(-1).to_numpy()
            bad = np.flatnonzero((flag != 0) & (flag != 1))
            if bad.size:
                raise UserError(f"{path}, row {row + bad[0]}: PURCHASE_FLG must be 0 or 1")
            coupon = pc.index_in(batch["VIEW_COUPON_ID_hash"], hashes)
            listed = coupon.is_valid().to_numpy(zero_copy_only=False)
            coupon = coupon.drop_null().to_numpy()
            seen += np.bincount(coupon, minlength=len(hashes))
            bought += np.bincount(coupon, flag[listed], minlength=len(hashes))
            row += len(batch)
    except pa.ArrowException as error:
        raise UserError(f"{path} is no table of visits: {_first_line(error)}") from None
    return bought, seen


def _open(path: Path, columns: dict[str, pa.DataType]) -> csv.CSVStreamingReader:
    try:
        return csv.open_csv(
            path,
            read_options=csv.ReadOptions(block_size=BATCH_BYTES),
            parse_options=csv.ParseOptions(newlines_in_values=path.name == LIST),
            convert_options=csv.ConvertOptions(
                include_columns=list(columns), column_types=columns, strings_can_be_null=True
            ),
        )
    except FileNotFoundError:
        raise UserError(f"{path} does not exist") from None
    except (pa.ArrowException, KeyError) as error:
        raise UserError(
            f"{path} has no columns {' and '.join(columns)}: {_first_line(error)}"
        ) from None


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [""])[0].strip("'\"")
