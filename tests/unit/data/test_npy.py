"""The published `.npy` files: pickles that may be wrong, broken or malicious."""

import hashlib
import os
import pickle
from pathlib import Path

import numpy as np
import pytest

from lincon.data.npy import read_dict
from lincon.data.sources import extract
from lincon.errors import UserError
from tests.real_data import CONFIG, real_arms


def npy(folder: Path, content: object, dump: bytes | None = None) -> tuple[dict, list[Path]]:
    """A `.npy` with a pickle of `content`, or with these bytes instead, and a spec that pins it."""
    path = folder / "coupon_purchase.npy"
    np.save(path, np.array(content, dtype=object), allow_pickle=True)
    if dump is not None:
        header = path.read_bytes().partition(b"\n")[0] + b"\n"
        path.write_bytes(header + dump)
    files = {path.name: {"sha256": hashlib.sha256(path.read_bytes()).hexdigest()}}
    return {"kind": "coupon_published", "files": files}, [path]


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
    made = extract(*npy(tmp_path, None, dump), "coupon")
    assert made.mean.tolist() == [0.1, 0.2] and made.value.tolist() == [0.5, 1.0]
    assert made.label == ("coupon 0", "coupon 1")


def test_a_dict_of_numbers_and_arrays_is_read(tmp_path):
    runs = {"T": 7, "N": np.int64(3), "constraint": 0.25, "optimum": np.float64(0.2)}
    runs["columns"] = np.asfortranarray(np.arange(6.0).reshape(2, 3))
    runs["big_endian"] = np.array([1.0, 2.0], dtype=">f8")
    back = read_dict(npy(tmp_path, runs)[1][0])
    assert list(back) == list(runs)
    for name, value in runs.items():
        np.testing.assert_array_equal(back[name], value)
        assert back[name].dtype == np.float64


class Evil:
    def __init__(self, function, *arguments):
        self.call = function, arguments

    def __reduce__(self):
        return self.call


@pytest.mark.parametrize(
    "dump",
    [
        *(pickle.dumps({"more": Evil(os.mkdir, "trap")}, protocol=p) for p in (0, 5)),
        pickle.dumps(Evil(np.load, "x")),
        b"\x80\x04\x8c\x05numpy\x8c\x11ndarray.__class__\x93.",
    ],
    ids=["mkdir, protocol 0", "mkdir", "np.load", "a dotted name"],
)
def test_a_malicious_pickle_is_refused_with_the_global_it_names(tmp_path, monkeypatch, dump):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserError, match=r"it names .*; only arrays of floats are read"):
        extract(*npy(tmp_path, None, dump), "coupon")
    assert not Path("trap").exists()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"reward_value": np.ones(2)}, "reward_event_mean and reward_value must be vectors"),
        ([1.0, 2.0], "a pickled dict of numbers is expected"),
        (floats() | {"more": "text"}, "'more' is neither a number nor an array"),
        (floats() | {"more": np.array([None])}, "'more' is neither a number nor an array"),
        (floats(mean=((0.1, 0.2),)), "must be vectors"),
        (floats(mean=(0.1, 1.2)), r"row 1: mean is 1\.2"),
    ],
)
def test_other_contents_are_refused(tmp_path, content, message):
    with pytest.raises(UserError, match=message):
        extract(*npy(tmp_path, content), "coupon")


def test_broken_and_large_files_are_one_sentence(tmp_path):
    _, (path,) = npy(tmp_path, None, b"\x80\x04garbage")
    for content in (path.read_bytes(), b"hello"):
        path.write_bytes(content)
        with pytest.raises(UserError, match="a pickled dict of numbers is expected"):
            read_dict(path)
    with pytest.raises(UserError, match="larger than 4 bytes"):
        read_dict(path, max_bytes=4)


def test_a_pickle_is_opened_only_with_its_pinned_sha256(tmp_path):
    spec, raw = npy(tmp_path, None, b"\x80\x04garbage")
    with pytest.raises(UserError, match="expected sha256 e1de"):
        extract(CONFIG["datasets"]["coupon"], raw, "coupon")
    spec["files"][raw[0].name] = {}
    with pytest.raises(UserError, match="read only with its sha256"):
        extract(spec, raw, "coupon")
