"""Tables of arms that a plan names must be there when it is made."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from lincon.errors import UserError
from lincon.study.config import validate
from lincon.study.named_files import placeholders, require_files
from lincon.study.plan import Plan, plan

CONFIG = """
study: mine
datasets:
  mine: {label: My links, kind: user, path: links.csv}
  other: {label: Not played, kind: user, path: nobody asks for it.csv}
  radio: {label: Radio, kind: wireless}
policies:
  lincon_ts: {estimator: beta_sample, selector: lp}
experiments:
  mine: {dataset: mine, eta: 0.3, horizon: 100, policies: [lincon_ts]}
  radio: {dataset: radio, eta: 0.9, horizon: 100, policies: [lincon_ts]}
"""


@pytest.fixture
def planned(tmp_path, monkeypatch) -> Plan:
    monkeypatch.chdir(tmp_path)
    Path("links.csv").touch()
    return plan(validate(yaml.safe_load(CONFIG)))


def test_files_of_what_is_played_are_asked_for(planned):
    require_files(planned)


def test_a_file_that_is_not_there_is_named_with_its_key(planned, tmp_path):
    Path("links.csv").unlink()
    with pytest.raises(UserError) as said:
        require_files(planned)
    assert (
        str(said.value) == f"config: datasets.mine.path: there is no file links.csv in {tmp_path}"
    )


def test_raw_files_that_are_empty_could_not_be_had(planned):
    planned.datasets["published"] = {"kind": "coupon_raw", "files": {"a.csv": {}, "b.csv": {}}}
    assert placeholders(planned) == []
    raw = Path("resources/raw")
    raw.mkdir(parents=True)
    (raw / "a.csv").touch()
    (raw / "b.csv").write_text("1")
    assert placeholders(planned) == [raw / "a.csv"]
