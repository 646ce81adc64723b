"""The workflow as a part of another one: as a module, from elsewhere, beside itself."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.workflow.bench import REPOSITORY, SMALL, call, clean_environment, new_bench

CONFIG: dict[str, Any] = {
    **{key: SMALL[key] for key in ("data", "engine", "runs", "points")},
    "study": "mine",
    "datasets": {"radio": SMALL["datasets"]["radio"]},
    "experiments": {"radio": SMALL["experiments"]["radio"] | {"policies": ["lincon_ts"]}},
}
HOST = """
configfile: "study.json"

module lincon:
    snakefile: {snakefile}
    config: config["bandits"]
{options}
use rule * from lincon as lincon_*
use rule simulate from lincon as lincon_simulate with:
    threads: 1

onsuccess: lincon.onsuccess()

rule mine:
    input: rules.lincon_all.input
    output: "mine.txt"
    shell: "ls {{input}} > {{output}}"

rule consumer:
    input: expand(rules.lincon_tables.output.folder, experiment=config["bandits"]["experiments"])
    output: "size.txt"
    shell: "ls {{input}} > {{output}}; echo ${{{{PYTHONPATH}}}} >> {{output}}"

rule arms:
    output: "{place}made.csv"
    shell: "printf 'mean,value\\n0.2,1\\n0.9,0.2\\n' > {{output}}"
"""
MADE = {
    "datasets": {"made": {"label": "Made", "kind": "user", "path": "made.csv"}},
    "experiments": {"made": CONFIG["experiments"]["radio"] | {"dataset": "made", "eta": 0.5}},
}


def snakemake(folder: Path, *arguments: str, before: Sequence[str] = (), **env: str) -> str:
    """Run Snakemake in a folder; it must succeed."""
    library = {"PYTHONPATH": str(REPOSITORY / "workflow"), "NUMBA_DISABLE_JIT": "1"}
    command = [*before, sys.executable, "-m", "snakemake", "--cores", "2", *arguments]
    done = call(command, folder, clean_environment() | library | env)
    assert done.code == 0, done.text
    return done.text


def host(
    folder: Path, options: str = "", place: str = "", library: Path = REPOSITORY, **config: Any
) -> Path:
    """Another workflow that uses this one."""
    folder.mkdir(parents=True)
    snakefile = repr(str(library / "workflow/Snakefile"))
    text = HOST.format(snakefile=snakefile, options=options, place=place)
    (folder / "Snakefile").write_text(text, encoding="utf-8")
    (folder / "study.json").write_text(json.dumps({"bandits": CONFIG | config}), encoding="utf-8")
    return folder


def test_results_are_where_the_module_says(tmp_path):
    """The whole study with a prefix, with arms that another rule makes; and a rule of the other
    workflow finds it there."""
    folder = host(tmp_path / "work", '    prefix: "below"', place="below/", **MADE)
    printed = snakemake(folder, "--", "mine", "consumer")
    assert "Open  below/results/studies/mine/report.html" in printed
    assert (folder / "below/results/studies/mine/report.html").is_file()
    assert list((folder / "below/results/runs").rglob("run=0.parquet"))
    # The host's jobs keep their environment.
    text = (folder / "size.txt").read_text()
    assert "league.md" in text and text.endswith(f"{REPOSITORY / 'workflow'}\n")
    written = {str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file()}
    others = {path for path in written if not path.startswith(("below/results", "."))}
    assert others == {"Snakefile", "mine.txt", "size.txt", "study.json", "below/made.csv"}
    assert "Nothing to be done" in snakemake(folder, "--", "mine", "consumer")


def test_the_host_of_the_page_works_as_it_stands(tmp_path):
    text = (REPOSITORY / "docs/module.md").read_text(encoding="utf-8")
    blocks = re.findall(r"`([\w.]+)`:?\n\n```(?:python|yaml)\n(.*?)```", text, re.DOTALL)
    assert [name for name, _ in blocks] == ["Snakefile", "study.yaml"]
    for name, block in blocks:
        (tmp_path / name).write_text(block.replace("../lincon/", f"{REPOSITORY}/"))
    (tmp_path / "bandits").mkdir()
    shutil.copy(REPOSITORY / "config/examples/links.csv", tmp_path / "bandits")
    planned = snakemake(tmp_path, "--dry-run", "answer")
    assert re.search(r"^lincon_simulate +32$", planned, re.MULTILINE), planned


SUBMIT = """#!/bin/sh
grep -oE '"(rule|groupid)": "[a-z_]*"' "$1" | cut -d '"' -f 4 >> submitted
sh "$1" > /dev/null 2>&1 &
echo $!
"""


def test_a_cluster_gets_the_simulations_of_a_module_alone(tmp_path):
    """Whatever it calls the rules: a list of `localrules` would be of names that it changes."""
    folder = host(tmp_path / "work")
    (folder / "submit").write_text(SUBMIT)
    (folder / "submit").chmod(0o755)
    generic = ["--executor", "cluster-generic", "--cluster-generic-submit-cmd", "./submit"]
    once = ["--jobs", "2", "--seconds-between-status-checks", "1"]
    snakemake(folder, *generic, *once, "--group-components", "simulate=2", "--", "consumer")
    # The group of simulations, and what is not ours.
    assert set((folder / "submitted").read_text().split()) == {"simulate", "consumer"}


PATHVARS = '    pathvars:\n        results="else/where",\n        resources="raw",'


def test_a_read_only_checkout_and_other_folders(tmp_path):
    """So two studies from one checkout cannot disturb each other either."""
    library = new_bench(tmp_path / "a checkout (1)").folder
    folder = host(tmp_path / "my work", PATHVARS, library=library)
    before: list[str] = []
    if os.geteuid() == 0:  # whom permissions do not bind
        script = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"'
        before = ["unshare", "--mount", "sh", "-c", script, str(library)]
        if subprocess.run([*before, "true"], capture_output=True, check=False).returncode:
            pytest.skip("the superuser cannot mount anything here, and may write anywhere")
    else:
        for path in [library, *library.rglob("*")]:
            path.chmod(path.stat().st_mode & ~0o222)
    here = {"PYTHONPATH": str(library / "workflow"), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    text = snakemake(folder, "--", "consumer", before=before, **here)
    assert "lincon_simulate" in text and (folder / "size.txt").read_text()
    assert (folder / "else/where/studies/mine/tables").is_dir()
    assert "Nothing to be done" in snakemake(folder, "--", "consumer", before=before, **here)


def test_the_rules_load_without_the_packages_of_jobs(tmp_path):
    """As in the catalogue's route: an environment with Snakemake and pandas, and none of ours."""
    for name in ("pyarrow", "numba", "scipy", "matplotlib", "pooch"):
        text = f"raise ModuleNotFoundError('{name} is blocked', name='{name}')"
        (tmp_path / f"{name}.py").write_text(text)
    rules = (REPOSITORY / "workflow/rules").glob("*.smk")
    lines = [line for path in rules for line in path.read_text().splitlines()]
    imports = [line for line in lines if line.startswith("from lincon")]
    assert len(imports) > 8
    program = "\n".join([*imports, "assert len(plan(read_study([], config)).table)"])
    path = os.pathsep.join([str(tmp_path), str(REPOSITORY / "workflow")])
    command = [sys.executable, "-c", f"config = {CONFIG!r}\n{program}"]
    done = call(command, tmp_path, clean_environment() | {"PYTHONPATH": path})
    assert done.code == 0, done.text
