"""Make 300,000 visits, count them, print the coupons and the growth of peak memory in MB.

Run by test_coupon_raw.py as a program: argument 1 is a folder to work in.
"""

from __future__ import annotations

import resource
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import csv

sys.path.insert(0, str(Path(__file__).parents[4] / "workflow"))

from lincon.data.kinds.coupon_raw import read_coupons

ROWS, PART, COUPONS = 300_000, 10_000, 1000


def peak_mb() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def make(folder: Path) -> tuple[Path, Path]:
    """In parts, or the making would raise the peak that the counting is measured against."""
    names = np.array([f"{i:032x}" for i in range(COUPONS)])
    coupon_list, visits = folder / "coupon_list_train.csv", folder / "coupon_visit_train.csv"
    table = pa.table({"DISCOUNT_PRICE": np.full(COUPONS, 100), "COUPON_ID_hash": names})
    csv.write_csv(table, coupon_list)
    schema = pa.schema(
        [
            ("PURCHASE_FLG", pa.int64()),
            ("I_DATE", pa.string()),
            ("VIEW_COUPON_ID_hash", pa.string()),
            ("SESSION_ID_hash", pa.string()),
        ]
    )
    with csv.CSVWriter(visits, schema) as writer:
        for start in range(0, ROWS, PART):
            row = np.arange(start, start + PART)
            coupon = pa.array(names[row % COUPONS])
            date = pa.array(["2012-01-01 12:00:00"]).take(pa.array(np.zeros(PART, int)))
            columns = [pa.array((row // COUPONS) % 4 // 3), date, coupon, coupon]
            writer.write_table(pa.table(columns, schema=schema))
    return coupon_list, visits


if __name__ == "__main__":
    files = make(Path(sys.argv[1]))
    before = peak_mb()
    label, bought, seen, value = read_coupons(*files)
    assert np.all(bought / seen == 0.25), bought
    assert np.all(value == 0.5), value
    print(len(label), peak_mb() - before)
