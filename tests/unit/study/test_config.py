"""A mistake in a config is one sentence that names the key and says what is allowed."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from lincon.errors import UserError
from lincon.policies.standard import with_standard
from lincon.study.config import default_study, read_config, validate
from lincon.study.plan import plan
from tests.real_data import CONFIG
from tests.workflow.bench import SMALL, changed

BASE = changed(CONFIG, SMALL | {"only": ["own"]})

# What a file says on top of the small config, and what the sentence says of it, with .* between its
# parts; nothing where it is planned.
MISTAKES = """
horizonn: 1 | horizonn is not a known key; allowed here: compare
1: 2 | 1 is not a known key
experiments: {own: {horizonn: 100}} | own.horizonn .*(did you mean horizon?).* dataset, delay.lost
policies: {p: {estimator: kl_ucb, selector: lp_greedy}} | write `selector: lp, fallback: greedy`
policies: {p: {estimator: kl_ucb, selector: lp, target: paced}} | write `fallback: greedy`
datasets: {x: {kind: usr}} | datasets.x.kind is 'usr' (did you mean user?); allowed: cost_
datasets: {x: {kind: user, label: X}} | datasets.x.path is missing; it must be given: your CSV
datasets: {x: {label: X}} | datasets.x.kind is missing
datasets: {x: 5} | datasets.x is 5; allowed: a mapping
runs: many | runs is 'many'; allowed: independent runs of every setting (a valid integer)
runs: 0 | runs is 0; allowed: .*(greater than or equal to 1)
runs: true | runs is True; .*a valid integer
runs_per_job: 0 | runs_per_job is 0; .*, or auto
data: fake | data is 'fake'; allowed: auto, real, standin
experiments: {own: {eta: [0.5, 1.5]}} | experiments.own.eta.1 is 1.5; .*in [0, 1]
experiments: {own: {eta: [0.5, 0.5]}} | eta is [0.5, 0.5]; no item may be listed twice
experiments: {own: {eta: {low: 0.1, count: 3}}} | experiments.own.eta.high is missing
experiments: {own: {eta: {low: 0.5, high: 1.5, count: 3}}} | own.eta is 1.5; .*in [0, 1]
experiments: {own: {eta: {low: 0.5, high: 0.5, count: 3}}} | no item may be listed twice
experiments: {own: {eta: 1e-13}} | own.eta is 0.0000000000001; .*nothing between 0 and 1e-12
experiments: {own: {eta: -0.0}} |
experiments: {own: {horizon: {low: 100, high: 201, count: 3}}} | own.horizon is 150.5; .*integer
experiments: {own: {snr: [10, 20]}} | own, .*of kind user: 'snr' is not known
{only: [radio], experiments: {radio: {snr: 1000}}} | experiments.radio.snr is 1000; .*equal to 100
{only: [edx], experiments: {edx: {horizon: [289, 500]}}} | horizon is 289, .*290 arms
experiments: {own: {eta: [0.5, 0.6], horizon: [300, 400], policies: [lincon_kl_ucb], \
parameters: {lincon_kl_ucb: {c: [0, 1]}}}} | own sweeps eta, horizon, lincon_kl_ucb.c; at most two
datasets: {radio: {rates: {low: 6, high: 1, count: 6}}} | datasets.radio.rates goes from 6 to 1; low
datasets: {radio: {label: My arms}} | datasets.own has the label 'My arms', as has datasets.radio
datasets: {edx: {files: {a.csv: {sha256: '12'}}}} | files.a.csv.sha256 is '12'; .*checksum
datasets: {edx: {files: {../a.csv: {}}}} | ../a.csv' is not a good name
datasets: {edx2: {label: X, kind: edx_courses, files: {edX-Course.csv: {}}}} | one file
datasets: {own: {path: -rf}} | datasets.own.path is '-rf'; .*your CSV or Parquet file (match
policies: {lincon_ts: {colour: red}} | policies.lincon_ts.colour is 'red'; .*#RRGGBB
policies: {lincon_ts: {selector: uniform, target: fixed}} | own: policies.lincon_ts.target
policies: {mine: {python: 'my.py:Mine', since: 2020-01-01}} | policies.mine.since is datetime
policies: {lincon_ts: {label: "a\\e[31m"}} | label is 'a\\x1b[31m'; .*shown in figures
policies: {LinCon_TS: {label: x, estimator: truth, selector: lp}} | has the name 'lincon_ts'
experiments: {own: {parameters: {lincon_ts: {c: [0, 1]}}}} | own: .*c: it has no such parameter
{policies: {mine: {python: 'config/examples/lincon_ts.py:LinConTS'}}, \
experiments: {own: {policies: [mine], \
parameters: {mine: {../../../x: [1, 2]}}}}} | '../../../x' names no parameter
experiments: {a b: {dataset: own, eta: 0.5, horizon: 300, policies: [lincon_ts]}} | \
 experiments.a b: 'a b' is not a good name; allowed: a letter, then letters
experiments: {own: {dataset: onw}} | own.dataset: 'onw' is not known (did you mean own?)
only: [owm] | only: 'owm' is not known (did you mean own?); there are
compare: [lincon_ts] | compare is ['lincon_ts']; .*the two policies
style: {width: 1 mm} | style.width is '1 mm'.*2 to 20 inches
style: {scales: {rounds: log}} | style.scales.rounds.*did you mean round?
style: {rc: {font.sise: 8}} | style is refused by Matplotlib: .*font.sise
style: {rc: {axes.linewidth: thick}} | axes.linewidth: Could not convert 'thick'
style: {rc: {axes.prop_cycle: ['#123456', reddish]}} | axes.prop_cycle.*reddish
style: {rc: {axes.prop_cycle: []}} | axes.prop_cycle
style: {rc: {font.size: 9, grid.alpha: 0.5}} |
style: {rc: {font.size: -5}} | style has font.size -5; allowed: 1 to 100
style: {rc: {text.usetex: true}} | style.rc.text.usetex cannot be set.*style.width
style: {file: nowhere.mplstyle} | style.file is 'nowhere.mplstyle'.*not there
"""
FILES = {
    "no UTF-8": (b"\xff\xfe\x00abc: 1\n", "not text in UTF-8"),
    "no YAML": (b"runs: [1\n", "line 2 cannot be read: expected"),
    "a byte order mark": (b"\xef\xbb\xbfruns: 3\n", ""),
    "a list": (b"- 1\n", "keys with their values"),
    "too deep": (b"runs: " + b"[" * 5000 + b"]" * 5000, "recursion"),
    "a list in itself": (b"runs: &a [*a]\n", "runs is [[...]]"),
    "a key below twice": (b"a:\n  x: {c: 1}\n  x: {c: 2}\n", "line 3 cannot be read: x is given"),
}


def said(text: bytes, file: Path) -> str:
    """Nothing if it is planned, otherwise the sentence that refuses it."""
    file.write_bytes(text)
    try:
        config = validate({"study": "odd"} | changed(BASE, read_config(file)))
        planned = plan(config)
    except UserError as error:
        assert str(error) and "\n" not in str(error) and len(str(error)) < 1000
        return str(error)
    assert all(len(name) <= 200 for name in [*planned.datasets, *planned.table["policy"]])
    return ""


@pytest.mark.parametrize("row", MISTAKES.strip().splitlines())
def test_a_mistake_is_one_sentence(row, tmp_path):
    text, _, expected = row.rpartition(" |")
    sentence = said(f"{text}\n".encode(), tmp_path / "odd.yaml")
    assert bool(sentence) == bool(expected.strip()), sentence
    for piece in expected.strip().split(".*"):
        assert piece in sentence, sentence


@pytest.mark.parametrize("name", FILES)
def test_files_as_editors_and_enemies_write_them(name, tmp_path):
    text, expected = FILES[name]
    sentence = said(text, tmp_path / "odd.yaml")
    assert expected in sentence and bool(sentence) == bool(expected), sentence


def test_a_long_value_does_not_bury_the_sentence(tmp_path):
    for given in ({"study": "x" * 10_000}, {"x" * 10_000: 1}, {"runs": ["y"] * 5_000}):
        sentence = said(yaml.safe_dump(given).encode(), tmp_path / "odd.yaml")
        assert "... (" in sentence and "allowed" in sentence


def test_a_name_that_no_folder_can_have_is_refused(tmp_path):
    long = "p" * 60
    swept = dict.fromkeys(("explore", "margin", "buffer", "reserve"), 1.2345678901234567e-12)
    parts = {"selector": "lp", "target": "controlled", "steering": "ledger"}
    config = {
        "policies": {long: {"estimator": "ucb1"} | parts},
        "experiments": {"own": {"policies": [long], "parameters": {long: swept}}},
    }
    text = yaml.safe_dump(config).encode()
    assert "is too long for the name of a file" in said(text, tmp_path / "odd.yaml")


def test_defaults_are_filled_in_and_nothing_else():
    needed: dict[str, Any] = {key: CONFIG[key] for key in ("datasets", "policies", "experiments")}
    made = validate(needed)
    assert made["runs"] == 16 and made["data"] == "auto"
    assert made["policies"] == with_standard(needed["policies"])
    for key in ("datasets", "experiments"):
        assert made[key] == needed[key]
    assert not {"study", "style", "only", "compare", "atlas"} & set(made)


def test_numbers_are_taken_as_people_write_them():
    entry = {"eta": "5e-1", "horizon": 300.0}
    made = validate(changed(BASE, {"runs": "1e1", "experiments": {"own": entry}}))
    own = made["experiments"]["own"]
    assert repr((made["runs"], own["eta"], own["horizon"])) == "(10, 0.5, 300)"


def test_a_study_is_named_by_its_file():
    assert default_study(["config/more.yaml", "config/config.yaml"]) == "more"
    assert default_study([]) == default_study(["config/config.yaml"]) == "paper"
