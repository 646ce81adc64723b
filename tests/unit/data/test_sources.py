"""From a config entry to arms: checksums, the number of arms."""

import pytest

from lincon.data.kinds.coupon import CouponRaw
from lincon.data.sources import extract
from lincon.errors import UserError
from tests.real_data import CONFIG

EDX = CONFIG["datasets"]["edx"]


def test_a_raw_file_is_needed_with_the_pinned_bytes(tmp_path):
    raw = [tmp_path / "edX-Course.csv"]
    raw[0].write_text("something else")
    with pytest.raises(UserError, match=r"edX-Course\.csv: .*expected sha256 d0fe.* got sha256"):
        extract(EDX, raw, "edx")


def test_another_number_of_arms_than_stated_is_refused(tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text("mean,value\n1,1\n0,1\n")
    entry = {"kind": "user", "path": str(path), "arms": 3}
    with pytest.raises(UserError, match=r"datasets\.u\.arms is 3, but .* gives 2 arms"):
        extract(entry, [path], "u")
    assert len(extract({**entry, "arms": 2}, [path], "u")) == 2


def test_stand_in_arms_have_no_counts_to_draw_means_from():
    entry = {"kind": "coupon_raw", "files": {name: {} for name in CouponRaw.made_from}}
    assert len(extract(entry, [], "raw", standin=True)) == 142
    with pytest.raises(UserError, match=r"raw has no successes .* posterior needs"):
        extract(entry | {"counts_as": ["posterior"]}, [], "raw", standin=True)
