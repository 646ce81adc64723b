"""A placeholder, or another file under the name of the real one, is not the real data."""

from __future__ import annotations

import hashlib
import subprocess
import sys

import pytest

from lincon.data.raw import lacking, write_placeholder
from lincon.errors import UserError
from tests import real_data


def test_only_the_pinned_bytes_count(tmp_path):
    entry = {"files": {"a.csv": {"sha256": hashlib.sha256(b"arms").hexdigest()}, "b.csv": {}}}
    assert lacking(entry, tmp_path) == ["a.csv", "b.csv"]
    for name in entry["files"]:
        write_placeholder(tmp_path / name)
    assert lacking(entry, tmp_path) == ["a.csv", "b.csv"]
    for name in entry["files"]:
        (tmp_path / name).write_text("other")
    assert lacking(entry, tmp_path) == ["a.csv"]
    (tmp_path / "a.csv").write_text("arms")
    assert lacking(entry, tmp_path) == []


def test_a_folder_of_placeholders_is_not_taken_for_the_papers_data(tmp_path):
    names = ["coupon_purchase.npy", "edX-Course.csv"]
    for name in names:
        write_placeholder(tmp_path / name)
    assert real_data.missing(tmp_path) == names
    with pytest.raises(UserError, match="could not be downloaded so far"):
        real_data.real_arms(tmp_path)
    command = [sys.executable, "-m", "tests.real_data", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=real_data.REPOSITORY)
    assert (done.returncode, done.stdout.strip()) == (0, "")
