"""Several workers: counts that merge; the example service with processes that are killed."""

import json
import random
import signal
import socket
import sqlite3
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections import Counter
from itertools import permutations
from pathlib import Path

import pytest

from lincon.errors import UserError
from lincon.online import Constraint, Goal, LearnedLedger, Ledger, LinConTS

pytestmark = pytest.mark.slow

EXAMPLE = Path(__file__).parents[3] / "config" / "examples" / "service.py"
ARMS = {"a": 1.0, "b": 0.5, "c": 0.2}
CAP = Constraint("spent", per_play="cost", sense="at_most", bound=0.1)
TWO = Goal((CAP, Constraint("rate", per_event=1.0, bound=0.1)), value=0.0)


def played(worker: str, plays: int, seed: int = 0) -> Ledger:
    policy = Ledger(ARMS, seed, eta=0.5, worker=worker)
    for _ in range(plays):
        policy.update(policy.choose(), policy.rng.random() < 0.4)
    return policy


def believed(policy) -> tuple:
    arms = policy.arms
    events, plays = arms.events + arms.known_events, arms.plays + arms.known_plays
    account = policy.amounts + policy.their_amounts
    return events.tolist(), plays.tolist(), account.tolist(), policy.round


def test_totals_may_arrive_in_any_order_and_as_often_as_they_like():
    workers = [played(name, plays, plays) for name, plays in (("x", 30), ("y", 45), ("z", 7))]
    old = played("y", 20, 45).delta()
    deltas = [old, *(worker.delta() for worker in workers)]
    found = []
    for order in permutations(deltas):
        reader = played("reader", 10)
        for delta in (*order, *order[::-1], deltas[0]):
            reader.merge(json.loads(json.dumps(delta)))
        found.append(believed(reader))
    assert all(one == found[0] for one in found)
    assert sum(found[0][1]) == 30 + 45 + 7 + 10 and found[0][3] == 93
    events = sum(worker.arms.events.sum() for worker in (*workers, played("reader", 10)))
    assert sum(found[0][0]) == events == found[0][2][0]


def test_a_worker_takes_its_own_counts_back():
    before = played("x", 40)
    after = Ledger(ARMS, eta=0.5, worker="x")
    after.merge(before.delta())
    assert believed(after) == believed(before) and after.delta() == before.delta()
    after.merge(played("x", 12).delta())
    assert after.counted == 40, "older ones change nothing"


def test_workers_from_one_file_share_its_past_and_draw_apart(tmp_path):
    played("x", 40).save(tmp_path / "state.json")
    load = Ledger.load
    one, two = (load(tmp_path / "state.json", rng=seed) for seed in (1, 2))
    third = load(tmp_path / "state.json", worker="third")
    assert len({one.worker, two.worker, third.worker, "x"}) == 4
    assert [one.choose() for _ in range(60)] != [two.choose() for _ in range(60)]
    one.update_many(["a", "b"], [True, False])
    for reader in (two, third):
        reader.merge(one.delta())
        assert reader.their_counted == 42, "the common past is counted once"
    assert load(tmp_path / "state.json").worker == "x"


def test_arms_that_another_does_not_have_are_left_out():
    one = played("one", 30)
    two = LinConTS({"a": 1.0}, eta=0.5)
    two.merge(one.delta())
    assert two.their_counted == 30 and len(two.arms.known_plays) == 1
    two.add_arm("b", 0.5)
    assert two.arms.known_plays[1] == 0.0
    two.merge(one.delta())
    assert two.arms.known_plays[1] == one.arms.plays[1]
    two.remove_arm("b")
    assert [arm for total in two.state()["totals"].values() for arm, *_ in total["arms"]] == ["a"]


def test_damaged_counts_are_one_sentence_and_change_nothing():
    delta, reader = played("one", 30).delta(), LearnedLedger(ARMS, eta=0.5)
    before = reader.state()
    for change in ({"worker": ""}, {"amounts": [9.0]}, {"arms": [["a", 3.0, 2.0]]}):
        with pytest.raises(UserError, match="is damaged"):
            reader.merge(delta | change)
    with pytest.raises(UserError, match="counted for other constraints"):
        LinConTS([{"cost": 1.0}], goal=TWO).merge(delta)
    assert reader.state() == before


# --- the example, with real processes

CLICKS = {"basic": 0.1, "plus": 0.3, "premium": 0.05}


class Service:
    """Four workers on one file, killed and started again at random."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.workers, self.kills = folder, {}, 0
        rows = [f"{name},{value}" for name, value in zip(CLICKS, (0.2, 0.1, 1.0), strict=True)]
        (folder / "links.csv").write_text("\n".join(["label,value", *rows]) + "\n")

    def start(self, port: int, timeout: float = 600.0) -> None:
        command = [sys.executable, EXAMPLE, "links.csv", "counts.db", port, "--timeout", timeout]
        self.workers[port] = subprocess.Popen([str(word) for word in command], cwd=self.folder)

    def kill(self, port: int) -> None:
        self.workers[port].send_signal(signal.SIGKILL)
        self.workers[port].wait()
        self.kills += 1

    def ask(self, method: str, path: str, luck: random.Random) -> dict:
        """Any worker that answers: an event is sent until it is acknowledged."""
        deadline = time.time() + 60
        while time.time() < deadline:
            port = luck.choice(list(self.workers))
            request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", method=method)
            try:
                with urllib.request.urlopen(request, timeout=20) as answer:
                    return json.loads(answer.read())
            except (OSError, urllib.error.URLError, json.JSONDecodeError):
                time.sleep(0.02)
        raise AssertionError("no worker answers")

    def counts(self) -> tuple[Counter, Counter]:
        """(plays, events) by arm, over all workers."""
        plays, events = Counter(), Counter()
        with sqlite3.connect(self.folder / "counts.db") as file:
            for (delta,) in file.execute("SELECT delta FROM counts"):
                for arm, hits, rounds in json.loads(delta)["arms"]:
                    plays[arm] += int(rounds)
                    events[arm] += int(hits)
        return plays, events


def free_ports(number: int) -> list[int]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(number)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def test_four_processes_that_are_killed_lose_no_event_and_count_none_twice(tmp_path):
    service, luck = Service(tmp_path), random.Random(3)
    ports = free_ports(4)
    shown, clicked, late = Counter(), Counter(), []
    try:
        for port in ports:
            service.start(port)
        for request in range(600):
            if request % 40 == 20:
                port = luck.choice(ports)
                service.kill(port)
                service.start(port)
            made = service.ask("GET", "/choose", luck)
            shown[made["arm"]] += 1
            if luck.random() < CLICKS[made["arm"]]:
                clicked[made["arm"]] += 1
                late += [made["id"]] * luck.randint(1, 5)
            luck.shuffle(late)
            while len(late) > 30:
                service.ask("POST", f"/event?id={late.pop()}", luck)
        for id in late:
            service.ask("POST", f"/event?id={id}", luck)
        assert service.ask("POST", "/event?id=nobody", luck) == {"counted": 0}
        plays, events = service.counts()
        assert events == plays == clicked, "those without a click still wait"
        service.kill(ports[0])
        service.start(ports[0], timeout=0.0)
        deadline = time.time() + 60
        while time.time() < deadline and sum(service.counts()[0].values()) < 600:
            time.sleep(0.1)
        plays, events = service.counts()
        assert events == clicked
        # A kill may come between a decision and its answer: nobody saw that one.
        assert all(plays[arm] >= shown[arm] for arm in CLICKS)
        assert 600 <= sum(plays.values()) <= 600 + service.kills
    finally:
        for port in service.workers:
            service.kill(port)
    logs = [line for path in tmp_path.glob("*.jsonl") for line in path.read_text().splitlines()]
    entries = [json.loads(line) for line in logs]
    assert all(0 < one["propensity"] <= 1 for one in entries if "propensity" in one)
    logged = sum(one.get("event", 0) for one in entries)
    assert sum(clicked.values()) - service.kills <= logged <= sum(clicked.values())
