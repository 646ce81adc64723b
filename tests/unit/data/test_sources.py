"""From a config entry to arms: which arms stand in for files, checksums, the number of arms."""

import pytest

from lincon.data.sources import extract
from lincon.errors import UserError
from tests.real_data import CONFIG

EDX = CONFIG["datasets"]["edx"]


def test_stand_in_arms_take_the_place_of_no_file_and_of_an_empty_one(tmp_path):
    empty = tmp_path / "edX-Course.csv"
    empty.touch()
    for raw in ([], [empty]):
        arms = extract(EDX, raw, "edx")
        assert (len(arms), arms.source, arms.sha256) == (290, "standin", "")
        with pytest.raises(UserError, match=r"edx has no successes .* posterior needs"):
            extract(EDX | {"counts_as": ["posterior"]}, raw, "edx")


def test_an_empty_file_without_stand_in_arms_is_refused(tmp_path):
    (tmp_path / "x.txt").touch()
    with pytest.raises(UserError, match=r"x\.txt is empty, as it could not be downloaded"):
        extract({"kind": "cost_subsidy", "files": {"x.txt": {}}}, [tmp_path / "x.txt"], "x")


def test_a_raw_file_is_needed_with_the_pinned_bytes(tmp_path):
    path = tmp_path / "edX-Course.csv"
    path.write_text("something else")
    with pytest.raises(UserError, match=r"edX-Course\.csv: .*expected sha256 d0fe.* got "):
        extract(EDX, [path], "edx")


def test_another_number_of_arms_than_stated_is_refused(tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text("mean,value\n1,1\n0,1\n")
    entry = {"kind": "user", "path": str(path), "arms": 3}
    with pytest.raises(UserError, match=r"datasets\.u\.arms is 3, but .* gives 2 arms"):
        extract(entry, [path], "u")
    assert len(extract({**entry, "arms": 2}, [path], "u")) == 2
