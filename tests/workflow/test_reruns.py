"""What runs again after a change: Snakemake's own plan, job by job, after one complete run."""

import os

import pytest

from tests.workflow.bench import (
    OWN_ARMS,
    SMALL,
    STUDY,
    Bench,
    Plan,
    changed,
    jobs,
    run_file,
    simulations,
)

NOTHING: Plan = frozenset()
GROUPS = ("radio/0.9/200", "own/0.8/300", "radio/0.99/200", "own/0.8/200")
PAGE: Plan = frozenset({"page"})
SUMMARIES = jobs("summarise", *GROUPS)
EXPERIMENTS = ("radio", "own", "radio_eta", "own_horizon")
TABLES, FIGURES = jobs("tables", *EXPERIMENTS), jobs("figures", *EXPERIMENTS)
REPORTS = TABLES | FIGURES | PAGE


def shown(*experiments: str) -> Plan:
    """What shows these experiments."""
    return jobs("tables", *experiments) | jobs("figures", *experiments) | PAGE


def every_simulation(runs: range) -> Plan:
    return (
        simulations("radio/0.9/200", "lincon_ts lincon_kl_ucb", runs)
        | simulations("radio/0.99/200", "lincon_ts", runs)
        | simulations("own/0.8/300", "lincon_ts", runs)
        | simulations("own/0.8/200", "lincon_ts", runs)
    )


def of_own(eta: str = "0.8", horizon: int = 300) -> Plan:
    """All of `own` after its problem, and what shows it."""
    group = f"own/{eta}/{horizon}"
    played = simulations(group, "lincon_ts", range(2)) | jobs("summarise", group)
    return played | shown("own")


CHECK: Plan = frozenset({"check"})
CONFIG_ROWS = {
    "nothing": ({}, NOTHING),
    "the floor of one dataset": (
        {"experiments": {"own": {"eta": 0.7}}},
        of_own("0.7") | jobs("problem", "own/0.7") | CHECK,
    ),
    "the horizon": ({"experiments": {"own": {"horizon": 400}}}, of_own(horizon=400)),
    "more runs": ({"runs": 4}, every_simulation(range(2, 4)) | SUMMARIES | REPORTS),
    # A group holds all policies that are played there, so the sweep that shares it is shown again.
    "a parameter of a policy": (
        {"policies": {"lincon_kl_ucb": {"c": 3}}},
        simulations("radio/0.9/200", "lincon_kl_ucb", range(2))
        | jobs("summarise", "radio/0.9/200")
        | shown("radio", "radio_eta"),
    ),
    "another policy": (
        {"experiments": {"own": {"policies": ["lincon_ts", "con_ucb"]}}},
        simulations("own/0.8/300", "con_ucb", range(2))
        | jobs("summarise", "own/0.8/300")
        | shown("own", "own_horizon"),
    ),
    # What figures look like is drawn again: no run, no table of runs.
    "a policy's label": ({"policies": {"lincon_kl_ucb": {"label": "KL"}}}, shown("radio")),
    "a figure's width": ({"style": {"width": "single"}}, FIGURES | PAGE),
    "recorded rounds": ({"points": 30}, every_simulation(range(2)) | SUMMARIES | REPORTS),
    "an experiment less": ({"only": ["own", "radio"]}, PAGE),
}


@pytest.mark.parametrize("change", CONFIG_ROWS)
def test_a_change_of_the_config(finished: Bench, change):
    changes, expected = CONFIG_ROWS[change]
    assert finished.plan(config=changed(SMALL, changes)) == expected


def test_a_plan_touches_nothing(finished: Bench):
    """Nothing is written, deleted or asked for while rules are parsed."""
    before = {path: path.stat().st_mtime_ns for path in (finished / "results").rglob("*")}
    for options in (["--lint"], ["--summary"], ["--dry-run", "--forceall"]):
        finished.snakemake(*options, config=changed(SMALL, {"runs": 3}))
    after = {path: path.stat().st_mtime_ns for path in (finished / "results").rglob("*")}
    assert before == after and not (finished / "resources").exists()


def test_blocks_have_fixed_borders(finished: Bench):
    """Another block size plays again; with it, more runs add blocks."""
    target = f"{STUDY}/tables/own"
    blocks = changed(SMALL, {"only": ["own"], "runs": 7, "runs_per_job": 3})
    made = finished.plan(target, config=blocks)
    assert {job for job in made if job.startswith("simulate")} == simulations(
        "own/0.8/300", "lincon_ts", ["0-2", "3-5", "6"]
    )


def test_going_back_costs_no_simulation(mine: Bench):
    """From another floor and more runs: what lists them is made again, and nothing is played."""
    there = {"only": ["own"], "runs": 3, "experiments": {"own": {"eta": 0.7}}}
    target = f"{STUDY}/tables/own"
    mine.run(target, config=changed(SMALL, there))
    back = changed(SMALL, {"only": ["own"]})
    assert mine.plan(target, config=back) == jobs("tables", "own")


def test_another_study_overwrites_nothing(mine: Bench):
    """Other arms of the same name, and a folder of its own for all that is made of them."""
    before = {path: path.read_bytes() for path in (mine / STUDY).rglob("*") if path.is_file()}
    (mine / "other.csv").write_text(OWN_ARMS.replace("0.9,0.1", "0.9,0.2"))
    other = {"study": "other", "only": ["own"], "datasets": {"own": {"path": "other.csv"}}}
    mine.run("results/studies/other/tables/own", config=changed(SMALL, other))
    assert len(list((mine / "results/arms").glob("own-*.parquet"))) == 2
    assert {path: path.read_bytes() for path in before} == before
    assert mine.plan(config=SMALL) == NOTHING


LIBRARY_ROWS = {
    "lincon/report/figures/panels.py": REPORTS,
    "scripts/figures.py": FIGURES | PAGE,
    # The problem is solved by the same kernel as a round.
    "lincon/problem/lp.py": every_simulation(range(2))
    | jobs("problem", "radio/0.9", "own/0.8", "radio/0.99")
    | jobs("compile_kernel", "dense")
    | CHECK
    | SUMMARIES
    | REPORTS,
}


@pytest.mark.parametrize("file", LIBRARY_ROWS)
def test_a_change_of_the_code(mine: Bench, file):
    """A comment counts: the hash is of bytes, so that it is the same on every Python."""
    with open(mine / "workflow" / file, "a", encoding="utf-8") as code:
        code.write("\n# A remark.\n")
    assert mine.plan(config=SMALL) == LIBRARY_ROWS[file]


def test_touched_files_run_nothing(mine: Bench):
    for path in ("Snakefile", "workflow", "config", "own.csv"):
        for file in [mine / path, *(mine / path).rglob("*")]:
            os.utime(file)
    assert mine.plan(config=SMALL) == NOTHING


def test_what_was_deleted_or_edited(mine: Bench):
    (mine / run_file(SMALL, "radio/0.9/200/lincon_kl_ucb/1")).unlink()
    mine.edit("own.csv", "0.9,0.1", "0.9,0.2")
    again = jobs("simulate", "radio/0.9/200/lincon_kl_ucb/1") | jobs("summarise", "radio/0.9/200")
    arms = jobs("extract_arms", "own") | jobs("problem", "own/0.8") | CHECK
    own = of_own() | of_own(horizon=200)
    assert mine.plan(config=SMALL) == again | arms | own | shown(*EXPERIMENTS)


def test_more_cores_another_profile_and_another_machine_run_nothing(finished: Bench, tmp_path):
    """Another scheduler, other resources, another name of the machine."""
    profile = tmp_path / "config.yaml"
    triggers = "rerun-triggers: [mtime, input, params, software-env]\n"
    profile.write_text(f"scheduler: ilp\nretries: 2\n{triggers}")
    options = ("--cores", "7", "--workflow-profile", str(tmp_path))
    assert finished.plan(*options, config=SMALL, HOSTNAME="elsewhere") == NOTHING
