"""Several workers: totals that merge, forks, restarts; the example with four processes."""

import json
import os
import random
import re
import shlex
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections import Counter
from itertools import permutations

import pytest

from lincon.online import LinConTS, Outcome, TSLedger, UserError
from tests.conftest import REPOSITORY
from tests.unit.online.test_feedback import ARMS, CORRECT, COST, SPENT, goal

PAGE = (REPOSITORY / "docs" / "production.md").read_text()
# What a service need not have installed.
SLOW = ["numba", "pandas", "pyarrow", "scipy", "matplotlib", "yaml", "pydantic", "snakemake"]


def played(worker, plays, seed=0, cls=TSLedger, **options):
    policy = cls(ARMS, floor=0.5, worker=worker, seed=seed, **options)
    for _ in range(plays):
        policy.update(policy.choose(), policy.rng.random() < 0.4)
    return policy


def believed(policy):
    status = policy.status()
    return status["arms"], status["constraints"], status["rounds"]


def test_totals_may_arrive_in_any_order_and_as_often_as_they_like():
    workers = [played(name, plays, plays) for name, plays in (("x", 30), ("y", 45), ("z", 7))]
    early = workers[1].totals()
    for _ in range(10):
        workers[1].update(workers[1].choose(), True)
    sent = [early, *(worker.totals() for worker in workers)]
    seen = []
    for order in permutations(sent):
        reader = played("reader", 10)
        news = [reader.merge(json.loads(json.dumps(one))) for one in (*order, *order, sent[0])]
        assert sum(news) in (3, 4), "the early one is news only before the later one"
        seen.append(believed(reader))
    assert all(one == seen[0] for one in seen)
    arms, constraints, rounds = seen[0]
    events = sum(one["events"] for one in arms.values())
    assert rounds == sum(one["plays"] for one in arms.values()) == 102
    assert constraints["floor"]["debt"] == pytest.approx(51 - events)


def test_a_restarted_worker_goes_on_from_its_total_or_is_refused():
    before, reader = played("x", 40), played("reader", 5)
    reader.merge(before.totals())
    after = TSLedger(ARMS, floor=0.5, worker="x")
    assert after.merge(before.totals()) and believed(after) == believed(before)
    assert not after.merge(before.totals())
    after.update("a", True)
    assert reader.merge(after.totals()) and not reader.merge(before.totals())
    assert reader.status()["rounds"] == 46
    again = played("x", 3)
    for one, total in ((again, before.totals()), (reader, again.totals())):
        with pytest.raises(UserError, match="worker 'x' was started again and has counted without"):
            one.merge(total)
    assert reader.status()["rounds"] == 46


def test_a_worker_restored_from_an_old_state_takes_what_was_counted_since():
    policy = played("x", 20)
    state = policy.state()
    policy.update("a", True)
    after = TSLedger.from_state(state)
    assert after.merge(policy.totals()) and believed(after) == believed(policy)
    late = TSLedger.from_state(state)
    late.update("b", True)
    with pytest.raises(UserError, match="started again"):
        late.merge(policy.totals())


def test_workers_from_one_state_share_its_past_and_draw_apart():
    state = played("x", 40).state()
    one, two = (TSLedger.from_state(state, seed=seed) for seed in (1, 2))
    assert len({one.worker, two.worker, "x"}) == 3
    assert [one.choose() for _ in range(60)] != [two.choose() for _ in range(60)]
    one.update("a", True)
    two.merge(one.totals())
    assert (
        two.status()["arms"]["a"]["plays"]
        == TSLedger.from_state(state).status()["arms"]["a"]["plays"] + 1
    )


def test_only_the_same_goal_and_the_same_arms_are_merged():
    one = played("one", 30)
    with pytest.raises(UserError, match="was counted for another goal"):
        LinConTS(COST, goal=goal(CORRECT, SPENT)).merge(one.totals())
    with pytest.raises(UserError, match="was counted for another goal"):
        LinConTS(COST, goal=goal(CORRECT)).merge(one.totals())
    moved = LinConTS(ARMS, floor=0.4)
    assert moved.merge(one.totals()), "a bound may have been changed in one worker first"
    two = LinConTS(ARMS, floor=0.5)
    two.remove_arm("b")
    two.add_arm("b", 0.9)
    two.merge(one.totals())
    arms = two.status()["arms"]
    assert arms["a"] == one.status()["arms"]["a"] and arms["b"]["plays"] == 0.0
    assert two.status()["rounds"] == 30


def test_workers_that_merge_often_forget_as_one_would():
    one, two = (TSLedger(ARMS, floor=0.5, worker=name, memory=50.0) for name in ("one", "two"))
    alone = TSLedger(ARMS, floor=0.5, memory=50.0)
    for i in range(300):
        policy, other = (one, two) if i % 2 else (two, one)
        for each in (policy, alone):
            each.update("abc"[i % 3], i % 5 == 0)
        other.merge(policy.totals())
    for policy in (one, two):
        for arm, known in policy.status()["arms"].items():
            expected = alone.status()["arms"][arm]
            assert known["plays"] == pytest.approx(expected["plays"])
            assert known["events"] == pytest.approx(expected["events"])


def child(policy, rounds):
    """What a forked worker chooses, and its total."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            arms = [policy.choose() for _ in range(rounds)]
            for arm in arms:
                policy.update(arm, True)
            os.write(writer, json.dumps([arms, policy.totals()]).encode())
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as file:
        answer = json.loads(file.read())
    os.waitpid(pid, 0)
    return answer


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_forked_workers_are_not_twins():
    """As under gunicorn --preload: one policy, loaded before the fork."""
    parent = played("x", 30)
    waiting = parent.decide().id
    answers = [child(parent, 30) for _ in range(4)]
    assert len({tuple(arms) for arms, _ in answers}) == 4
    assert len({total["worker"] for _, total in answers} | {"x"}) == 5
    for _, total in answers:
        assert parent.merge(total)
    assert sum(arm["plays"] for arm in parent.status()["arms"].values()) == 30 + 4 * 30
    assert parent.update(waiting, True) is Outcome.COUNTED


def test_it_needs_numpy_alone_and_imports_nothing_after_the_constructor():
    code = """
import sys
from lincon.online import *
arms = {"a": {"cost": 1.0}}
policies = [TSLedger(arms, goal=GOAL), GittinsLedger(arms, goal=GOAL, horizon=99)]
before = set(sys.modules)
for policy in policies:
    for i in range(50):
        policy.update(policy.decide().id, i % 2)
    policy.add_arm("b", {"cost": 2.0})
    type(policy).from_state(policy.state()).merge(policy.totals())
print(*sorted(set(sys.modules) - before), "|", *sorted(sys.modules))
""".replace("GOAL", repr(goal(CORRECT, SPENT)))
    run = [sys.executable, "-c", code]
    text = subprocess.run(run, capture_output=True, text=True, check=True).stdout
    after, _, loaded = text.partition("|")
    assert not [name for name in after.split() if not name.startswith("numpy.")]
    assert not {name.split(".")[0] for name in loaded.split()} & set(SLOW)


@pytest.mark.parametrize("page", ["README.md", "docs/production.md", "docs/language_models.md"])
def test_each_block_of_the_documents_runs_with_numpy_alone(page, tmp_path):
    text = (REPOSITORY / page).read_text()
    (tmp_path / "config").symlink_to(REPOSITORY / "config")
    (tmp_path / "models.csv").write_text(
        "".join(re.findall(r"```text\n(kind,.*?)```", text, re.DOTALL))
    )
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    blocks = [one for one in blocks if "lincon.online" in one]
    assert blocks
    code = f"import sys; sys.modules |= dict.fromkeys({SLOW})\nfor one in {blocks}: exec(one, {{}})"
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True)


# --- the example, with real processes

# Of each kind and arm its value and the rate of clicks.
LINKS = {("", "basic"): (0.2, 0.1), ("", "plus"): (0.1, 0.3), ("", "premium"): (1.0, 0.05)}
KINDS = {
    ("code", "small"): (1.0, 0.3),
    ("code", "large"): (0.1, 0.9),
    ("chat", "small"): (1.0, 0.8),
}


class Example:
    """Four workers on one file, by the command of the page; those that are killed start again."""

    def __init__(self, folder, arms, **settings):
        rows = [f"{kind},{name},{value}" for (kind, name), (value, _) in arms.items()]
        header, rows = "kind,label,value", rows
        if not any(kind for kind, _ in arms):
            header, rows = "label,value", [row[1:] for row in rows]
        (folder / "arms.csv").write_text("\n".join([header, *rows]) + "\n")
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        settings = {"ARMS": f"{folder}/arms.csv", "COUNTS": f"{folder}/counts.db"} | settings
        words = shlex.split(next(line for line in PAGE.splitlines() if "--workers" in line))
        options = words[words.index(".venv/bin/python") + 1 :]
        self.log = (folder / "log").open("w")
        self.process = subprocess.Popen(
            [sys.executable, *options, "--port", str(self.port)],
            cwd=REPOSITORY,
            env=os.environ | settings,
            stdout=self.log,
            stderr=self.log,
        )

    def ask(self, path, **body):
        """An answer, from any worker; sent until one answers."""
        data = json.dumps(body).encode() if body else None
        deadline = time.time() + 60
        while time.time() < deadline:
            request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", data)
            request.add_header("Content-Type", "application/json")
            try:
                with urllib.request.urlopen(request, timeout=20) as answer:
                    return json.loads(answer.read())
            except urllib.error.HTTPError as error:
                return error.code, json.loads(error.read())["detail"]
            except OSError:
                time.sleep(0.05)
        raise AssertionError("no worker answers")

    def stop(self):
        self.process.terminate()
        self.process.wait(30)
        self.log.close()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arms", "settings"),
    [
        (LINKS, {"GOAL": '{"eta": 0.15}'}),
        (KINDS, {"GOAL": '{"eta": 0.6}', "KINDS": '{"code": 0.5, "chat": 0.5}'}),
    ],
    ids=["one kind", "kinds"],
)
def test_four_processes_that_are_killed_lose_no_event_and_count_none_twice(
    arms, settings, tmp_path
):
    pytest.importorskip("fastapi", reason="fastapi is not installed")
    service, luck = Example(tmp_path, arms, **settings), random.Random(3)
    kinds = list(dict.fromkeys(kind for kind, _ in arms))
    clicked, late, names = Counter(), [], set()
    try:
        for request in range(400):
            if request % 80 == 40:
                os.kill(service.ask("/status")["process"], signal.SIGKILL)
            kind = luck.choice(kinds)
            decision = service.ask(f"/choose?kind={kind}" if kind else "/choose")
            names.add(decision["worker"])
            if luck.random() < arms[kind, decision["arm"]][1]:
                clicked[kind, decision["arm"]] += 1
                late += [decision["id"]] * luck.randint(1, 4)
            luck.shuffle(late)
            while len(late) > 20:
                service.ask("/feedback", id=late.pop(), event=1.0)
        for id in late:
            service.ask("/feedback", id=id, event=1.0)
        assert service.ask("/feedback", id="nobody", event=1.0) == {"outcome": "unknown"}
        code, sentence = service.ask("/choose?kind=maths")
        assert code == 422 and sentence.startswith("there is no kind of request 'maths'; allowed:")
        counted = service.ask("/status")["arms"]
        events = {f"{kind}/{arm}".strip("/"): clicked[kind, arm] for kind, arm in arms}
        assert {arm: one["events"] for arm, one in counted.items()} == events
        assert sum(one["plays"] for one in counted.values()) == sum(clicked.values())
        assert sum(one["choices"] for one in counted.values()) >= 400
        assert 2 <= len(names) <= 4, "a restarted worker takes a free name"
    finally:
        service.stop()
