"""A copy of the project in a folder of its own, a small config, and Snakemake's plan as data."""

import copy
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import pandas as pd
import yaml

from lincon.study.config import validate
from lincon.study.paths import RUN_KEYS
from lincon.study.plan import dataset_name, plan

REPOSITORY = Path(__file__).parents[2]
OWN_ARMS = "mean,value\n0.1,1\n0.3,0.9\n0.5,0.6\n0.7,0.5\n0.9,0.1\n"
# An x86-64 without AVX2 and AVX-512, as far as NumPy goes, and without AVX-512 for OpenBLAS.
OTHER_PROCESSOR = {
    "NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL AVX512_SPR",
    "OPENBLAS_CORETYPE": "Haswell",
}
SMALL: dict[str, Any] = {
    "data": "standin",
    "engine": "dense",
    "runs": 2,
    "points": 20,
    "record": "plays",
    "only": ["radio", "own", "radio_eta", "own_horizon"],
    "datasets": {
        "radio": {
            "label": "Radio",
            "kind": "wireless",
            "snr": 15,
            "rates": {"low": 1, "high": 6, "count": 6},
        },
        "own": {"label": "My arms", "kind": "user", "path": "own.csv"},
    },
    "experiments": {
        "radio": {
            "dataset": "radio",
            "eta": 0.9,
            "horizon": 200,
            "policies": ["lincon_ts", "lincon_kl_ucb"],
        },
        "own": {"dataset": "own", "eta": 0.8, "horizon": 300, "policies": ["lincon_ts"]},
        # 0.9 is shared with `radio`; the slowest rate gets through less often than 0.99.
        "radio_eta": {
            "dataset": "radio",
            "eta": [0.9, 0.99],
            "horizon": 200,
            "policies": ["lincon_ts"],
        },
        "own_horizon": {
            "dataset": "own",
            "eta": 0.8,
            "horizon": [200, 300],
            "policies": ["lincon_ts"],
        },
    },
}
Plan = frozenset[str]
STUDY = "results/studies/small"
# The page and the study's record tell the time and the machine.
DATED = ("report.html", "study.json")
# What a policy's path holds in addition to its setting and its name.
IMPLIED = ("engine", "seed", "settings")


@dataclass(frozen=True)
class Done:
    """A call that has ended: all that it printed, and its exit code."""

    code: int
    text: str


def call(command: Sequence[str], folder: Path, environment: Mapping[str, str]) -> Done:
    """Run a command in a folder; what it printed on either stream is one text."""
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    done = subprocess.run(command, cwd=folder, env=environment, check=False, **streams)
    return Done(done.returncode, done.stdout)


@dataclass(frozen=True)
class Bench:
    folder: Path

    def __truediv__(self, path: str) -> Path:
        return self.folder / path

    def snakemake(
        self,
        *arguments: str,
        config: Mapping[str, Any] | None = None,
        jit: bool = False,
        **env: str,
    ) -> Done:
        """Call Snakemake here with a config (a mapping, merged into config/config.yaml).

        `jit=False` leaves the kernels to Python: they play the same arms, and nothing has to be
        compiled, which for runs this small takes far longer than the runs themselves.
        """
        command = self.command(*arguments, config=config)
        return call(command, self.folder, self.environment(jit) | env)

    def command(self, *arguments: str, config: Mapping[str, Any] | None = None) -> list[str]:
        """What is called; a config is written beside the Snakefile, as small.yaml."""
        command = [sys.executable, "-m", "snakemake"]
        if config is not None:
            (self / "small.yaml").write_text(json.dumps(config), encoding="utf-8")
            command += ["--configfile", "small.yaml"]
        return [*command, "--cores", "2", "--nocolor", *arguments]

    def environment(self, jit: bool = False) -> dict[str, str]:
        """As if the library of this copy were installed."""
        compiler = {} if jit else {"NUMBA_DISABLE_JIT": "1"}
        return clean_environment() | compiler | {"PYTHONPATH": str(self / "workflow")}

    def run(self, *arguments: str, **options: Any) -> Done:
        """A call that must succeed."""
        done = self.snakemake(*arguments, **options)
        assert done.code == 0, done.text
        return done

    def plan(self, *arguments: str, **options: Any) -> Plan:
        """What Snakemake would run: `rule value/value/...`, by the values of the wildcards."""
        return read_plan(self.run("--dry-run", *arguments, **options).text)

    def copy(self, folder: Path) -> Self:
        """Everything as it is, time stamps and Snakemake's memory included."""
        shutil.copytree(self.folder, folder, symlinks=True, copy_function=shutil.copy2)
        return Bench(folder)

    def edit(self, path: str, old: str, new: str) -> None:
        text = (self / path).read_text(encoding="utf-8")
        assert old in text, f"{path} has no {old!r} to change"
        (self / path).write_text(text.replace(old, new, 1), encoding="utf-8")


def checksums(bench: Bench) -> dict[str, str]:
    """Path -> sha256 of all results but logs and what says when a study was made."""
    found = sorted(path for path in (bench / "results").rglob("*") if path.is_file())
    names = {path: path.relative_to(bench.folder).as_posix() for path in found}
    return {
        name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path, name in names.items()
        if not name.startswith("results/logs/") and path.name not in DATED
    }


def clean_environment() -> dict[str, str]:
    """As in a shell where no virtual environment is activated and nothing is set up for lincon."""
    here = str(Path(sys.executable).parent)
    paths = [path for path in os.environ["PATH"].split(os.pathsep) if path != here]
    strangers = ("PYTHON", "NUMBA", "SNAKEMAKE", "VIRTUAL_ENV", "COVERAGE")
    kept = {key: value for key, value in os.environ.items() if not key.startswith(strangers)}
    return kept | {"PATH": os.pathsep.join(paths), "NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"}


def new_bench(folder: Path) -> Bench:
    """The project's sources as they are now, without anything computed."""
    folder.mkdir(parents=True)
    shutil.copy2(REPOSITORY / "Snakefile", folder)
    for name in ("config", "profiles", "workflow"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(REPOSITORY / name, folder / name, ignore=ignored)
    (folder / "own.csv").write_text(OWN_ARMS, encoding="utf-8")
    return Bench(folder)


def changed(config: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """The config with `changes` merged in, level by level, as Snakemake merges files."""
    result = copy.deepcopy(dict(config))
    for key, value in changes.items():
        below = isinstance(value, Mapping) and isinstance(result.get(key), Mapping)
        result[key] = changed(result[key], value) if below else copy.deepcopy(value)
    return result


def read_plan(text: str) -> Plan:
    """The jobs in the output of a dry run, `all` left out; checked against its own count."""
    jobs: list[str] = []
    for line in text.splitlines():
        if head := re.match(r" *(?:local)?(?:rule|checkpoint) (\w+):$", line):
            jobs.append(head[1])
        elif line.strip().startswith("wildcards: "):
            values = re.findall(r"(?:: |, )([a-z]+)=(.*?)(?=, [a-z]+=|$)", line)
            shown = [value for key, value in values if key not in IMPLIED]
            # What is named: without the hash of a dataset's content, and what kind of bound it is.
            jobs[-1] += " " + re.sub("-[0-9a-f]{8}(?=/|$)|(?<=/)eta_", "", "/".join(shown))
    counted = re.search(r"^total +(\d+)$", text, re.MULTILINE)
    assert len(jobs) == (int(counted[1]) if counted else 0), text
    assert counted or "Nothing to be done" in text, text
    assert len(set(jobs)) == len(jobs), jobs
    return frozenset(jobs) - {"all"}


def simulations(setting: str, policies: str, runs: Iterable[object]) -> Plan:
    """`simulations("own/0.8/300", "lincon_ts", range(2))`; several policies apart by spaces."""
    return frozenset(
        f"simulate {setting}/{policy}/{run}" for policy in policies.split() for run in runs
    )


def jobs(rule: str, *wildcards: str) -> Plan:
    """`jobs("panels", "own", "radio")`: one job of that rule for each."""
    return frozenset(f"{rule} {values}" for values in wildcards)


def planned(config: Mapping[str, Any]) -> pd.DataFrame:
    """The plan's table, with the name of each dataset."""
    shipped = yaml.safe_load((REPOSITORY / "config/config.yaml").read_text(encoding="utf-8"))
    table = plan(validate(changed(shipped, config))).table
    return table.assign(arms=table["dataset"].map(dataset_name))


def arms_file(config: Mapping[str, Any], dataset: str) -> str:
    """Where the arms of a dataset are kept."""
    (identity,) = set(planned(config).query("arms == @dataset")["dataset"])
    return f"results/arms/{identity}.parquet"


def run_file(config: Mapping[str, Any], run: str, tree: str = "runs") -> str:
    """Where a run is kept: `run_file(SMALL, "radio/0.9/200/lincon_ts/0")`."""
    dataset, eta, horizon, policy, block = run.split("/")
    keys = {"arms": dataset, "constraints": f"eta_{eta}", "horizon": int(horizon), "policy": policy}
    table = planned(config)
    row = table[(table[list(keys)] == pd.Series(keys)).all(axis=1)].iloc[0]
    folder = "/".join(f"{key}={row[key]}" for key in RUN_KEYS)
    return f"results/{tree}/{folder}/run={block}.parquet"
