"""What is there, missing and stale, by Snakemake's own summary."""

import pytest

from lincon.cli.study import counted

HEADER = "output_file\tdate\trule\tlog-file(s)\tstatus\tplan"
FOLDER = "results/runs/dataset=edx-0123abcd/constraints=eta_0.5/horizon=50000/policy=ts/engine=lazy"
OUTCOMES = "results/studies/mine/atlas/few/outcomes/problems=0-9.parquet"


def line(file: str, state: str = "ok", planned: str = "no update") -> str:
    return "\t".join((file, "a date", "a rule", "a log", state, planned))


def run(block: str, *state: str) -> str:
    return line(f"{FOLDER}/seed=1/settings=00000000/run={block}.parquet", *state)


@pytest.mark.parametrize(
    ("states", "counts"),
    [
        ([("0-7",), ("8",)], "9 9 0 0"),
        ([("0",), ("1", "missing", "update pending")], "2 1 1 0"),
        ([("0",), ("1-4", "params have changed", "update pending")], "5 1 0 4"),
    ],
)
def test_runs_are_counted_by_setting(states, counts):
    lines = [HEADER, *(run(*state) for state in states), line("results/arms/edx-0123abcd.parquet")]
    (row,) = counted(lines).splitlines()[1:]
    assert row.startswith("edx, eta_0.5, T = 50,000 ") and row.split()[-4:] == counts.split()


def test_an_atlas_counts_its_problems():
    (row,) = counted([HEADER, line(OUTCOMES, "missing", "update pending")]).splitlines()[1:]
    assert row.split() == ["few", "(problems)", "10", "0", "10", "0"]
