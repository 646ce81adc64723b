"""A mistake in a config is one sentence that names the key and says what is allowed."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from lincon.errors import UserError
from lincon.policies.standard import STANDARD
from lincon.study.config import default_study, read_config, validate
from lincon.study.plan import plan
from tests.real_data import CONFIG
from tests.workflow.bench import SMALL, changed

BASE = changed(CONFIG, SMALL | {"only": ["own"]})

# What a file says on top of the small config, and what the sentence says of it, with .* between its
# parts; nothing where it is planned.
MISTAKES = """
horizonn: 1 | horizonn is not a known key; allowed here: compare
experiments: {own: {horizonn: 100}} | own.horizonn .*(did you mean horizon?)
policies: {p: {estimator: kl_ucb, selector: queue}} | write `python: config/examples/virtual_queue
datasets: {x: {kind: usr}} | datasets.x.kind is 'usr' (did you mean user?); allowed: cost_
datasets: {x: {kind: user, label: X}} | datasets.x.path is missing; it must be given: your CSV
runs: many | runs is 'many'; allowed: independent runs of every setting (a valid integer)
runs: 0 | runs is 0; allowed: .*(greater than or equal to 1)
runs: true | runs is True; .*a valid integer
seed: 10000000000000000000000000000000000000000 | seed is 1000.*less than or equal to 900719
experiments: {own: {eta: [0.5, 1.5]}} | experiments.own.eta.1 is 1.5; .*in [0, 1]
experiments: {own: {eta: [0.5, 0.5]}} | eta is [0.5, 0.5]; no item may be listed twice
experiments: {own: {eta: {low: 0.5, high: 1.5, count: 3}}} | own.eta is 1.5; .*in [0, 1]
experiments: {own: {eta: 1e-13}} | own.eta is 0.0000000000001; .*nothing between 0 and 1e-12
experiments: {own: {eta: -0.0}} |
experiments: {own: {horizon: {low: 100, high: 201, count: 3}}} | own.horizon is 150.5; .*integer
experiments: {own: {snr: [10, 20]}} | own, .*of kind user: 'snr' is not known
{only: [radio], experiments: {radio: {snr: 1000}}} | experiments.radio.snr is 1000; .*equal to 100
{only: [radio], experiments: {radio: {means: posterior}}} | has no successes and trials
experiments: {own: {eta: [0.5, 0.6], horizon: [300, 400], policies: [lincon_kl_ucb], \
parameters: {lincon_kl_ucb: {c: [0, 1]}}}} | own sweeps eta, horizon, lincon_kl_ucb.c; at most two
datasets: {radio: {rates: {low: 6, high: 1, count: 6}}} | datasets.radio.rates goes from 6 to 1; low
datasets: {radio: {label: My arms}} | datasets.own has the label 'My arms', as has datasets.radio
datasets: {edx: {files: {a.csv: {sha256: '12'}}}} | files.a.csv.sha256 is '12'; .*checksum
datasets: {edx: {files: {../a.csv: {}}}} | ../a.csv' is not a good name
datasets: {edx2: {label: X, kind: edx_courses, files: {edX-Course.csv: {}}}} | one file
policies: {lincon_ts: {colour: red}} | policies.lincon_ts.colour is 'red'; .*#RRGGBB
datasets: {own: {path: -rf}} | datasets.own.path is '-rf'; .*your CSV or Parquet file (match
policies: {mine: {python: 'my.py:Mine', since: 2020-01-01}} | policies.mine.since is datetime
policies: {lincon_ts: {label: "a\\e[31m"}} | label is 'a\\x1b[31m'; .*shown in figures
experiments: {a b: {dataset: own, eta: 0.5, horizon: 300, policies: [lincon_ts]}} | \
 experiments.a b: 'a b' is not a good name; allowed: a letter, then letters
{policies: {mine: {python: 'config/examples/lincon_ts.py:LinConTS'}}, experiments: {own: {\
policies: [mine], parameters: {mine: {../../../x: [1, 2]}}}}} | '../../../x' names no parameter
style: {rc: {axes.prop_cycle: [red]}} | style.rc.axes.prop_cycle cannot be set.*its entry
policies: {lincon_ts: {c: 1}} | own: policies.lincon_ts.c: it has no such parameter
policies: {LinCon_TS: {label: x, estimator: truth}} | has the name 'lincon_ts'
experiments: {own: {parameters: {lincon_ts: {c: [0, 1]}}}} | own: .*c: it has no such parameter
{policies: {mine: {python: 'my.py:Mine'}}, experiments: {own: {policies: [mine]}}} | no my.py in
experiments: {own: {dataset: onw}} | own.dataset: 'onw' is not known (did you mean own?)
only: [owm] | only: 'owm' is not known (did you mean own?); there are
compare: [lincon_ts] | compare is ['lincon_ts']; .*the two policies
style: {width: 1 mm} | style.width is '1 mm'.*2 to 20 inches
style: {rc: {font.sise: 8}} | style is refused by Matplotlib: .*font.sise
style: {rc: {font.size: 9, grid.alpha: 0.5}} |
style: {rc: {text.usetex: true}} | style.rc.text.usetex cannot be set.*style.width
"""
RATE = {"name": "rate", "per_event": 1, "at_least": 0.4}
GOALS: list[tuple[dict[str, Any], str]] = [
    ({}, "experiments.its needs either eta or constraints"),
    ({"eta": 0.5, "constraints": [RATE]}, "experiments.its needs either eta or constraints"),
    ({"constraints": [RATE] * 9}, "at most eight"),
    ({"constraints": [RATE, RATE]}, "constraints.1.name is 'rate', which another"),
    ({"constraints": [RATE | {"name": "horizon"}]}, "'horizon', which another"),
    ({"constraints": [RATE | {"at_most": 1}]}, "constraints.0 needs either at_least"),
    ({"constraints": [{"name": "x", "at_least": 1}]}, "has the same amount for every arm"),
    ({"constraints": [RATE], "tolerance": 1}, "tolerance belongs to eta"),
    ({"constraints": [RATE | {"at_least": 1.5}]}, "constraints.rate.at_least is 1.5; allowed"),
    ({"constraints": [RATE | {"name": n * 60} for n in "abc"]}, "too long for the name of a file"),
    ({"eta": 0.5, "objective": {"value": 0, "cost": 1}}, "objective is the same for every"),
]
FILES = {
    "no UTF-8": (b"\xff\xfe\x00abc: 1\n", "not text in UTF-8"),
    "no YAML": (b"runs: [1\n", "line 2 cannot be read: expected"),
    "a byte order mark": (b"\xef\xbb\xbfruns: 3\n", ""),
    "a list": (b"- 1\n", "keys with their values"),
    "too deep": (b"runs: " + b"[" * 5000 + b"]" * 5000, "recursion"),
    "a list in itself": (
        b"runs: &a [*a]\n",
        "line 1 cannot be read: found unconstructable recursive",
    ),
    "a key below twice": (b"a:\n  x: {c: 1}\n  x: {c: 2}\n", "line 3 cannot be read: x is given"),
    "a long value": (b"study: " + b"x" * 10_000, "... ("),
    "a long list": (yaml.safe_dump({"runs": ["y"] * 5_000}).encode(), "... ("),
}


def refusal(text: bytes, file: Path) -> str:
    """Nothing if it is planned, otherwise the sentence that refuses it."""
    file.write_bytes(text)
    try:
        assert len(plan(validate({"study": "odd"} | changed(BASE, read_config(file)))).table)
    except UserError as error:
        assert str(error) and "\n" not in str(error) and len(str(error)) < 1000
        return str(error)
    return ""


@pytest.mark.parametrize("row", MISTAKES.strip().splitlines())
def test_a_mistake_is_one_sentence(row, tmp_path):
    text, _, expected = row.rpartition(" |")
    sentence = refusal(f"{text}\n".encode(), tmp_path / "odd.yaml")
    assert bool(sentence) == bool(expected.strip()), sentence
    for piece in expected.strip().split(".*"):
        assert piece in sentence, sentence


@pytest.mark.parametrize(("goal", "expected"), GOALS)
def test_a_mistake_in_a_goal_is_one_sentence(goal, expected, tmp_path):
    entry = {"dataset": "own", "horizon": 300, "policies": ["lincon_ts"]} | goal
    text = yaml.safe_dump({"only": ["its"], "experiments": {"its": entry}})
    assert expected in refusal(text.encode(), tmp_path / "odd.yaml")


@pytest.mark.parametrize("name", FILES)
def test_files_as_editors_and_enemies_write_them(name, tmp_path):
    text, expected = FILES[name]
    sentence = refusal(text, tmp_path / "odd.yaml")
    assert expected in sentence and bool(sentence) == bool(expected), sentence


def test_a_short_config_gets_the_defaults_and_the_standard_policies():
    needed = {key: CONFIG[key] for key in ("datasets", "experiments")}
    config = validate(needed | {"policies": {"lincon_kl_ucb": {"c": 3}}, "runs": "1e1"})
    assert (config["runs"], config["points"], config["data"]) == (10, 200, "auto")
    assert config["policies"]["lincon_kl_ucb"] == STANDARD["lincon_kl_ucb"] | {"c": 3}
    assert config["policies"].keys() == STANDARD.keys()
    assert config["experiments"] == CONFIG["experiments"] and "style" not in config


def test_a_study_is_named_by_its_file():
    assert default_study(["config/more.yaml", "config/config.yaml"]) == "more"
    assert default_study([]) == default_study(["config/config.yaml"]) == "paper"
