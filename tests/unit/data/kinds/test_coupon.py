"""The authors' file of coupons: a pickle that may be wrong, broken or malicious."""

import os
import pickle
from pathlib import Path

import numpy as np
import pytest

from lincon.data import arms
from lincon.data.kinds import coupon
from lincon.data.raw import file_sha256
from lincon.data.sources import extract
from lincon.errors import UserError
from tests.real_data import CONFIG, real_arms

NAME = "coupon_purchase.npy"


def npy(folder: Path, content: object, dump: bytes | None = None) -> Path:
    """A `.npy` with a pickle of `content`, or with these bytes instead."""
    path = folder / NAME
    np.save(path, np.array(content, dtype=object), allow_pickle=True)
    if dump is not None:
        path.write_bytes(path.read_bytes().partition(b"\n")[0] + b"\n" + dump)
    return path


def coupons(path: Path, **entry: str) -> arms.Arms:
    entry = entry or {"sha256": file_sha256(path)}
    return extract({"kind": "coupon_published", "files": {NAME: entry}}, [path], "coupon")


def floats(mean=(0.1, 0.2), value=(0.5, 1.0)) -> dict[str, np.ndarray]:
    return {"reward_event_mean": np.array(mean), "reward_value": np.array(value)}


def test_coupon_facts_of_the_real_file(mirror):
    made, _ = real_arms(mirror)["coupon"]
    assert len(made) == 142
    assert (made.mean.min(), made.mean.max()) == pytest.approx((0.007576, 0.269388), abs=1e-6)
    assert (made.source, made.dataset) == ("real", "coupon")
    assert made.sha256 == CONFIG["datasets"]["coupon"]["files"][NAME]["sha256"]


@pytest.mark.parametrize("module", [b"numpy.core.multiarray", b"numpy._core.multiarray"])
def test_numpy_1_and_2_names_are_both_read(tmp_path, module):
    dump = pickle.dumps(np.array(floats(), dtype=object), protocol=3)
    dump = dump.replace(b"cnumpy._core.multiarray\n", b"c" + module + b"\n")
    made = coupons(npy(tmp_path, None, dump))
    assert made.mean.tolist() == [0.1, 0.2] and made.value.tolist() == [0.5, 1.0]
    assert made.label == ("coupon 0", "coupon 1")


class Evil:
    def __init__(self, function, *arguments):
        self.call = function, arguments

    def __reduce__(self):
        return self.call


MALICIOUS = r"\(it names .*; only arrays of floats are read"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (pickle.dumps({"more": Evil(os.mkdir, "trap")}), MALICIOUS),
        (pickle.dumps(Evil(np.load, "x")), MALICIOUS),
        (b"\x80\x04\x8c\x05numpy\x8c\x11ndarray.__class__\x93.", MALICIOUS),
        (b"\x80\x04garbage", "a pickled dict with reward_event_mean and reward_value"),
        ({"reward_value": np.ones(2)}, r"is needed \('reward_event_mean'\)"),
        ([1.0, 2.0], "a pickled dict with"),
        (floats(mean=np.array(["a", "b"])), "vectors of numbers"),
        (floats(mean=((0.1, 0.2),)), "vectors of numbers"),
        (floats(mean=(0.1, 1.2)), r"row 1: mean is 1\.2"),
    ],
)
def test_other_contents_are_refused_and_nothing_in_them_is_run(
    tmp_path, monkeypatch, content, message
):
    monkeypatch.chdir(tmp_path)
    dump = content if isinstance(content, bytes) else None
    with pytest.raises(UserError, match=message):
        coupons(npy(tmp_path, content, dump))
    assert not Path("trap").exists()


def test_a_pickle_is_opened_only_with_its_pinned_checksum(tmp_path, monkeypatch):
    path = npy(tmp_path, floats())
    monkeypatch.setattr(coupon, "_Unpickler", lambda stream: pytest.fail("it was opened"))
    with pytest.raises(UserError, match="expected sha256 e1de"):
        extract(CONFIG["datasets"]["coupon"], [path], "coupon")
    with pytest.raises(UserError, match="read only with its sha256"):
        coupons(path, address="http://x")
