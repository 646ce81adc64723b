"""A user-defined policy: what it is given, what it may answer, and that it counts as any other."""

from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from lincon.data.arms import Arms
from lincon.data.arms import make as make_arms
from lincon.engine import python_policy
from lincon.engine.simulate import Run, Setting, simulate
from lincon.errors import UserError
from lincon.policies.own import check_unchanged, own_sources
from lincon.policies.registry import Policy, make_policy
from lincon.problem.goal import Constraint, Goal
from lincon.problem.solve import solve_problem

pytestmark = pytest.mark.slow

ALLOWED = f"allowed: {python_policy.ALLOWED}"
EXAMPLES = Path(__file__).parents[3] / "config" / "examples"
THREE = make_arms([0.3, 0.5, 0.9], [1.0, 0.7, 0.2])
rng = np.random.default_rng(4)
TWELVE = make_arms(rng.random(12), rng.random(12))


def play(policy: Policy, arms: Arms = THREE, eta=0.6, horizon=200, engine="python", run=0) -> Run:
    setting = Setting("data", eta, horizon, policy, run, 7, horizon, engine, "plays")
    return simulate(setting, arms, solve_problem(arms, eta))


@pytest.fixture
def own(tmp_path):
    """Policies of files made on the spot: own(body of choose, more) -> Policy."""

    def make(choose: str, more: str = "", **parameters) -> Policy:
        path = tmp_path / f"own_{len(list(tmp_path.iterdir()))}.py"
        text = (
            "class Mine:\n"
            "    def __init__(self, problem, rng, rate=0.5):\n"
            "        self.values, self.horizon = problem.values, problem.horizon\n"
            "        self.rng, self.rate, self.seen = rng, rate, []\n"
            f"    def choose(self, t):\n        {choose}\n"
            "    def update(self, t, arm, event):\n        self.seen.append((t, arm, event))\n"
        )
        path.write_text(text + more)
        return make_policy("mine", {"python": f"{path}:Mine", **parameters})

    return make


# --- what it answers is what is played


@pytest.mark.parametrize(
    ("answer", "shares"),
    [
        ("{0: 0.3, 2: 0.7}", [0.3, 0.0, 0.7]),
        ("{0: 0.2, 1: 0.5, 2: 0.3}", [0.2, 0.5, 0.3]),
        ("None", [1 / 3, 1 / 3, 1 / 3]),
    ],
)
def test_a_mixture_is_drawn_from_and_expected(own, answer, shares):
    run, expected = play(own(f"return {answer}"), horizon=4000), 4000 * np.array(shares)
    np.testing.assert_allclose(run.plays["expected_plays"], expected)
    drawn, possible = run.plays["plays"].to_numpy(), expected > 0
    assert (drawn > 0).tolist() == possible.tolist()
    assert stats.chisquare(drawn[possible], expected[possible]).pvalue > 1e-4
    final = {name: run.series[name].to_pylist()[-1] for name in run.series.column_names}
    assert final["expected_reward"] == pytest.approx(expected @ (THREE.mean * THREE.value))
    assert final["expected_events"] == pytest.approx(expected @ THREE.mean)


def test_a_class_may_take_the_problem(own, tmp_path):
    """The general goal, with two constraints in the user's own signs."""
    path, note = tmp_path / "task.py", tmp_path / "built.txt"
    path.write_text(
        "class Mine:\n"
        "    def __init__(self, problem, rng, rate=1):\n"
        "        said = [(c.name, c.sense, c.bound, *c.per_event, *c.per_play) for c in "
        "problem.constraints]\n"
        f"        open({str(note)!r}, 'w').write(repr((problem.horizon, rate, said)))\n"
        "    def choose(self, t): return {0: 0.5, 2: 0.5}\n"
        "    def update(self, t, arm, event): pass\n"
    )
    goal = Goal(
        (
            Constraint("rate", per_event=1.0, bound=0.5),
            Constraint("spending", per_play=2.0, sense="at_most", bound=3.0),
        ),
        cost=0.1,
    )
    policy = make_policy("mine", {"python": f"{path}:Mine", "rate": 3})
    run = play(policy, eta=goal)
    horizon, rate, said = eval(note.read_text().replace("np.float64", "float"))
    assert (horizon, rate) == (200, 3)
    assert said[1] == ("spending", "at_most", 3.0, 0.0, 0.0, 0.0, 2.0, 2.0, 2.0)
    last = run.series.slice(199).to_pylist()[0]
    assert last["amount_1"] == last["expected_amount_1"] == 400.0
    assert last["worst_shortfall_1"] == 0.0
    assert last["expected_reward"] == pytest.approx(100 * 0.3 + 100 * 0.18 - 20.0)


def test_what_it_is_built_with_and_told(own, tmp_path):
    note = tmp_path / "seen.txt"
    keep = "[*map(float, self.values)], self.horizon, self.rate, self.seen"
    run = play(own(f"open({str(note)!r}, 'w').write(repr(({keep}))); return t % 3", rate=0.25))
    *built, seen = eval(note.read_text())
    assert built == [[*THREE.value], 200, 0.25]
    assert [(t, arm) for t, arm, _ in seen] == [(t, t % 3) for t in range(1, 200)]
    events = run.series["events"].to_numpy()
    np.testing.assert_array_equal([event for *_, event in seen], np.diff(events, prepend=0)[:-1])


# --- what is refused


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        ("3", "it chose arm 3; allowed: a whole number from 0 to 2"),
        ("True", "it chose arm True; allowed: a whole number from 0 to 2"),
        ("{0.0: 0.5, 1: 0.5}", "it chose arm 0.0; allowed: a whole number from 0 to 2"),
        ("{0: float('nan'), 1: 1}", "it gave the share nan; allowed: a number in [0, 1]"),
        ("{0: '1'}", "it gave the share '1'; allowed: a number in [0, 1]"),
        ("(0, 1)", "it chose (0, 1); " + ALLOWED),
        ("{0: 0.5, 1: 0.25}", "it chose {0: 0.5, 1: 0.25}; allowed: shares that add to 1"),
    ],
)
def test_an_answer_that_is_not_a_choice(own, answer, sentence):
    with pytest.raises(UserError) as refusal:
        play(own(f"return 0 if t < 5 else {answer}"))
    assert str(refusal.value) == f"policies.mine, round 5: {sentence}"


def refused(spec: dict, tmp_path) -> str:
    (tmp_path / "mine.py").write_text("class Mine:\n    def __init__(self, *rest): pass\nx = 1\n")
    with pytest.raises(UserError) as refusal:
        play(make_policy("mine", spec))
    return str(refusal.value)


def test_mistakes_in_naming_the_class_are_one_sentence(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    where = "policies.mine.python: "
    assert refused({"python": "none.py:Mine"}, tmp_path) == (
        f"{where}there is no none.py in {tmp_path}; allowed: FILE.py:CLASS or MODULE:CLASS"
    )
    assert refused({"python": "mine.py:Other"}, tmp_path) == f"{where}mine.py has no class Other"
    assert refused({"python": "mine.py:x"}, tmp_path) == f"{where}mine.py has no class x"
    assert refused({"python": "no.such.module:Mine"}, tmp_path) == (
        f"{where}there is no no.such.module in {tmp_path}; allowed: FILE.py:CLASS or MODULE:CLASS"
    )
    assert refused({"python": "mine.py:Mine"}, tmp_path) == (
        f"{where}Mine has no method choose; it must have choose(t) and update(t, arm, event)"
    )
    assert refused({"python": "mine.py:Mine", "rate": 1}, tmp_path) == (
        f"{where}Mine cannot be built with (problem, rng, rate): "
        "got an unexpected keyword argument 'rate'"
    )


def test_engines_play_their_own_policies_alone(own):
    with pytest.raises(UserError, match=r"policies.mine: engine dense does not play it"):
        play(own("return 0"), engine="dense")


# --- the hash


def test_code_that_was_edited_since_is_not_played(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    methods = "def choose(self, t): ...\n    def update(self, t, arm, event): ...\n    x = "
    text = f"class Mine:\n    {methods}"
    Path("one.py").write_text(text + "1\n")
    entry = {"python": "one.py:Mine"}
    (planned,) = own_sources([("mine", entry), ("other", {"estimator": "truth"})]).values()
    check_unchanged(make_policy("mine", entry), planned)
    Path("one.py").write_text(text + "2\n")
    with pytest.raises(UserError, match=r"policies.mine.python: one.py was changed since"):
        check_unchanged(make_policy("mine", entry), planned)


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("class Other: pass", "mine.py has no class Mine; it has: Other"),
        ("class Mine(:", "mine.py is not Python"),
        ("class Mine:\n  def update(self): pass", "mine.py: Mine has no method choose; it must"),
        ("class Base:\n  def choose(self): pass\nclass Mine(Base): pass", "mine.py: Mine has no"),
        ("raise SystemExit\nMine = None", ""),
        ("from elsewhere import *", ""),
        ("import other\nclass Mine(other.Base): pass", ""),
    ],
)
def test_a_missing_class_is_found_without_running_the_file(source, sentence, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(source)
    entries = [("mine", {"python": "mine.py:Mine"})]
    if not sentence:
        assert list(own_sources(entries)) == ["mine.py"]
        return
    with pytest.raises(UserError) as error:
        own_sources(entries)
    assert f"policies.mine.python: {sentence}" in str(error.value) and "\n" not in str(error.value)


def test_an_edit_is_seen_at_once(tmp_path):
    """A cache that goes by time and size would play the old text."""
    path = tmp_path / "mine.py"
    text = (EXAMPLES / "epsilon_first.py").read_text()
    policy = make_policy("mine", {"python": f"{path}:EpsilonFirst"})
    path.write_text(text)
    before = play(policy)
    path.write_text(text.replace("-np.inf", "+np.inf"))
    assert not play(policy).plays.equals(before.plays)


# --- the examples


def test_epsilon_first_explores_and_commits():
    spec = {"python": f"{EXAMPLES / 'epsilon_first.py'}:EpsilonFirst", "epsilon": 0.3}
    run = play(make_policy("first", spec), THREE, eta=0.45, horizon=1000)
    np.testing.assert_array_equal(run.chosen[:300], np.arange(300) % 3)
    assert (run.chosen[300:] == 1).all(), "the arm of the largest reward that keeps the floor"


@pytest.mark.parametrize("eta", [0.5, 0.8])
def test_the_example_of_lincon_ts_is_the_dense_engines_round_by_round(eta):
    """Given the same stream of random numbers, it is the same policy."""
    built_in = make_policy("ts", {"estimator": "beta_sample"})
    own_class = make_policy("ts", {"python": f"{EXAMPLES / 'lincon_ts.py'}:LinConTS"})
    dense, own = play(built_in, TWELVE, eta, 400, "dense"), play(own_class, TWELVE, eta, 400)
    np.testing.assert_array_equal(own.chosen, dense.chosen)
    for name in ("infeasible", "events", "worst_shortfall_0"):
        assert own.series[name].equals(dense.series[name])
    for name in ("expected_reward", "expected_events"):
        np.testing.assert_allclose(own.series[name], dense.series[name], rtol=1e-9)
