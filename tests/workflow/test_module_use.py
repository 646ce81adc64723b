"""The workflow as a part of another one: as a module, from elsewhere, beside itself."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.workflow.bench import REPOSITORY, SOURCES, call, clean_environment

CONFIG: dict[str, Any] = {
    "study": "mine",
    "data": "standin",
    "engine": "dense",
    "runs": 2,
    "points": 10,
    "resamples": 200,
    "datasets": {
        "radio": {
            "label": "Radio",
            "kind": "wireless",
            "snr": 15,
            "rates": {"low": 1, "high": 6, "count": 6},
        }
    },
    "policies": {"lincon_ts": {"estimator": "beta_sample", "selector": "lp"}},
    "experiments": {
        "radio": {"dataset": "radio", "eta": 0.9, "horizon": 100, "policies": ["lincon_ts"]}
    },
}
HOST = """
configfile: "study.json"

module lincon:
    snakefile: {snakefile}
    config: config["bandits"]
{options}
use rule * from lincon as lincon_*

onsuccess: lincon.onsuccess()

rule mine:
    input: rules.lincon_all.input
    output: "mine.txt"
    shell: "ls {{input}} > {{output}}"

rule consumer:
    input: summary=rules.lincon_tables.output.summary
    output: "size.txt"
    shell: "wc -c {{input.summary}} > {{output}}"

rule arms:
    output: "{place}made.csv"
    shell: "printf 'mean,value\\n0.2,1\\n0.9,0.2\\n' > {{output}}"
"""
MADE = {
    "datasets": {"made": {"label": "Made", "kind": "user", "path": "made.csv"}},
    "experiments": {"made": CONFIG["experiments"]["radio"] | {"dataset": "made", "eta": 0.5}},
}


def snakemake(folder: Path, *arguments: str, library: Path = REPOSITORY) -> str:
    """Run Snakemake in a folder with the library of a checkout; it must succeed."""
    environment = clean_environment() | {
        "PYTHONPATH": str(library / "workflow"),
        "NUMBA_DISABLE_JIT": "1",
    }
    command = [sys.executable, "-m", "snakemake", "--cores", "2", *arguments]
    done = call(command, folder, environment)
    assert done.code == 0, done.text
    return done.text


def checkout(folder: Path) -> Path:
    folder.mkdir(parents=True)
    ignored = shutil.ignore_patterns("__pycache__")
    for name in SOURCES:
        source = REPOSITORY / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=ignored)
        else:
            shutil.copy2(source, folder / name)
    return folder


def host(folder: Path, snakefile: str, options: str = "", place: str = "", **config: Any) -> Path:
    """Another workflow that uses this one."""
    folder.mkdir(parents=True)
    text = HOST.format(snakefile=snakefile, options=options, place=place)
    (folder / "Snakefile").write_text(text, encoding="utf-8")
    (folder / "study.json").write_text(json.dumps({"bandits": CONFIG | config}), encoding="utf-8")
    return folder


def test_another_workflow_uses_it_from_a_path_with_spaces(tmp_path):
    library = checkout(tmp_path / "a checkout (1)")
    folder = host(tmp_path / "my work", repr(str(library / "workflow" / "Snakefile")))
    text = snakemake(folder, "--", "mine", library=library)
    assert "lincon_simulate" in text
    assert "Open  results/studies/mine/report.html" in text
    listed = (folder / "mine.txt").read_text().splitlines()
    assert listed and all((folder / path).is_file() for path in listed)
    assert any(path.endswith("panels.png") for path in listed)
    assert "Nothing to be done" in snakemake(folder, "--", "mine", library=library)


PLACES = {
    "prefix": ('    prefix: "below"', "below/results"),
    "replace_prefix": ('    replace_prefix: {"results/": "bandits/"}', "bandits"),
    "pathvars": (
        '    pathvars:\n        results="else/where",\n        resources="raw",',
        "else/where",
    ),
}


@pytest.mark.parametrize("how", PLACES)
def test_results_are_where_the_module_says(tmp_path, how):
    """All of them, and a rule of the other workflow finds them there."""
    options, place = PLACES[how]
    entry = repr(str(REPOSITORY / "workflow" / "Snakefile"))
    folder = host(tmp_path / "work", entry, options)
    said = snakemake(folder, "--", "mine", "consumer")
    assert f"Open  {place}/studies/mine/report.html" in said
    assert f"{place}/studies/mine/summary.parquet" in (folder / "size.txt").read_text()
    assert list((folder / place / "runs").rglob("run=0.parquet"))
    assert (folder / place / "studies/mine/report.html").is_file()
    others = [path for path in files_of(folder) if not path.startswith((place, "."))]
    assert sorted(others) == ["Snakefile", "mine.txt", "size.txt", "study.json"]
    assert "Nothing to be done" in snakemake(folder, "--", "mine", "consumer")


@pytest.mark.parametrize("place", ["", "below/"])
def test_another_workflow_makes_the_arms(tmp_path, place):
    entry = repr(str(REPOSITORY / "workflow" / "Snakefile"))
    options = '    prefix: "below"' if place else ""
    folder = host(tmp_path / "work", entry, options, place, **MADE)
    snakemake(folder, "--", "consumer")
    assert (folder / "size.txt").is_file() and (folder / f"{place}made.csv").is_file()
    assert "Nothing to be done" in snakemake(folder, "--", "consumer")


def test_a_new_study_runs_as_it_is_written(tmp_path):
    from lincon.cli.init import new_study

    folder = tmp_path / "new study"
    new_study(folder)
    config = folder / "config" / "config.yaml"
    text = config.read_text().replace("10000", "100").replace("runs: 16", "runs: 2")
    config.write_text(f"{text}\nengine: dense\nresamples: 200\npoints: 10\n")
    shown = snakemake(folder)
    assert (folder / "results/studies/new_study/figures/radio/panels.png").is_file()
    # The answer, as after `make`.
    assert "Radio rates   floor 90%   T = 100   2 runs" in shown
    assert "Open  results/studies/new_study/report.html" in shown


def files_of(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_two_studies_elsewhere_from_one_checkout_leave_it_as_it_was(tmp_path):
    library = checkout(tmp_path / "checkout")
    before = files_of(library)
    for name in ("one", "two"):
        elsewhere = tmp_path / f"study {name}"
        elsewhere.mkdir()
        (elsewhere / "study.json").write_text(
            json.dumps(CONFIG | {"study": name, "only": ["radio"]}), encoding="utf-8"
        )
        snakefile = ["--snakefile", str(library / "workflow" / "Snakefile")]
        where = ["--directory", str(elsewhere), "--configfile", str(elsewhere / "study.json")]
        snakemake(tmp_path, *snakefile, *where, library=library)
        found = files_of(elsewhere / "results" / "studies")
        assert found and all(path.startswith(f"{name}/") for path in found)
    left = {path for path in files_of(library) - before if "__pycache__" not in path}
    assert left == set()


def read_only_command(library: Path, command: list[str]) -> list[str]:
    """The command with the checkout mounted read-only: permissions do not bind the superuser."""
    script = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"'
    return ["unshare", "--mount", "sh", "-c", script, str(library), *command]


def test_a_read_only_checkout_will_do(tmp_path):
    library = checkout(tmp_path / "checkout")
    folder = host(tmp_path / "work", repr(str(library / "workflow" / "Snakefile")))
    command = [sys.executable, "-m", "snakemake", "--cores", "2", "--", "mine"]
    if os.geteuid() == 0:
        trial = subprocess.run(read_only_command(library, ["true"]), capture_output=True)
        if trial.returncode:
            pytest.skip("the superuser cannot mount anything here, and may write anywhere")
        command = read_only_command(library, command)
    else:
        for path in [library, *library.rglob("*")]:
            path.chmod(path.stat().st_mode & ~0o222)
    environment = clean_environment() | {
        "PYTHONPATH": str(library / "workflow"),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "NUMBA_DISABLE_JIT": "1",
    }
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert (folder / "mine.txt").read_text()


def test_the_rules_load_with_what_snakemake_brings(tmp_path):
    """As in the catalogue's route: an environment with Snakemake, and none of our packages."""
    for name in ("numpy", "pandas", "pyarrow", "numba", "scipy", "matplotlib", "pooch"):
        text = f"raise ModuleNotFoundError('{name} is blocked', name='{name}')"
        (tmp_path / f"{name}.py").write_text(text)
    rules = (REPOSITORY / "workflow/rules").glob("*.smk")
    lines = [line for path in rules for line in path.read_text().splitlines()]
    imports = [line for line in lines if line.startswith("from lincon")]
    assert len(imports) > 15
    program = "\n".join([*imports, "plan(validate(config))"])
    given = f"config = {CONFIG!r}\n"
    path = os.pathsep.join([str(tmp_path), str(REPOSITORY / "workflow")])
    command = [sys.executable, "-c", given + program]
    done = call(command, tmp_path, clean_environment() | {"PYTHONPATH": path})
    assert done.code == 0, done.text
