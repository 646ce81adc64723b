"""The lines that put a winner into a service: which policy, and on which file."""

from dataclasses import replace

import pytest

from benchmarks.made_results import made_results
from lincon.policies.standard import STANDARD
from lincon.report import service, terminal
from lincon.report.answer import claims_line

LEDGER = {"estimator": "beta_sample", "selector": "lp", "prior": "learned", "steering": "ledger"}
ENTRIES = {
    "ledger": LEDGER | {"fallback": "greedy"},
    "ts": {"estimator": "beta_sample", "selector": "lp"},
    "unlike": {"estimator": "beta_sample", "selector": "lp", "prior": "learned"},
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
    assert service.class_of(ENTRIES["ledger"]) == service.TS_LEDGER
    assert service.class_of(ENTRIES["ts"] | {"label": "TS ledger"}) == service.LINCON_TS
    assert service.class_of(ENTRIES["unlike"]) == ""
    assert service.class_of(ENTRIES["ts"] | {"exploration": 2.0}) == ""
    assert service.class_of({}) == ""


@pytest.mark.parametrize("policy", ("lincon_ts", "lincon_kl_ucb", "ts_ledger", "gittins_ledger"))
def test_standard_policies_have_classes(policy):
    assert service.class_of(STANDARD[policy])


def test_the_paper_is_called_the_paper():
    looks = {policy: {"policy": STANDARD[policy]} for policy in ("lincon_ts", "lincon_kl_ucb")}
    made = results_of("ts", "ts")
    looks = dict(zip(made.policies, looks.values(), strict=True))
    results = replace(made, policies=looks, compare=list(looks))
    assert claims_line([results]).startswith("Paper: ")


def test_a_users_file_is_read_by_the_lines():
    results = results_of("ledger", "ts", source="user", address="links.csv")
    lines = service.service(results)
    assert "from lincon.online import TSLedger, read_arms" in lines
    assert "arms, history = read_arms('links.csv')" in lines
    assert "policy = TSLedger(arms, floor=0.5, history=history)" in lines
    assert "from lincon.online import TSLedger" in terminal.experiment(results)
    compile(lines, "service", "exec")


def test_without_a_users_file_the_terminal_is_silent():
    results = results_of("ledger", "ts")
    assert "TSLedger({...}, floor=0.5)" in service.service(results)
    assert "lincon.online" not in terminal.experiment(results)


def test_a_winner_without_a_class_leaves_its_place_to_the_next_keeper():
    results = results_of("unlike", "ts")
    first, second = service.service(results).splitlines()[:2]
    assert first.endswith(": the best that has a class")
    assert second == "from lincon.online import LinConTS"


@pytest.mark.parametrize("entries", [("ledger", "ts"), ("ts", "ledger")])
def test_what_breaks_the_promise_is_not_put_into_a_service(entries):
    assert service.service(results_of(*entries, kept=False)) == ""
