"""What is said at the end of a run."""

from __future__ import annotations

from argparse import Namespace

from lincon.command_line.notices import Settings, run


def test_what_could_not_be_had_is_one_sentence_and_one_command(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name in ("one.npy", "two.npy"):
        (tmp_path / name).touch()
    (tmp_path / "Makefile").touch()
    (tmp_path / "three.npy").write_bytes(b"runs")
    run(Settings("paper", [], [], ["one.npy", "two.npy", "three.npy"]), Namespace())
    assert capsys.readouterr().out.splitlines() == [
        "The published runs of one.npy and two.npy could not be had and are left out; "
        "see results/logs.",
        "Once online, type: make real",
    ]


def test_nothing_is_said_where_nothing_is_missing(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    run(Settings("paper", [], []), Namespace())
    assert capsys.readouterr().out == ""
