"""A mistake in a config is one sentence that names the key and says what is allowed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from lincon.errors import UserError
from lincon.study.atlas import atlases
from lincon.study.config import default_study, load, validate
from lincon.study.plan import plan
from lincon.study.yaml_text import read_config
from tests.workflow.bench import REPOSITORY, SMALL, changed

SHIPPED = yaml.safe_load((REPOSITORY / "config/config.yaml").read_text(encoding="utf-8"))
BASE = changed(SHIPPED, SMALL | {"only": ["own"]})
FINITE = "is not a finite number"
SUPPORTED = "numbers from 1e-12 to 1e+12, and 0, are supported"

# What a file says on top of the small config -> parts of the sentence; none where it is planned.
MISTAKES: dict[str, tuple[str, ...]] = {
    # keys
    "horizonn: 1": ("horizonn is not a known key", "allowed here: "),
    "run: 1": ("run is not a known key (did you mean runs?)",),
    "experiments: {own: {horizonn: 100}}": (
        "experiments.own.horizonn",
        "(did you mean horizon?)",
        "dataset, delay.lost",
    ),
    'policies: {lincon_ts: {color: "#123456"}}': ("lincon_ts.color", "did you mean colour?"),
    "datasets: {own: {snr: 15}}": (
        "datasets.own.snr is not a key of kind user; allowed here: arms, ",
    ),
    "datasets: {x: {kind: usr}}": (
        "datasets.x.kind is 'usr' (did you mean user?); allowed: cost_",
    ),
    "datasets: {x: {kind: user, label: X}}": ("datasets.x.path is missing; it must be given",),
    "datasets: {x: {label: X}}": ("datasets.x.kind is missing",),
    "experiments: {x: {dataset: own}}": ("experiments.x.", "is missing; it must be given"),
    # numbers
    "runs: many": ("runs is 'many'; allowed: independent runs", "(a whole number, at least 1"),
    "runs: 1.5": ("runs is 1.5",),
    "runs: 0": ("runs is 0", "at least 1"),
    "runs: true": ("runs is True", "a whole number"),
    "runs: {}": ("runs is {}",),
    "runs: '1,5'": ("runs is '1,5'",),
    "runs: 010": ("line 1: 010 is not a decimal number to YAML",),
    "runs: 1:30": ("1:30 is not a decimal number to YAML",),
    f"runs: 1{'0' * 5000}": ("a number of 5,001 digits is given; at most 400 are read",),
    "runs: 99999999999999999999999": ("at most 1,000,000",),
    "runs: 1e400": ("runs is inf",),
    "runs: 2020-01-01": ("runs is datetime.date(2020, 1, 1); allowed: texts, numbers, lists",),
    "runs: 4.0": (),
    "seed: 1e3": (),
    "points: 1": ("points is 1", "at least 2"),
    "gamma: 0": ("gamma is 0", "above 0"),
    "gamma: nan": (FINITE,),
    "gamma: .nan": (FINITE,),
    "seed: -1": ("seed is -1", "at least 0"),
    "runs_per_job: 0": ("runs_per_job is 0", "or auto"),
    "runs_per_job: all": ("runs_per_job is 'all'", "or auto"),
    "data: fake": ("data is 'fake'; allowed: auto, real, standin",),
    "engine: fast": ("engine is 'fast'; allowed: lazy, dense",),
    # sweeps
    "experiments: {own: {eta: 1.01}}": ("experiments.own.eta is 1.01", "in [0, 1]"),
    "experiments: {own: {eta: -0.1}}": ("experiments.own.eta is -0.1", "in [0, 1]"),
    "experiments: {own: {eta: [0.5, 1.5]}}": ("experiments.own.eta.1 is 1.5", "in [0, 1]"),
    "experiments: {own: {eta: [0.5]}}": ("experiments.own.eta is [0.5]", "a list"),
    "experiments: {own: {eta: [0.5, 0.5]}}": ("eta is [0.5, 0.5]; no item may be listed twice",),
    "experiments: {own: {eta: {low: 0.1, count: 3}}}": ("experiments.own.eta.high is missing",),
    "experiments: {own: {eta: {low: 0.5, high: 1.5, count: 3}}}": (
        "experiments.own.eta goes to 1.5",
        "in [0, 1]",
    ),
    "experiments: {own: {eta: {low: 0.5, high: 0.5, count: 3}}}": (
        "experiments.own.eta has a val",
    ),
    "experiments: {own: {eta: 1e-13}}": (
        "own.eta goes to",
        "allowed: 0, or from 1e-12 to 1e+12",
    ),
    "experiments: {own: {eta: 1e-12}}": (),
    "experiments: {own: {eta: -0.0}}": (),
    "experiments: {own: {eta: {low: 0, high: 1e-300, count: 3}}}": (
        "own.eta goes to",
        "allowed: 0, or from 1e-12 to 1e+12",
    ),
    "experiments: {own: {horizon: {low: 100, high: 201, count: 3}}}": (
        "experiments.own.horizon goes to 150.5",
        "whole numbers",
    ),
    "experiments: {own: {horizon: 0}}": ("experiments.own.horizon is 0",),
    "experiments: {own: {snr: [10, 20]}}": ("own.snr does not go with kind user",),
    "{only: [radio], experiments: {radio: {snr: 1000}}}": ("experiments.radio.snr", "1000"),
    "{only: [radio], experiments: {radio: {horizon: 5}}}": (
        "experiments.radio.horizon is 5",
        "6 arms",
        "allowed: 6 or more",
    ),
    "{only: [edx], experiments: {edx: {horizon: [289, 500]}}}": ("horizon is 289", "290 arms"),
    "experiments: {own: {eta: [0.5, 0.6], horizon: [300, 400], policies: [lincon_kl_ucb], "
    "parameters: {lincon_kl_ucb: {c: [0, 1]}}}}": (
        "experiments.own sweeps eta, horizon, lincon_kl_ucb.c",
        "at most two",
    ),
    # datasets
    "datasets: {wireless: {snr: nan}}": (FINITE,),
    "datasets: {wireless: {rates: {high: 1e308}}}": ("datasets.wireless.rates.high",),
    "datasets: {wireless: {rates: {low: 1, high: 1.0000000000000002}}}": (),
    "datasets: {radio: {rates: {low: 6, high: 1, count: 6}}}": ("datasets.radio.rates", "low"),
    "datasets: {radio: {label: My arms}}": ("label is 'My arms'", "must differ"),
    "datasets: {radio: {label: 'Radio '}}": ("datasets.radio.label is 'Radio '", "space at its"),
    "datasets: {edx: {files: {a.csv: {sha256: '12'}}}}": ("files.a.csv.sha256 is '12'", "checksum"),
    "datasets: {edx: {files: {a.csv: {address: 'ftp://x/a'}}}}": ("files.a.csv.address", "ftp://"),
    "datasets: {edx: {files: {../a.csv: {}}}}": ("../a.csv", "letters, digits, ., _ or -"),
    "datasets: {edx2: {label: X, kind: edx_courses, files: {edX-Course.csv: {}}}}": (
        "datasets.edx2.files.edX-Course.csv differs from datasets.edx.files",
        "one file",
    ),
    "datasets: {own: {path: -rf}}": ("datasets.own.path is '-rf'", "neither - nor ~"),
    # policies
    "policies: {lincon_ts: {estimator: beta}}": ("lincon_ts.estimator is 'beta'", "beta_sample"),
    "policies: {lincon_ts: {colour: red}}": ("policies.lincon_ts.colour is 'red'", "#RRGGBB"),
    "policies: {lincon_ts: {c: 1}}": ("policies.lincon_ts.c", "has no such parameter"),
    "policies: {lincon_ts: 5}": ("policies.lincon_ts is 5; allowed: an estimator",),
    "policies: {lincon_kl_ucb: {c: 1e-13}}": (SUPPORTED,),
    "policies: {lincon_kl_ucb: {c: 1e12}}": (),
    "policies: {mine: {estimator: truth}}": ("policies.mine.selector is missing; it must be one",),
    "policies: {mine: {python: my_policy.py}}": ("mine.python is 'my_policy.py'", "FILE.py:CLASS"),
    "policies: {mine: {python: '~/my.py:Mine'}}": ("mine.python is '~/my.py", "neither - nor ~"),
    "policies: {mine: {python: 'my.py:Mine', selector: lp}}": (
        "policies.mine.selector: a policy with python has no selector",
    ),
    "policies: {lincon_kl_ucb: {label: LinConTS}}": ("label is 'LinConTS'", "must differ"),
    "policies: {lincon_kl_ucb: {label: other}, other: {estimator: truth, selector: lp}}": (
        "policies.other.label is 'other'",
        "must differ",
    ),
    'policies: {lincon_ts: {label: "a\\e[31m"}}': ("label is 'a\\x1b[31m'", "printable text"),
    "policies: {q: {estimator: ucb1, selector: queue, v: 0}}": ("policies.q.v", "above 0"),
    "experiments: {own: {parameters: {lincon_ts: {c: [0, 1]}}}}": (
        "experiments.own.parameters",
        "policies.lincon_ts.c",
        "no such parameter",
    ),
    "experiments: {own: {parameters: {lincon_kl_ucb: {c: [0, 1]}}}}": (
        "experiments.own.parameters: 'lincon_kl_ucb'",
        "there are: lincon_ts",
    ),
    "{only: [edx], experiments: {edx: {parameters: {lincon_kl_ucb: {c: [0, -1]}}}}}": (
        "edx.parameters",
        "-1",
    ),
    "{policies: {mine: {python: 'my.py:Mine'}}, experiments: {own: {policies: [mine], "
    "parameters: {mine: {../../../x: [1, 2]}}}}}": ("'../../../x' names no parameter",),
    # names
    "experiments: {a b: {}}": ("experiments.a b is not a good name", "a letter, then letters"),
    'experiments: {"a\\n": {}}': ("is not a good name",),
    "policies: {a/b: {}}": ("policies.a/b is not a good name",),
    f"policies: {{{'a' * 61}: {{}}}}": ("at most 60",),
    "study: a/b": ("study is 'a/b'", "a letter"),
    "policies: {LinCon_TS: {label: x, estimator: truth, selector: lp}}": (
        "policies.LinCon_TS differs only in case from policies.lincon_ts",
    ),
    "experiments: {own: {dataset: onw}}": ("own.dataset: 'onw' is not known (did you mean own?)",),
    "experiments: {own: {policies: [lincon_tss]}}": ("'lincon_tss'", "did you mean lincon_ts?"),
    "experiments: {own: {policies: [lincon_ts, lincon_ts]}}": ("no item may be listed twice",),
    "only: [owm]": ("only: 'owm' is not known (did you mean own?); there are: ",),
    "compare: [lincon_ts, nobody]": ("compare: 'nobody'", "there are: bwk_"),
    "compare: [lincon_ts]": ("compare is ['lincon_ts']", "the two policies"),
    "1: 2": ("1 is not a string; put the key in quotes",),
    "policies: {yes: {estimator: truth}}": ("policies.True is not a string",),
    'mirrors: ["http://x/\\ny"]': ("mirrors.0 is",),
    # style
    "style: {width: triple}": ("style.width is 'triple'", "single or double", "89 mm"),
    "style: {width: 1 mm}": ("style.width is '1 mm'", "2 to 20 inches"),
    "style: {panels: [regrets]}": ("style.panels.0 is 'regrets'", "regret, violation"),
    "style: {formats: [jpg]}": ("style.formats.0 is 'jpg'; allowed: png, pdf, svg",),
    "style: {scales: {rounds: log}}": ("style.scales.rounds", "did you mean round?"),
    "style: {rc: {font.sise: 8}}": ("not a parameter of Matplotlib (did you mean font.size?)",),
    "style: {rc: {axes.linewidth: thick}}": ("axes.linewidth is 'thick'", "Could not convert"),
    "style: {rc: {axes.prop_cycle: ['#123456', reddish]}}": ("axes.prop_cycle", "reddish"),
    "style: {rc: {mathtext.bf: 5}}": ("style.rc.mathtext.bf is 5, which Matplotlib refuses",),
    "style: {rc: {font.size: 9, grid.alpha: 0.5}}": (),
    "style: {rc: {text.usetex: true}}": ("style.rc.text.usetex cannot be set", "style.width"),
    "style: {file: nowhere.mplstyle}": ("style.file is 'nowhere.mplstyle'", "No such file"),
}
FILES = {
    "no UTF-8": (b"\xff\xfe\x00abc: 1\n", "not text in UTF-8"),
    "zeros": (bytes(100), "not YAML"),
    "no YAML": (b"runs: [1\n", "not YAML"),
    "a byte order mark": (b"\xef\xbb\xbfruns: 3\n", ""),
    "nothing": (b"", "keys with their values"),
    "a list": (b"- 1\n", "keys with their values"),
    "no name": (b"{a: 1}: 2\n", "a key must be a plain name"),
    "too deep": (b"runs: " + b"[" * 5000 + b"]" * 5000, "nested too deeply"),
    "a list in itself": (b"runs: &a [*a]\n", "line 1: not YAML: found unconstructable recursive"),
    "a merged list": (b"<<: [1]\n", "line 1: not YAML: expected a mapping for merging"),
    "a word as a number": (b"runs: !!float many\n", "not YAML: could not convert"),
    "a call": (b"runs: !!python/object/apply:os.system ['x']\n", "the tag"),
    "a key twice": (b"runs: 1\nseed: 2\nruns: 3\n", "line 3: runs is given twice"),
    "a key below twice": (b"a:\n  x: {c: 1}\n  x: {c: 2}\n", "line 3: x is given twice"),
}


def said(text: bytes, file: Path) -> str:
    """Nothing if it is planned, otherwise the sentence that refuses it."""
    file.write_bytes(text)
    try:
        config = validate({"study": "odd"} | changed(BASE, read_config(file)))
        planned = plan(config)
        atlases(config)
    except UserError as error:
        assert str(error) and "\n" not in str(error) and len(str(error)) < 1000
        return str(error)
    assert all(len(name) <= 200 for name in [*planned.datasets, *planned.players])
    return ""


@pytest.mark.parametrize("text", MISTAKES)
def test_a_mistake_is_one_sentence(text, tmp_path):
    sentence, pieces = said(f"{text}\n".encode(), tmp_path / "odd.yaml"), MISTAKES[text]
    assert bool(sentence) == bool(pieces), sentence
    assert [piece for piece in pieces if piece not in sentence] == [], sentence


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
    config = {
        "policies": {
            long: {
                "estimator": "ucb1",
                "selector": "lp",
                "target": "controlled",
                "steering": "ledger",
            }
        },
        "experiments": {"own": {"policies": [long], "parameters": {long: swept}}},
    }
    text = yaml.safe_dump(config).encode()
    assert "is too long for the name of a file" in said(text, tmp_path / "odd.yaml")


def test_defaults_are_filled_in_and_nothing_else():
    needed: dict[str, Any] = {key: SHIPPED[key] for key in ("datasets", "policies", "experiments")}
    made = validate(needed)
    assert made["runs"] == 16 and made["data"] == "auto"
    assert {key: made[key] for key in needed} == needed
    assert not {"study", "style", "only", "compare", "atlas"} & set(made)


def test_files_are_merged_level_by_level(tmp_path):
    (tmp_path / "more.yaml").write_text("runs: 3\nexperiments: {edx: {horizon: 400}}\n")
    config = load([REPOSITORY / "config/config.yaml", tmp_path / "more.yaml"], {"runs": 5})
    assert (config["study"], config["runs"]) == ("more", 5)
    assert config["experiments"]["edx"] == SHIPPED["experiments"]["edx"] | {"horizon": 400}


def test_a_study_is_named_after_its_file():
    assert default_study([]) == default_study(["config/config.yaml"]) == "paper"
    assert default_study(["a.yaml", "b.yaml", "config/config.yaml"]) == "b"
