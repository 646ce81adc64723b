"""The lines that put a winner into a service: which policy, and on which file."""

from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from snakemake.utils import update_config

from benchmarks.made_results import made_results
from lincon.data.sources import extract
from lincon.policies.standard import STANDARD
from lincon.problem.goal import Constraint, Goal
from lincon.report import service, terminal
from lincon.report.answer import claims_line
from lincon.study.config import read_study
from lincon.study.plan import plan
from tests.conftest import REPOSITORY

LEDGER = {"estimator": "beta_sample", "prior": "learned", "steering": "ledger"}
ENTRIES = {
    "ledger": LEDGER | {"fallback": "greedy"},
    "ts": {"estimator": "beta_sample"},
    "unlike": {"estimator": "beta_sample", "prior": "learned"},
}


def results_of(*entries: str, kept: bool = True, **known: str):
    """Policies with these config entries, the first with the lowest joint regret."""
    results = made_results(len(entries), 5, 500, 4, **known)
    order = results.league["policy"]
    looks = {
        policy: look | {"policy": ENTRIES[entries[list(order).index(policy)]]}
        for policy, look in results.policies.items()
    }
    outcomes = results.outcomes.assign(kept=kept)
    return replace(results, policies=looks, outcomes=outcomes)


def test_a_policy_is_recognised_by_its_entry():
    assert service.class_of(ENTRIES["ledger"]) == "TSLedger"
    assert service.class_of(ENTRIES["ts"] | {"label": "TS ledger"}) == "LinConTS"
    assert service.class_of(ENTRIES["unlike"]) == ""
    assert service.class_of(ENTRIES["ts"] | {"exploration": 2.0}) == ""
    assert service.class_of({}) == ""


@pytest.mark.parametrize("policy", ("lincon_ts", "lincon_kl_ucb", "ts_ledger", "gittins_ledger"))
def test_standard_policies_have_classes(policy):
    assert service.class_of(STANDARD[policy])


@pytest.mark.parametrize(("source", "paper"), [("real", True), ("standin", True), ("user", False)])
def test_the_paper_is_called_the_paper_on_its_data_alone(source, paper):
    looks = {policy: {"policy": STANDARD[policy]} for policy in ("lincon_ts", "lincon_kl_ucb")}
    made = results_of("ts", "ts", source=source)
    looks = dict(zip(made.policies, looks.values(), strict=True))
    results = replace(made, policies=looks, compare=list(looks))
    assert claims_line([results]).startswith("Paper: ") == paper


def test_a_users_file_is_read_by_the_lines():
    results = results_of("ledger", "ts", source="user", address="links.csv")
    lines = service.service(results)
    assert "from lincon.online import TSLedger, read_arms" in lines
    assert "arms, history = read_arms('links.csv')" in lines
    assert "policy = TSLedger(arms, floor=0.5, history=history)" in lines
    compile(lines, "service", "exec")
    for shown in ([results], [results, results]):
        printed = terminal.study(shown, [], Path("nowhere"))
        assert (lines.splitlines()[0] in printed) == (len(shown) == 1)


def test_without_a_users_file_there_are_none():
    results = results_of("ledger", "ts")
    assert service.service(results) == ""
    assert "lincon.online" not in terminal.study([results], [], Path("nowhere"))


def test_a_winner_without_a_class_leaves_its_place_to_the_next_keeper():
    results = results_of("unlike", "ts", source="user", address="links.csv")
    first, second = service.service(results).splitlines()[:2]
    assert first.endswith(": the best that has a class")
    assert second == "from lincon.online import LinConTS, read_arms"


KINDS = """kind;label;successes;trials;cost
code;small;612;1.000;0,4
code;large;871;1.000;6,1
chat;small;900;1.000;0,3
chat;large;940;1.000;5,0
"""


def experiments():
    """(config, experiment, dataset entry, goal, horizon) of all configs whose arms are a CSV."""
    for path in sorted((REPOSITORY / "config").glob("*.yaml")):
        config = yaml.safe_load((REPOSITORY / "config/config.yaml").read_text())
        update_config(config, yaml.safe_load(path.read_text()))
        planned = plan(read_study([path], config))
        cells = planned.table.drop_duplicates(["experiment", "dataset", "constraints", "horizon"])
        for cell in cells.itertuples():
            entry = planned.datasets[cell.dataset]
            if str(entry.get("path", "")).endswith(".csv"):
                goal = Goal.from_dict(planned.goals[cell.constraints])
                yield f"{path.stem} {cell.experiment}", entry, goal, cell.horizon


EXPERIMENTS = list(experiments())


@pytest.mark.parametrize("name", service.CLASSES)
@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=[one[0] for one in EXPERIMENTS])
def test_the_lines_of_every_config_run(experiment, name, monkeypatch):
    monkeypatch.chdir(REPOSITORY)
    _, entry, goal, horizon = experiment
    arms = extract(entry, [entry["path"]], "d")
    known = {"event": True}
    exec(service.code(name, goal, arms, horizon), known)
    assert known["policy"].status()["counted"] == 1
    assert [arm.name for arm in known["arms"]] == list(arms.label)


@pytest.mark.parametrize("name", service.CLASSES)
def test_the_lines_read_kinds_separators_and_counts(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "models.csv").write_text(KINDS)
    entry = {"kind": "user", "path": "models.csv", "kinds": {"code": 0.3, "chat": 0.7}}
    arms = extract(entry | {"sep": ";", "decimal": ",", "thousands": "."}, ["models.csv"], "d")
    goal = Goal((Constraint("correct", 1.0, bound=0.85),), value=0.0, cost="cost")
    known = {"event": True}
    exec(service.code(name, goal, arms, 1000), known)
    counted = known["policy"].status()["arms"]["code/large"]
    assert counted["cost"] == 6.1 and counted["plays"] >= 1000 and counted["events"] >= 871


@pytest.mark.parametrize("entries", [("ledger", "ts"), ("ts", "ledger")])
def test_what_breaks_the_promise_is_not_put_into_a_service(entries):
    assert (
        service.service(results_of(*entries, kept=False, source="user", address="links.csv")) == ""
    )
