"""`lincon replay`: estimates from logs against the truth behind them, and what people see."""

import numpy as np
import pytest

from lincon.cli.main import main
from lincon.online import Goal, LinConKLUCB, LinConTS
from lincon.policies.online import replay
from lincon.policies.online.replay import Estimate, Log
from lincon.policies.online.rounds import mean_share

pytestmark = pytest.mark.slow

VALUES = {"a": 1.0, "b": 0.3, "c": 0.6}
MEANS = {"a": 0.2, "b": 0.7, "c": 0.4}
GOAL = Goal.floor(0.4)


def made_log(path, rounds: int, seed: int, **how) -> None:
    policy = LinConTS(VALUES, seed, eta=0.4, log=path)
    luck = np.random.default_rng(seed + 1000)
    for _ in range(rounds):
        made = policy.decide(**how)
        policy.update(made.id, luck.random() < MEANS[made.arm])


def uniform_log(rounds: int, seed: int) -> Log:
    luck, names = np.random.default_rng(seed), list(VALUES)
    arms = [names[at] for at in luck.integers(3, size=rounds)]
    plays = [play(arm, bool(luck.random() < MEANS[arm]), 1 / 3) for arm in arms]
    return Log([{"arms": list(VALUES.items())}, *plays], GOAL)


def play(arm: str, event: bool, propensity: float, available: int = 3) -> dict:
    return {"arm": arm, "event": event, "propensity": propensity, "available": available}


class Watched(LinConKLUCB):
    """Notes what it would truly have given, on average, in each round that it was asked about."""

    truth: list[tuple[float, float]]

    def probability(self, arm, *, among=None, resamples=100):
        choice = self._choice(np.arange(3))
        shares = np.array([mean_share([choice], at, np.arange(3)) for at in range(3)])
        means = np.array([MEANS[name] for name in self.arms.names])
        self.truth.append((shares @ (means * self.arms.terms[0]), shares @ means))
        return shares[self.arms.position(arm)]


def test_inverse_propensities_find_the_truth(tmp_path):
    """On logs of an adaptive policy that samples: no bias, and intervals that hold."""
    errors = []
    for seed in range(40):
        path = tmp_path / f"{seed}.jsonl"
        made_log(path, 400, seed, resamples=3, uniform=0.2)
        policy = Watched({}, 1, goal=GOAL)
        policy.truth = []
        found = replay.by_propensity(replay.read_log(path, None, False), policy, 1)
        assert found.coverage == pytest.approx(1.0, abs=0.35)
        errors.append((found.mean - np.mean(policy.truth, axis=0)) / (found.half / replay.HALF))
    scores = np.array(errors)
    assert (np.abs(scores.mean(axis=0)) < 4 / np.sqrt(40)).all(), scores.mean(axis=0)
    assert (np.mean(np.abs(scores) < replay.HALF, axis=0) > 0.8).all()


def test_replay_is_what_the_policy_does_on_its_own():
    """The rate over 300 accepted rounds, against the policy itself on the same arms."""
    replayed, alone = [], []
    for seed in range(30):
        rng = np.random.default_rng(seed)
        found = replay.by_replay(uniform_log(900, seed), LinConTS({}, seed, goal=GOAL), rng)
        assert found.rounds == pytest.approx(300, abs=60) and not found.doubt
        replayed.append(found.mean)
        policy, luck, outcomes = LinConTS(VALUES, seed, eta=0.4), np.random.default_rng(seed), []
        for _ in range(int(found.rounds)):
            arm = policy.choose()
            event = luck.random() < MEANS[arm]
            policy.update(arm, event)
            outcomes.append((VALUES[arm] * event, event))
        alone.append(np.mean(outcomes, axis=0))
    gap = np.array(replayed) - np.array(alone)
    assert (np.abs(gap.mean(axis=0)) < 4 * gap.std(axis=0) / np.sqrt(30)).all()


def test_replay_thins_a_log_that_was_not_drawn_uniformly():
    """Arm a is logged nine times as often as it should be; in replay it counts as it should."""
    luck = np.random.default_rng(2)
    plays = []
    for _ in range(20_000):
        arm = "a" if luck.random() < 0.9 else "b"
        plays.append(play(arm, bool(luck.random() < MEANS[arm]), 0.9 if arm == "a" else 0.1, 2))
    log = Log([{"arms": [["a", 1.0], ["b", 0.1]]}, *plays])
    policy = LinConTS({}, 1, goal=Goal.floor(0.45))
    found = replay.by_replay(log, policy, np.random.default_rng(3))
    assert found.rounds == pytest.approx(2000, abs=150), "half of 20,000 * .1 * 2"
    assert found.mean[1] == pytest.approx(0.45, abs=0.04), "the optimum has both arms in half"


def test_the_effective_sample_size_and_the_interval_by_hand():
    outcomes, none = [[1.0], [0.0], [1.0], [1.0]], Goal(())
    found = Estimate.of(none, outcomes, [2.0, 1.0, 0.0, 1.0], 1.0)
    assert found.mean[0] == pytest.approx(3 / 4)
    assert found.rounds == pytest.approx(16 / 6)
    spread = np.sqrt(4 * 0.25**2 + 0.75**2 + 0.25**2) / 4
    assert found.half[0] == pytest.approx(1.96 * spread)
    assert found.doubt == "it has 3 effective rounds, of 100 needed"
    assert Estimate.of(none, outcomes, [0.0] * 4, 0.0).rounds == 0
    assert Estimate.of(none, outcomes * 50, [1.0] * 200, 0.5).doubt.startswith("some arms had no")


def test_arms_that_come_change_and_go_are_followed(tmp_path):
    path = tmp_path / "decisions.jsonl"
    policy = LinConTS({"a": 1.0}, 1, eta=0.1, log=path)
    policy.update(policy.decide().id, True)
    policy.change_arm("a", 3.0)
    policy.add_arm("b", 2.0)
    policy.update(policy.decide(uniform=0.5).id, True)
    policy.remove_arm("a")
    policy.decide(resamples=1)
    log = replay.read_log(path, None, False)
    assert [one["event"] for one in log.plays] == [1, 1, None]
    assert [one["available"] for one in log.plays] == [1, 2, 1]
    earned = replay.logged(log, LinConTS({}, goal=log.goal)).mean[0] * 3
    assert earned == pytest.approx(1.0 + {"a": 3.0, "b": 2.0}[log.plays[1]["arm"]])


# --- what people see


def answer(capsys, *arguments: object) -> str:
    assert main(["replay", *map(str, arguments)]) == 0
    return capsys.readouterr().out


def test_a_log_of_a_policy_is_all_that_it_needs(tmp_path, capsys):
    path = tmp_path / "decisions.jsonl"
    made_log(path, 1500, 1, resamples=7, uniform=0.3)
    with open(path, "a") as file:
        file.write('{"id": "cut sh\n[1, 2]\n')
    said = answer(capsys, path, "--policy", "LinConTS", "--policy", "Ledger", "--resamples", 2)
    assert "1,500 decisions; 2 lines could not be read and are left out." in said
    rows = {line.split()[0]: line for line in said.splitlines() if "(" in line}
    assert rows["Ledger"].rstrip().split()[-2] in ("kept", "open", "missed")
    assert "floor (at least 0.4)" in said
    assert len(max(said.splitlines()[1:], key=len)) <= 100


def test_where_the_log_cannot_tell_a_sentence_says_so(tmp_path, capsys):
    path = tmp_path / "decisions.jsonl"
    made_log(path, 300, 1, resamples=1)
    said = answer(capsys, path, "--policy", "LinConTS", "--resamples", 1)
    assert "the log cannot tell" in said
    assert "A log tells more if part of it is drawn uniformly: decide(uniform=0.05)." in said


def test_a_csv_with_an_arms_file(tmp_path, capsys):
    log = uniform_log(1200, 4)
    rows = [f"{one['arm']},{one['event']:d},{one['propensity']}" for one in log.plays]
    (tmp_path / "log.csv").write_text("\n".join(["arm,event,propensity", *rows, f"a,,{1 / 3}"]))
    (tmp_path / "arms.csv").write_text("label,value\na,1\nb,.3\nc,.6\n")
    given = ["--arms", tmp_path / "arms.csv", "--floor", 0.4, "--policy", "LinConTS"]
    said = answer(capsys, tmp_path / "log.csv", *given)
    assert "1,201 decisions; 1 of them have no event, which counts as none." in said
    rows = [row.rpartition(",")[0] for row in rows]
    (tmp_path / "log.csv").write_text("\n".join(["arm,event", *rows, "a,"]))
    assert answer(capsys, tmp_path / "log.csv", "--uniform", *given) == said
    for floor, verdict in ((0.3, "kept"), (0.44, "open"), (0.6, "missed")):
        given[3] = floor
        said = answer(capsys, tmp_path / "log.csv", "--uniform", *given)
        assert said.splitlines()[3].split()[-2] == verdict


@pytest.mark.parametrize(
    ("content", "name", "options", "sentence"),
    [
        ("", "x.jsonl", "", "cannot be read: it has no decisions; needed: JSON lines"),
        ("arm,hit\na,1\n", "x.csv", "", "cannot be read: 'event'; needed: JSON lines"),
        ("arm,event\na,yes\n", "x.csv", "", "cannot be read: could not convert string"),
        ("arm,event\na,1\n", "x.csv", "", "does not say what arm 'a' pays; give --arms"),
        ("arm,event\na,1\n", "x.csv", "--arms arms.csv", "without a propensity"),
        ("arm,event\na,1\n", "x.csv", "--arms arms.csv --uniform", "which rate is to be kept"),
    ],
)
def test_a_mistake_is_one_sentence(tmp_path, monkeypatch, capsys, content, name, options, sentence):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "arms.csv").write_text("label,value\na,1\n")
    (tmp_path / name).write_text(content)
    with pytest.raises(SystemExit):
        main(["replay", name, *options.split()])
    said = capsys.readouterr().err
    assert sentence in said and len(said.strip().splitlines()) == 1
