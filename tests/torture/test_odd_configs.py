"""Odd configs are planned, or refused with a sentence: as the workflow does before any job."""

from pathlib import Path
from typing import Any

import pytest
from snakemake.common.configfile import load_configfile
from snakemake.exceptions import WorkflowError
from snakemake.utils import update_config

from lincon.errors import UserError
from lincon.study.config import read_config, read_study
from lincon.study.plan import plan
from tests.torture.chance import attempts, generator
from tests.torture.odd_configs import odd_config
from tests.workflow.bench import REPOSITORY, Bench, new_bench

OWN = REPOSITORY / "config/config.yaml"


def refusal(file: Path) -> str:
    """The sentence, or nothing where it is planned."""
    try:
        read_config(file)
        config: dict[str, Any] = load_configfile(str(OWN))
        update_config(config, load_configfile(str(file)))
        plan(read_study([file, OWN], config))
    except (UserError, WorkflowError) as error:
        return str(error)
    return ""


@pytest.mark.parametrize("number", attempts(40, 400))
def test_an_odd_config_is_planned_or_refused_in_one_sentence(tmp_path, monkeypatch, number):
    monkeypatch.chdir(tmp_path)
    what, data = odd_config(generator("configs", number))
    file = tmp_path / "odd.yaml"
    file.write_bytes(data)
    sentence = refusal(file)
    assert "\n" not in sentence.strip() and len(sentence) < 2000, f"{what}: {sentence[:600]!r}"


@pytest.fixture(scope="module")
def bench(tmp_path_factory) -> Bench:
    return new_bench(tmp_path_factory.mktemp("configs") / "project")


@pytest.mark.parametrize("number", attempts(2, 40))
def test_snakemake_shows_no_traceback(bench: Bench, number):
    what, data = odd_config(generator("configs", number))
    (bench / "odd.yaml").write_bytes(data)
    done = bench.snakemake("--dry-run", "--quiet", "--configfile", "odd.yaml")
    assert "Traceback" not in done.text, f"{what}: ...{done.text[-1500:]}"
    assert done.code == 0 or len(done.text.strip()) > 20, what
    assert not {path.name for path in bench.folder.iterdir()} & {"pwned", "touch"}, what
