"""A dataset's id in paths: the same for the same arms, another for any others."""

from pathlib import Path

import pytest

from lincon.study.identity import dataset_id, dataset_name, standin_used

RADIO = {
    "label": "Radio",
    "kind": "wireless",
    "snr": 15,
    "rates": {"low": 1, "high": 6, "count": 6},
}
FILE = {"address": "https://a.example/x.csv", "sha256": "0" * 64}
COURSES = {"label": "Courses", "kind": "edx_courses", "files": {"x.csv": FILE}}


@pytest.mark.parametrize(
    ("entry", "change", "same"),
    [
        (RADIO, {"label": "Links"}, True),
        (RADIO, {"licence": "CC0", "published_runs": {}}, True),
        (RADIO, {"snr": 16}, False),
        (COURSES, {"files": {"x.csv": FILE | {"address": "https://b.example/x.csv"}}}, True),
        (COURSES, {"files": {"x.csv": FILE | {"sha256": "1" * 64}}}, False),
    ],
)
def test_only_what_arms_depend_on_counts(entry, change, same):
    identity = dataset_id("a@snr_1-2", entry)
    assert (dataset_id("a@snr_1-2", entry | change) == identity) is same
    assert dataset_name(identity) == "a@snr_1-2" and len(identity.rpartition("-")[2]) == 8


def test_a_users_file_counts_by_its_bytes(tmp_path):
    path = tmp_path / "mine.csv"
    entry = {"label": "Mine", "kind": "user", "path": str(path)}
    absent = dataset_id("mine", entry)
    path.write_text("mean,value\n0.1,1\n")
    first = dataset_id("mine", entry)
    path.write_text("mean,value\n0.2,1\n")
    assert len({absent, first, dataset_id("mine", entry)}) == 3
    path.write_text("mean,value\n0.1,1\n")
    assert dataset_id("mine", entry) == first


def test_stand_in_arms_have_an_id_of_their_own(tmp_path):
    def raw(name: str) -> Path:
        return tmp_path / name

    assert not standin_used(COURSES, "auto", raw)
    raw("x.csv").touch()
    used = {data: standin_used(COURSES, data, raw) for data in ("auto", "real", "standin")}
    assert used == {"auto": True, "real": False, "standin": True}
    raw("x.csv").write_text("there")
    assert not standin_used(COURSES, "auto", raw) and standin_used(COURSES, "standin", raw)
    assert not standin_used(RADIO, "standin", raw)
    assert dataset_id("c", COURSES, standin=True) != dataset_id("c", COURSES)
