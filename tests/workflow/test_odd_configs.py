"""Numbers and files as people, editors and enemies write them: planned, or one sentence.

`make torture` tries hundreds of random ones (tests/torture); these are known by name.
"""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from lincon.errors import UserError
from lincon.study.atlas import atlases
from lincon.study.config import validate
from lincon.study.plan import plan
from lincon.study.yaml_text import check_text
from tests.workflow.bench import REPOSITORY, Bench, changed

SHIPPED = yaml.safe_load((REPOSITORY / "config/config.yaml").read_text(encoding="utf-8"))
FINITE = "is not a finite number"
SUPPORTED = "numbers from 1e-12 to 1e+12, and 0, are supported"
# Text of a file -> what the sentence says; nothing where it is planned.
NUMBERS = {
    "runs: 4.0": "",
    "points: 40.0": "",
    "seed: 2020.0": "",
    "seed: 1e3": "",
    "resamples: 500.0": "",
    "runs: 4.5": "runs is 4.5",
    "runs: {}": "runs is {}",
    "runs: 1:30": "base 60",
    "runs: 1e400": FINITE,
    "runs: 99999999999999999999999": "at most 1,000,000",
    "runs: 2020-01-01": "only texts, numbers",
    "gamma: nan": FINITE,
    "gamma: .nan": FINITE,
    "datasets: {wireless: {snr: nan}}": FINITE,
    "datasets: {wireless: {rates: {high: .inf}}}": FINITE,
    "datasets: {wireless: {rates: {high: 1e308}}}": "rates.high",
    "datasets: {wireless: {rates: {low: 1, high: 1.0000000000000002}}}": "",
    "datasets: {wireless: {arms: 3}}": "arms does not go with kind wireless",
    "experiments: {edx: {eta: 1e-300}}": "at least 1e-12",
    "experiments: {edx: {eta: 1e-13}}": "at least 1e-12",
    "experiments: {edx: {eta: 1e-12}}": "",
    "experiments: {edx: {eta: -0.0}}": "",
    "experiments: {edx: {eta: {low: 0, high: 1e-300, count: 3}}}": "at least 1e-12",
    "policies: {lincon_kl_ucb: {c: 1e-13}}": SUPPORTED,
    "policies: {lincon_kl_ucb: {c: 1e-12}}": "",
    "policies: {lincon_kl_ucb: {c: 1e12}}": "",
    "policies: {lincon_kl_ucb: {c: 1e13}}": SUPPORTED,
    "experiments: {edx: {parameters: {lincon_kl_ucb: {c: 1e-300}}}}": SUPPORTED,
}
FILES = {
    "no UTF-8": (b"\xff\xfe\x00abc: 1\n", "not text in UTF-8"),
    "every byte": (bytes(range(256)) * 4, "not text in UTF-8"),
    "zeros": (bytes(100), "not YAML"),
    "a byte order mark": (b"\xef\xbb\xbfruns: 3\n", ""),
    "nothing": (b"", "keys with their values"),
    "a list": (b"- 1\n", "keys with their values"),
    "a word": (b"hello\n", "keys with their values"),
    "a list in itself": (b"runs: &a [*a]\n", "an alias holds itself"),
    "a mapping in itself": (b"datasets: &a\n  x: *a\n", "an alias holds itself"),
    "a call": (b"runs: !!python/object/apply:os.system ['x']\n", "the tag"),
    "a set": (b"runs: !!set {a, b}\n", "the tag"),
    "a number as key": (b"1: 2\n", "1 is no name; put it in quotes"),
    "yes as name": (b"policies: {yes: {estimator: truth}}\n", "policies.True is no name"),
    "a float as name": (b"experiments: {1.5: {dataset: edx}}\n", "experiments.1.5 is no name"),
}


def outcome(text: bytes, file: Path) -> str:
    """Nothing if it is planned, else the sentence that refuses it."""
    file.write_bytes(text)
    try:
        check_text(file)
        given = yaml.safe_load(text.decode("utf-8-sig")) or {}
        config = validate({"study": "odd"} | changed(SHIPPED, given))
        planned = plan(config)
        atlases(config)
    except UserError as error:
        assert str(error) and "\n" not in str(error)
        return str(error)
    names = [*planned.datasets, *planned.players, *(point.eta for point in planned.points())]
    assert all(len(name) <= 200 for name in names), names
    return ""


@pytest.mark.parametrize("text", NUMBERS)
def test_numbers_as_people_write_them(text, tmp_path):
    said = outcome(f"{text}\n".encode(), tmp_path / "odd.yaml")
    assert NUMBERS[text] in said and bool(said) == bool(NUMBERS[text]), said


@pytest.mark.parametrize("name", FILES)
def test_files_as_editors_and_enemies_write_them(name, tmp_path):
    text, expected = FILES[name]
    said = outcome(text, tmp_path / "odd.yaml")
    assert expected in said and bool(said) == bool(expected), said


def test_a_name_that_no_folder_can_have_is_refused(tmp_path):
    long = "p" * 60
    names = ("alpha", "least_plays", "width", "surplus")
    swept = dict.fromkeys(names, 1.2345678901234567e-12)
    config = {
        "policies": {long: {"estimator": "ucb1", "selector": "lp", "target": "safe_paced"}},
        "experiments": {"edx": {"policies": [long], "parameters": {long: swept}}},
    }
    text = yaml.safe_dump(config).encode()
    assert "is too long for the name of a file" in outcome(text, tmp_path / "odd.yaml")


@pytest.mark.parametrize("name", ["no UTF-8", "a mapping in itself"])
def test_what_snakemake_cannot_read_is_a_sentence_too(name, finished: Bench):
    text, expected = FILES[name]
    (finished / "odd.yaml").write_bytes(text)
    done = finished.snakemake("--configfile", "odd.yaml", "--dry-run")
    assert done.code == 1 and "Traceback" not in done.text
    assert expected in done.text
