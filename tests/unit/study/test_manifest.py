"""What was damaged since it was written is found and named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lincon.command_line.main import main
from lincon.study import manifest


@pytest.fixture
def study(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder = Path("results/studies/mine")
    (folder / "figures").mkdir(parents=True)
    for name in ("figures/a.png", "summary.parquet", "plan.json"):
        (folder / name).write_text(name)
    files = manifest.make(path for path in folder.rglob("*") if path.is_file())
    (folder / "manifest.json").write_text(json.dumps({"study": "mine", "files": files}))
    return folder


def test_a_whole_study_is_verified(study, capsys):
    assert main(["verify"]) == 0
    assert "mine: 3 files, 0 not as they were written" in capsys.readouterr().out


def test_damage_and_loss_are_named(study, capsys):
    (study / "figures/a.png").write_text("figures/b.png")
    (study / "summary.parquet").unlink()
    assert main(["verify", "mine"]) == 1
    printed = capsys.readouterr()
    assert "changed  results/studies/mine/figures/a.png" in printed.out
    assert "missing  results/studies/mine/summary.parquet" in printed.out
    assert "2 files differ" in printed.err and printed.err.count("\n") == 1


def test_a_study_that_is_not_there(study, capsys):
    assert main(["verify", "yours"]) == 1
    assert "studies with a manifest: mine" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["[]", "null", "3", '"x"', "[" * 100_000, '{"files": [1]}', "{}"])
def test_a_manifest_that_is_none_is_one_sentence(study, capsys, text):
    (study / "manifest.json").write_text(text)
    assert main(["verify"]) == 1
    assert "manifest.json cannot be read" in capsys.readouterr().err
