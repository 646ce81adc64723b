"""The authors' file of coupons: a pickle that may be wrong, broken or malicious."""

import os
import pickle
from pathlib import Path

import numpy as np
import pytest

from lincon.data import arms, pickled
from lincon.data.pickled import read_dict
from lincon.data.raw import file_sha256
from lincon.data.sources import extract
from lincon.errors import UserError
from tests.real_data import CONFIG, real_arms


def npy(folder: Path, content: object, dump: bytes | None = None) -> tuple[Path, dict[str, str]]:
    """A `.npy` with a pickle of `content`, or with these bytes instead, and what pins it."""
    path = folder / "coupon_purchase.npy"
    np.save(path, np.array(content, dtype=object), allow_pickle=True)
    if dump is not None:
        header = path.read_bytes().partition(b"\n")[0] + b"\n"
        path.write_bytes(header + dump)
    return path, {"sha256": file_sha256(path)}


def coupons(folder: Path, content: object, dump: bytes | None = None) -> arms.Arms:
    path, entry = npy(folder, content, dump)
    return extract({"kind": "coupon_published", "files": {path.name: entry}}, [path], "coupon")


def floats(mean=(0.1, 0.2), value=(0.5, 1.0)) -> dict[str, np.ndarray]:
    return {"reward_event_mean": np.array(mean), "reward_value": np.array(value)}


def test_coupon_facts_of_the_real_file(mirror):
    made, _ = real_arms(mirror)["coupon"]
    assert len(made) == 142
    assert (made.mean.min(), made.mean.max()) == pytest.approx((0.007576, 0.269388), abs=1e-6)
    assert (made.source, made.dataset) == ("real", "coupon")
    assert made.sha256 == CONFIG["datasets"]["coupon"]["files"]["coupon_purchase.npy"]["sha256"]


@pytest.mark.parametrize("module", [b"numpy.core.multiarray", b"numpy._core.multiarray"])
def test_numpy_1_and_2_names_are_both_read(tmp_path, module):
    dump = pickle.dumps(np.array(floats(), dtype=object), protocol=3)
    dump = dump.replace(b"cnumpy._core.multiarray\n", b"c" + module + b"\n")
    made = coupons(tmp_path, None, dump)
    assert made.mean.tolist() == [0.1, 0.2] and made.value.tolist() == [0.5, 1.0]
    assert made.label == ("coupon 0", "coupon 1")


class Evil:
    def __init__(self, function, *arguments):
        self.call = function, arguments

    def __reduce__(self):
        return self.call


@pytest.mark.parametrize(
    "dump",
    [
        pickle.dumps({"more": Evil(os.mkdir, "trap")}),
        pickle.dumps(Evil(np.load, "x")),
        b"\x80\x04\x8c\x05numpy\x8c\x11ndarray.__class__\x93.",
    ],
    ids=["mkdir", "np.load", "a dotted name"],
)
def test_a_malicious_pickle_is_refused_with_the_global_it_names(tmp_path, monkeypatch, dump):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserError, match=r"it names .*; only arrays of floats are read"):
        read_dict(*npy(tmp_path, None, dump))
    assert not Path("trap").exists()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"reward_value": np.ones(2)}, "reward_event_mean and reward_value must be vectors"),
        ([1.0, 2.0], "a pickled dict of numbers is expected"),
        (floats() | {"more": np.array([None])}, "'more' is neither a number nor an array"),
        (floats(mean=((0.1, 0.2),)), "must be vectors"),
        (floats(mean=(0.1, 1.2)), r"row 1: mean is 1\.2"),
    ],
)
def test_other_contents_are_refused(tmp_path, content, message):
    with pytest.raises(UserError, match=message):
        coupons(tmp_path, content)


def test_broken_and_large_files_are_one_sentence(tmp_path, monkeypatch):
    path, entry = npy(tmp_path, None, b"\x80\x04garbage")
    with pytest.raises(UserError, match="a pickled dict of numbers is expected"):
        read_dict(path, entry)
    path.write_bytes(b"hello")
    with pytest.raises(UserError, match="a pickled dict of numbers is expected"):
        read_dict(path, {"sha256": file_sha256(path)})
    monkeypatch.setattr(pickled, "MAX_BYTES", 4)
    with pytest.raises(UserError, match="larger than 4 bytes"):
        read_dict(path, {"sha256": file_sha256(path)})


def test_a_pickle_is_opened_only_with_its_pinned_checksum(tmp_path):
    path, _ = npy(tmp_path, floats())
    with pytest.raises(UserError, match="expected sha256 e1de"):
        extract(CONFIG["datasets"]["coupon"], [path], "coupon")
    with pytest.raises(UserError, match="read only with its sha256"):
        read_dict(path, {})
