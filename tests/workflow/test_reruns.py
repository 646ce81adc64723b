"""What runs again after a change: Snakemake's own plan, job by job, after one complete run."""

import os
from pathlib import Path

import pytest

from tests.workflow.bench import (
    OWN_ARMS,
    SMALL,
    STUDY,
    Bench,
    Plan,
    arms_file,
    changed,
    jobs,
    run_file,
    simulations,
)

NOTHING: Plan = frozenset()
TABLES: Plan = frozenset({"tables"})
SETTINGS = ("radio/0.9/200", "own/0.8/300", "radio/0.99/200")
SWEEP = jobs("sweep_figure", "radio_eta/sweep", "radio_eta/frontier")
# Figures and tables that look at the runs of an experiment.
DRAW_OWN, DRAW_RADIO = jobs("figures", "own"), jobs("figures_with_claims", "radio")
DRAW = DRAW_OWN | DRAW_RADIO
OF_OWN = jobs("analyse", "own") | DRAW_OWN
OF_RADIO = jobs("analyse", "radio") | DRAW_RADIO
OF_RUNS = OF_OWN | OF_RADIO | SWEEP
# The page shows everything.
PAGE: Plan = frozenset({"page"})
SUMMARIES = jobs("summarise", *SETTINGS)
PROBLEMS = jobs("problem", "radio/0.9", "own/0.8", "radio/0.99")


def every_simulation(runs: range) -> Plan:
    return (
        simulations("radio/0.9/200", "lincon_ts lincon_kl_ucb", runs)
        | simulations("radio/0.99/200", "lincon_ts", runs)
        | simulations("own/0.8/300", "lincon_ts", runs)
    )


def of_own(eta: str) -> Plan:
    """All of `own` at another eta or with other arms, and what shows it."""
    setting = f"own/{eta}/300"
    played = simulations(setting, "lincon_ts", range(2)) | jobs("summarise", setting)
    return played | jobs("problem", f"own/{eta}") | OF_OWN | TABLES


CONFIG_ROWS = {
    "nothing": ({}, NOTHING),
    "eta of one dataset": ({"experiments": {"own": {"eta": 0.7}}}, of_own("0.7")),
    "more runs": ({"runs": 4}, every_simulation(range(2, 4)) | SUMMARIES | TABLES | OF_RUNS),
    # The summary of a setting holds all of its policies, so the sweep that shares it is above.
    "a parameter of a policy": (
        {"policies": {"lincon_kl_ucb": {"c": 3}}},
        simulations("radio/0.9/200", "lincon_kl_ucb", range(2))
        | jobs("summarise", "radio/0.9/200")
        | OF_RADIO
        | SWEEP
        | TABLES,
    ),
    "a new policy": (
        {
            "policies": {"con_ucb": {"estimator": "ucb1", "selector": "lp"}},
            "experiments": {"own": {"policies": ["lincon_ts", "con_ucb"]}},
        },
        simulations("own/0.8/300", "con_ucb", range(2))
        | jobs("summarise", "own/0.8/300")
        | OF_OWN
        | TABLES,
    ),
    "a policy's label": ({"policies": {"lincon_kl_ucb": {"label": "KL"}}}, OF_RADIO | TABLES),
    # What figures look like is drawn again: no run, no summary, no table.
    "a policy's colour": ({"policies": {"lincon_ts": {"colour": "#123456"}}}, DRAW | SWEEP),
    "gamma": ({"gamma": 0.2}, OF_OWN | OF_RADIO),
    "recorded rounds": ({"points": 30}, every_simulation(range(2)) | SUMMARIES | TABLES | OF_RUNS),
    "runs in a job": ({"runs_per_job": 2}, NOTHING),
}


@pytest.mark.parametrize("change", CONFIG_ROWS)
def test_a_change_of_the_config(finished: Bench, change):
    changes, expected = CONFIG_ROWS[change]
    always = PAGE if changes else NOTHING
    assert finished.plan(config=changed(SMALL, changes)) == expected | always


def test_the_bytes_of_a_style_file(mine: Bench):
    """It is drawn with, and drawn again when it changes; the formats asked for are there."""
    (mine / "paper.mplstyle").write_text("font.size: 9\n")
    style = {"file": "paper.mplstyle", "formats": ["svg"], "width": "89 mm"}
    styled = changed(SMALL, {"only": ["own"], "style": style})
    mine.run(config=styled)
    assert mine.plan(config=styled) == NOTHING
    assert 'width="252.28' in (mine / f"{STUDY}/figures/own/panels.svg").read_text()
    (mine / "paper.mplstyle").write_text("font.size: 10\n")
    assert mine.plan(config=styled) == DRAW_OWN | PAGE


def test_going_back_costs_no_simulation(mine: Bench):
    """From another eta, other arms and more runs: what lists them is made again; the further runs
    stay where they are and are left out of the summary.
    """
    there = {"only": ["own"], "runs": 3, "experiments": {"own": {"eta": 0.7}}}
    target = f"{STUDY}/summary.parquet"
    mine.edit("own.csv", "0.9,0.1", "0.9,0.2")
    mine.run(target, config=changed(SMALL, there))
    mine.edit("own.csv", "0.9,0.2", "0.9,0.1")
    mine.run(target, config=changed(SMALL, {"only": ["own"], "runs": 3}))
    back = changed(SMALL, {"only": ["own"]})
    assert mine.plan(target, config=back) == jobs("summarise", "own/0.8/300") | TABLES


def test_another_study_overwrites_nothing(mine: Bench):
    """Other arms of the same name, and a folder of its own for all that is made of them."""
    before = {path: path.read_bytes() for path in (mine / STUDY).rglob("*") if path.is_file()}
    (mine / "other.csv").write_text(OWN_ARMS.replace("0.9,0.1", "0.9,0.2"))
    other = {"study": "other", "only": ["own"], "datasets": {"own": {"path": "other.csv"}}}
    mine.run("results/studies/other/summary.parquet", config=changed(SMALL, other))
    assert len(list((mine / "results/arms").glob("own-*.parquet"))) == 2
    assert {path: path.read_bytes() for path in before} == before
    assert mine.plan(config=SMALL) == NOTHING


def test_more_runs_in_blocks_fill_the_gap(mine: Bench):
    """Two single runs are there: the other six come in blocks of four, and no run twice."""
    more = changed(SMALL, {"only": ["own"], "runs": 8, "runs_per_job": 4})
    own = Path(arms_file(mine, more, "own")).stem
    target = f"{STUDY}/summaries/dataset={own}/constraints=eta_0.8/horizon=300/summary.parquet"
    expected = simulations("own/0.8/300", "lincon_ts", ["2-3", "4-7"])
    assert mine.plan(target, config=more) == expected | jobs("summarise", "own/0.8/300")
    mine.run(target, config=more)
    assert mine.plan(target, config=more) == NOTHING
    one_by_one = changed(more, {"runs_per_job": 1})
    assert mine.plan(target, config=one_by_one) == NOTHING


def add_code(bench: Bench, module: str) -> None:
    """A change that counts and breaks nothing."""
    with open(bench / f"workflow/lincon/{module}.py", "a", encoding="utf-8") as file:
        file.write("\nADDED = 1\n")


FROM_THE_ENGINE = (
    every_simulation(range(2)) | jobs("compile_kernel", "dense") | SUMMARIES | TABLES | OF_RUNS
)
LIBRARY_ROWS = {
    "report/figures/panels": DRAW | SWEEP,
    # The problem is solved by the same kernel as a round.
    "problem/lp": FROM_THE_ENGINE | PROBLEMS,
}


@pytest.mark.parametrize("module", LIBRARY_ROWS)
def test_a_change_of_the_library(mine: Bench, module):
    add_code(mine, module)
    assert mine.plan(config=SMALL) == LIBRARY_ROWS[module] | PAGE


def test_comments_docstrings_and_touched_files_run_nothing(mine: Bench):
    for path in (mine / "workflow/lincon").rglob("*.py"):
        with open(path, "a", encoding="utf-8") as file:
            file.write("\n\n# A remark.\n")
    lp = mine / "workflow/lincon/problem/lp.py"
    lp.write_text('"""Another opening."""\n' + lp.read_text().split('"""', 2)[2])
    for path in ("Snakefile", "workflow/rules", "workflow/schemas", "config", "own.csv"):
        for file in [mine / path, *(mine / path).glob("*")]:
            os.utime(file)
    assert mine.plan(config=SMALL) == NOTHING


def test_what_was_deleted_or_edited(mine: Bench):
    (mine / STUDY / "tables/radio/league.tex").unlink()
    assert mine.plan(config=SMALL) == OF_RADIO | PAGE
    (mine / run_file(mine, SMALL, "radio/0.9/200/lincon_kl_ucb/1")).unlink()
    mine.edit("own.csv", "0.9,0.1", "0.9,0.2")
    again = jobs("simulate", "radio/0.9/200/lincon_kl_ucb/1") | jobs("summarise", "radio/0.9/200")
    arms = jobs("extract_arms", "own") | of_own("0.8")
    assert mine.plan(config=SMALL) == again | OF_RADIO | SWEEP | arms | PAGE


def test_more_cores_another_profile_and_another_machine_run_nothing(finished: Bench, tmp_path):
    """Another scheduler, other resources, another name of the machine."""
    profile = tmp_path / "config.yaml"
    profile.write_text("scheduler: ilp\nretries: 2\ndefault-resources: [mem_mb=900, runtime=5]\n")
    options = ("--cores", "7", "--workflow-profile", str(tmp_path))
    assert finished.plan(*options, config=SMALL, HOSTNAME="elsewhere") == NOTHING
