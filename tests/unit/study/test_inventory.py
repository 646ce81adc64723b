"""What is there, missing, stale and unwanted."""

from pathlib import Path

import pytest

from lincon.study.inventory import delete, load, status, unwanted

DEFAULT = Path(__file__).parents[3] / "config" / "config.yaml"
TINY = """
runs: 2
only: [tiny]
experiments:
  tiny: {dataset: wireless, eta: 0.9, horizon: 100, policies: [lincon_ts]}
"""
SWEPT = TINY.replace("eta: 0.9", "eta: [0.8, 0.9]")
RUN = "results/runs/dataset=wireless/eta={eta}/horizon=100/policy=lincon_ts/run={run}.parquet"


@pytest.fixture
def configs(tmp_path):
    for name, text in (("tiny", TINY), ("swept", SWEPT)):
        (tmp_path / f"{name}.yaml").write_text(text)
    return tmp_path


def summary_line(run, state="ok", plan="no update", eta="0.9"):
    return "\t".join((RUN.format(eta=eta, run=run), "a date", "simulate", "a log", state, plan))


def test_configs_merge_as_snakemake_does(configs):
    config = load([DEFAULT, configs / "tiny.yaml"])
    assert config["runs"] == 2
    assert set(config["experiments"]) == {"coupon", "edx", "tiny"}


@pytest.mark.parametrize(
    ("lines", "counts"),
    [
        ([summary_line(0), summary_line(1)], ["2", "2", "0", "0"]),
        ([summary_line(0)], ["2", "1", "1", "0"]),
        ([summary_line(0), summary_line(1, "missing", "update pending")], ["2", "1", "1", "0"]),
        ([summary_line(0), summary_line(1, "params changed", "pending")], ["2", "1", "0", "1"]),
        (["output_file\tdate\trule\tlog-file(s)\tstatus\tplan"], ["2", "0", "2", "0"]),
    ],
)  # fmt: skip
def test_status_counts_runs_by_experiment(configs, lines, counts):
    table = status(lines, load([DEFAULT, configs / "tiny.yaml"]))
    assert table.splitlines()[1].split() == ["tiny", *counts]


def make_files(root, etas, runs):
    for eta in etas:
        for run in range(runs):
            for tree in ("runs", "plays"):
                file = root / RUN.format(eta=eta, run=run).replace("/runs/", f"/{tree}/")
                file.parent.mkdir(parents=True, exist_ok=True)
                file.touch()


def test_files_that_no_config_refers_to_are_listed_and_deleted_with_their_folders(configs):
    make_files(configs, ["0.8", "0.9"], 3)
    tiny = [DEFAULT, configs / "tiny.yaml"]
    files = unwanted([tiny], configs)
    assert len(files) == 2 * (3 + 1)
    assert len(unwanted([tiny, [DEFAULT, configs / "swept.yaml"]], configs)) == 2 * 2
    delete(files)
    assert unwanted([tiny], configs) == []
    assert (configs / RUN.format(eta="0.9", run=0)).exists()
    assert not (configs / "results/runs/dataset=wireless/eta=0.8").exists()
