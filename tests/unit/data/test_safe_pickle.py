"""The published coupon file: a pickle that may be wrong, broken or malicious."""

from __future__ import annotations

import os
import pickle

import numpy as np
import pytest

from lincon.data import safe_pickle as pickles
from lincon.data.raw import WrongBytes
from lincon.data.sources import extract
from lincon.errors import UserError
from lincon.problem.solve import solve_problem
from tests.unit.data.pickles import fuzzed, npy

COUPON = {
    "label": "Coupon-Purchase",
    "kind": "coupon_published",
    "files": {
        "coupon_purchase.npy": {
            "address": "https://somewhere/coupon_purchase.npy",
            "sha256": "e1de9d5dc15a6bb0c40bd37a76bf48dac727c8091616d9c986fcf4ebab6add91",
        }
    },
}


def floats(mean=(0.1, 0.2), value=(0.5, 1.0)) -> dict[str, np.ndarray]:
    return {"reward_event_mean": np.array(mean), "reward_value": np.array(value)}


def test_coupon_facts_of_the_real_file(mirror):
    made = extract(COUPON, [mirror / "coupon_purchase.npy"], "coupon")
    problem = solve_problem(made, 0.25)
    assert len(made) == 142
    assert problem.optimum == pytest.approx(0.2023580366, abs=1e-10)
    assert dict(zip(problem.support, problem.shares, strict=True)) == pytest.approx(
        {77: 0.292589, 140: 0.707411}, abs=1e-6
    )
    assert (made.mean.min(), made.mean.max()) == pytest.approx((0.007576, 0.269388), abs=1e-6)
    assert (made.source, made.dataset) == ("real", "coupon")
    assert made.sha256 == COUPON["files"]["coupon_purchase.npy"]["sha256"]


def test_a_pickle_of_float_arrays_is_read(tmp_path):
    spec, raw = npy(tmp_path, floats())
    made = extract(spec, raw, "coupon")
    assert made.mean.tolist() == [0.1, 0.2]
    assert made.value.tolist() == [0.5, 1.0]
    assert made.label == ("coupon 0", "coupon 1")


def test_numpy_1_and_2_names_are_both_read(tmp_path):
    old = np.array(floats(), dtype=object).dumps()
    for names in ((b"numpy._core", b"numpy.core"), (b"numpy.core", b"numpy._core")):
        spec, raw = npy(tmp_path, None, pickle_with_names(old, *names))
        assert extract(spec, raw, "coupon").mean.tolist() == [0.1, 0.2]


def pickle_with_names(dump: bytes, there: bytes, wanted: bytes) -> bytes:
    """The pickle in protocol 2, where module names are plain text, with another module name."""
    plain = pickle.dumps(pickle.loads(dump), protocol=2)
    # Protocol 2 writes raw bytes through _codecs.encode; protocol 3 keeps the text names without.
    plain = pickle.dumps(pickle.loads(plain), protocol=3)
    return plain.replace(b"c" + there + b".multiarray\n", b"c" + wanted + b".multiarray\n")


class Evil:
    def __init__(self, function, *arguments):
        self.call = function, arguments

    def __reduce__(self):
        return self.call


def test_old_text_protocols_are_refused(tmp_path):
    spec, raw = npy(tmp_path, None, pickle.dumps(floats(), protocol=0))
    with pytest.raises(UserError, match="which no array of floats needs"):
        extract(spec, raw, "coupon")


@pytest.mark.parametrize("protocol", [2, 4, 5])
def test_a_malicious_pickle_is_refused_with_the_global_it_names(tmp_path, protocol):
    trap = tmp_path / "trap"
    dump = pickle.dumps({"reward_event_mean": Evil(os.mkdir, str(trap))}, protocol=protocol)
    spec, raw = npy(tmp_path, None, dump)
    with pytest.raises(UserError, match=r"refused: the pickle names (posix|nt)\.mkdir"):
        extract(spec, raw, "coupon")
    assert not trap.exists()


@pytest.mark.parametrize(
    ("function", "name"),
    [(eval, r"(builtins|__builtin__)\.eval"), (np.load, r"numpy\.load"), (getattr, r"\.getattr")],
)
def test_other_globals_are_refused_too(tmp_path, function, name):
    spec, raw = npy(tmp_path, None, pickle.dumps(Evil(function, "1", "2")))
    with pytest.raises(UserError, match=name):
        extract(spec, raw, "coupon")


def test_a_dotted_name_does_not_reach_through_an_allowed_module(tmp_path):
    dump = b"\x80\x04\x8c\x05numpy\x8c\x11ndarray.__class__\x93."
    spec, raw = npy(tmp_path, None, dump)
    with pytest.raises(UserError, match=r"numpy\.ndarray\.__class__"):
        extract(spec, raw, "coupon")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"reward_value": np.ones(2)}, "a dict with reward_event_mean and reward_value"),
        ([1.0, 2.0], "one pickled dict"),
        (floats(mean=(0.1,)), "differ in length"),
        (floats(mean=(1, 2)), "numbers of the type 'i8'"),
        ({"reward_event_mean": 0.5, "reward_value": np.ones(1)}, "no vector of floats"),
        (floats() | {"more": "text"}, "'more' is neither a number nor an array"),
        (floats() | {"more": [np.ones(1)]}, "'more' is neither a number nor an array"),
        (floats() | {"more": np.ones((1, 1, 1))}, "neither a vector nor a matrix"),
        (floats() | {"more": np.array([None])}, "numbers of the type 'O8'"),
        (floats() | {"more": True}, "'more' is neither"),
        (floats(mean=((0.1, 0.2),)), "no vector of floats"),
        (floats(mean=(0.1, 1.2)), r"row 1: mean is 1\.2"),
    ],
)
def test_other_contents_are_refused(tmp_path, content, message):
    spec, raw = npy(tmp_path, content)
    with pytest.raises(UserError, match=message):
        extract(spec, raw, "coupon")


def test_a_broken_pickle_is_refused(tmp_path):
    spec, raw = npy(tmp_path, None, b"\x80\x04garbage")
    with pytest.raises(UserError, match="its pickle is broken"):
        extract(spec, raw, "coupon")


def test_a_file_that_is_no_npy_is_refused(tmp_path):
    path = tmp_path / "x.npy"
    path.write_text("hello")
    with pytest.raises(UserError, match="not a NumPy"):
        pickles.read_float_arrays(path, ("a",))


def test_a_pickle_without_a_pin_is_not_opened(tmp_path):
    _, raw = npy(tmp_path, None, b"\x80\x04garbage")
    spec = {"kind": "coupon_published", "files": {"coupon_purchase.npy": {}}}
    with pytest.raises(UserError, match="read only with its sha256"):
        extract(spec, raw, "coupon")


def test_a_pickle_with_another_sha256_is_not_opened(tmp_path):
    _, raw = npy(tmp_path, None, b"\x80\x04garbage")
    with pytest.raises(WrongBytes, match="expected sha256 e1de"):
        extract(COUPON, raw, "coupon")


RUNS = {
    "T": 7,
    "N": np.int64(3),
    "constraint": 0.25,
    "stationary_opt_reward": np.float64(0.2),
    "single": np.float32(0.5),
    "events": np.arange(21.0).reshape(3, 7),
    "columns": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    "big_endian": np.array([1.0, 2.0], dtype=">f8"),
    "point": np.array(1.5),
}


@pytest.mark.parametrize("protocol", [3, 4])
def test_a_dict_of_numbers_and_arrays_is_read(tmp_path, protocol):
    content = np.array(RUNS, dtype=object)
    _, (path,) = npy(tmp_path, None, pickle.dumps(content, protocol=protocol))
    back = pickles.read_dict(path)
    assert list(back) == list(RUNS)
    for name, value in RUNS.items():
        np.testing.assert_array_equal(back[name], value)
        assert type(back[name]) in (int, float, np.ndarray)
    assert type(back["N"]) is int and type(back["stationary_opt_reward"]) is float
    assert all(back[name].dtype == np.float64 for name in ("events", "columns", "big_endian"))


def test_what_np_save_writes_is_read(tmp_path):
    _, (path,) = npy(tmp_path, RUNS)
    assert pickles.read_dict(path)["T"] == 7


def test_size_is_capped(tmp_path):
    _, (path,) = npy(tmp_path, {"a": np.zeros(10_000)})
    with pytest.raises(UserError, match="larger than 50,000 bytes"):
        pickles.read_dict(path, max_bytes=50_000)


BOMBS = {
    "a memo far away": b"\x80\x04}r\xff\xff\xff\xff.",
    "bytes longer than the file": b"\x80\x04\x8e" + b"\xff" * 7 + b"\x00a.",
    "a long number": b"\x80\x02\x8b\xff\xff\xff\x7f\x01.",
    "many steps": b"\x80\x02" + b"N0" * 60_000 + b"N.",
    "a huge array": b"\x80\x02cnumpy\nndarray\nJ\xff\xff\xff\x7f\x85R.",
    "an array that holds itself": b"\x80\x02]q\x00h\x00a.",
}


@pytest.mark.parametrize("name", BOMBS)
def test_bombs_are_refused(tmp_path, name):
    _, (path,) = npy(tmp_path, None, BOMBS[name])
    with pytest.raises(UserError, match="coupon_purchase"):
        pickles.read_dict(path)


def test_an_array_that_is_named_many_times_is_counted_each_time(tmp_path):
    """A megabyte of pickle could ask for all the memory there is."""
    array = np.zeros(1_000)
    content = np.array({f"a{k}": array for k in range(100)}, dtype=object)
    _, (path,) = npy(tmp_path, None, pickle.dumps(content, protocol=4))
    assert path.stat().st_size < 20_000
    with pytest.raises(UserError, match="more than 500,000 bytes together"):
        pickles.read_dict(path, max_bytes=500_000)
    assert len(pickles.read_dict(path)) == 100


def test_mutations_are_read_or_refused(tmp_path):
    read, refused = fuzzed(tmp_path, 1, 3_000)
    assert read > 10 and refused > 1000


@pytest.mark.long
def test_many_mutations_are_read_or_refused(tmp_path):
    read, refused = fuzzed(tmp_path, 2, 100_000)
    assert read > 1000 and refused > 10_000
