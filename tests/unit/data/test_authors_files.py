"""The authors' files: pickles that may be wrong, broken or malicious, and the runs in them."""

import os
import pickle
from pathlib import Path

import numpy as np
import pytest

from lincon.data import arms, authors_files
from lincon.data.authors_files import read_dict, read_published
from lincon.data.raw import file_sha256
from lincon.data.sources import extract
from lincon.errors import UserError
from tests.published_file import published_content
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


def test_a_dict_of_numbers_and_arrays_is_read(tmp_path):
    runs = {"T": 7, "N": np.int64(3), "constraint": 0.25, "optimum": np.float64(0.2)}
    runs["columns"] = np.asfortranarray(np.arange(6.0).reshape(2, 3))
    runs["big_endian"] = np.array([1.0, 2.0], dtype=">f8")
    back = read_dict(*npy(tmp_path, runs))
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
    monkeypatch.setattr(authors_files, "MAX_BYTES", 4)
    with pytest.raises(UserError, match="larger than 4 bytes"):
        read_dict(path, {"sha256": file_sha256(path)})


def test_a_pickle_is_opened_only_with_its_pinned_checksum(tmp_path):
    path, _ = npy(tmp_path, floats())
    with pytest.raises(UserError, match="expected git_blob 4a31"):
        read_dict(path, {"git_blob": "4a31" + "0" * 36})
    with pytest.raises(UserError, match="expected sha256 e1de"):
        extract(CONFIG["datasets"]["coupon"], [path], "coupon")
    with pytest.raises(UserError, match="read only with its sha256 or git_blob"):
        read_dict(path, {})


RUNS, ROUNDS, ETA = 3, 120, 0.5
MADE = arms.make([0.2, 0.6, 0.7, 0.4], [1, 0.5, 0.2, 0.3], dataset="made")
OPTIMUM = "stationary_opt_reward"


@pytest.fixture(scope="module")
def content() -> dict:
    return published_content(MADE, ETA, ROUNDS, RUNS)


def published(folder: Path, content: dict, *rounds: int):
    path, entry = npy(folder, content)
    return read_published(path, rounds, entry | {"eta": ETA, "horizon": ROUNDS})


def test_the_frame_has_what_was_played_up_to_each_round(tmp_path, content):
    read, optimum = published(tmp_path, content, 1, 7, ROUNDS)
    assert optimum == content[OPTIMUM]
    assert list(read.columns) == ["policy", "run", "t", "reward", "events"]
    assert len(read) == 2 * RUNS * 3
    for row in read.itertuples():
        events = content[f"{row.policy}_reward_events"][row.run, : row.t]
        values = content[f"{row.policy}_reward_values"][row.run, : row.t]
        assert row.events == sum(events)
        assert row.reward == pytest.approx(sum(values), abs=1e-12)
    assert read["reward"].max() > 0


def test_the_optimum_is_found_as_one_of_their_notebooks_spells_it(tmp_path, content):
    misspelt = {"stationay_opt_reward" if k == OPTIMUM else k: v for k, v in content.items()}
    assert published(tmp_path, misspelt, 1)[1] == content[OPTIMUM]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"T": None}, "does not hold published runs: 'T'"),
        ({"N": RUNS + 1}, "other arrays than 4 runs x 120 rounds"),
        ({"lincon_kl_ucb_reward_values": np.ones((RUNS, ROUNDS))}, "rewards without one"),
        ({"constraint": 0.25}, r"with eta 0\.25 and 120 rounds, but the config says eta 0\.5"),
    ],
)
def test_files_of_another_form_are_refused(tmp_path, content, changes, message):
    changed = {k: v for k, v in (content | changes).items() if v is not None}
    with pytest.raises(UserError, match=message):
        published(tmp_path, changed, 1)
