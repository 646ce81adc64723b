"""`lincon init --arms CSV --floor E`: a study of the user's arms, or one sentence."""

import pytest
import yaml

from lincon.cli.main import main
from lincon.study.config import validate
from lincon.study.plan import plan
from tests.real_data import CONFIG

LINKS = "label;successes;trials;value\na;40;1.000;6,83 €\nb;25;1.000;9,50 €\n"


@pytest.fixture
def links(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "links.csv"
    path.write_text(LINKS, encoding="utf-8")
    return path


def config_of(folder):
    text = (folder / "config" / "config.yaml").read_text(encoding="utf-8")
    return validate(yaml.safe_load(text))


def test_the_study_asks_the_field_with_the_users_arms_units_and_counts(links, tmp_path, capsys):
    assert main(["init", "--arms", "links.csv", "--floor", "0.025"]) == 0
    *written, step, look = capsys.readouterr().out.splitlines()
    assert step == "Next: cd links && lincon run" and "lincon run --config runs=8" in look
    assert set(written) >= {"links/config/config.yaml", "links/Snakefile", "links/links.csv"}
    assert (tmp_path / "links" / "links.csv").read_bytes() == links.read_bytes()
    config = config_of(tmp_path / "links")
    dataset, experiment = config["datasets"]["links"], config["experiments"]["links"]
    assert (dataset["unit"], dataset["scale"], dataset["path"]) == ("€", 9.5, "links.csv")
    assert (experiment["eta"], experiment["horizon"]) == (0.025, 20_000)
    assert len(experiment["policies"]) >= 10 and "ts_ledger" in experiment["policies"]
    assert config["policies"]["ts_ledger"] == CONFIG["policies"]["ts_ledger"]
    assert list(plan(config).datasets) == ["links@posterior"]


def test_options_decide(links, tmp_path):
    links.write_text("label,mean,cost\na,0.5,3\nb,0.7,8\n")
    options = "here --arms links.csv --floor 0.6 --unit USD --horizon 9"
    assert main(["init", *options.split()]) == 0
    config = config_of(tmp_path / "here")
    assert config["datasets"]["links"]["unit"] == "USD"
    assert "scale" not in yaml.safe_load((tmp_path / "here/config/config.yaml").read_text())
    assert config["experiments"]["links"]["horizon"] == 9
    assert list(plan(config).datasets) == ["links"]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ("--arms none.csv --floor 0.1", "none.csv does not exist; a CSV or Parquet file with"),
        ("--arms links.csv", "a folder is needed, or --arms CSV and --floor"),
        ("--arms links.csv --floor 2.5", "eta is 2.5; allowed: the event rate that must be kept"),
        ("--arms links.csv --floor 0.01 --horizon -5", "horizon is -5; allowed: rounds to play"),
        ("--arms bad.csv --floor 0.1", "bad.csv has no column value (it has: mean, price)"),
        ("", "a folder is needed, or --arms CSV and --floor"),
        ("--arms links.csv --floor 0.01 full", "full is not empty"),
    ],
)
def test_a_mistake_is_one_sentence_and_writes_nothing(links, tmp_path, capsys, options, sentence):
    (tmp_path / "bad.csv").write_text("mean,price\n0.5,1\n")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").write_text("mine")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(SystemExit) as ended:
        raise SystemExit(main(["init", *options.split()]))
    said = capsys.readouterr().err
    assert ended.value.code != 0 and sentence in said and said.count("\n") == 1
    assert sorted(tmp_path.rglob("*")) == before
