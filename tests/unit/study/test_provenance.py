"""The record of a study: where its arms come from, and under which terms."""

from lincon.data import arms
from lincon.study.provenance import provenance

CONFIG = {
    "study": "s",
    "seed": 1,
    "runs": 2,
    "datasets": {
        "web": {
            "licence": "MIT",
            "files": {"a.csv": {"address": "https://a/a.csv"}},
        }
    },
}


def datasets(tmp_path, name: str, source: str) -> dict:
    path = tmp_path / "arms.parquet"
    arms.write(arms.make([0.5], [1], dataset=name, source=source, sha256="ab"), path)
    return provenance(CONFIG, [str(path)])["datasets"]


def test_real_arms_have_their_address_and_their_licence(tmp_path):
    record = datasets(tmp_path, "web@snr_3", "real")["web@snr_3"]
    assert record["address"] == "https://a/a.csv"
    assert (record["licence"], record["sha256"], record["arms"]) == ("MIT", "ab", "1")


def test_stand_in_arms_come_from_no_address(tmp_path):
    assert "address" not in datasets(tmp_path, "web", "standin")["web"]
