"""`lincon init, run, status, league, real, report`: a study of one's own, thin over Snakemake.

Snakemake is called as a program: the library itself knows nothing of it.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from lincon.errors import UserError
from lincon.files import refusals, write_text

COMMANDS = {
    "init": "begin a study in an empty folder: lincon init my_study",
    "run": "compute what is missing, here; takes all options of Snakemake",
    "status": "how many runs are there, missing, out of date",
    "league": "which policy wins and by how much, in every experiment that was run",
    "real": "once online: get the real data, and run again what stand-ins were used for",
    "report": "how the results were made, by Snakemake: report.html",
}
TEMPLATE = Path(__file__).parent / "new_study"
CONFIG = Path("config/config.yaml")
CORES = re.compile(r"(--cores|--jobs|-c|-j)(=?\d+|=?all)?$")


def main(command: str, arguments: Sequence[str]) -> int:
    """Run a command; a user's mistake is one sentence on the error stream, and exit code 1."""
    try:
        with refusals():
            if command == "init":
                return _init(arguments)
            _require_study()
            return RUNNERS[command](arguments)
    except UserError as error:
        print(f"lincon {command}: {error}", file=sys.stderr)
        return 1


def new_study(folder: Path) -> list[Path]:
    """Write the files of a small study that runs as it is; the folder must be empty or absent."""
    if folder.is_file() or (folder.is_dir() and any(folder.iterdir())):
        raise UserError(f"{folder} is not empty; a study begins in an empty folder, or a new one")
    name = re.sub(r"[^A-Za-z0-9_-]+", "_", folder.resolve().name).lstrip("_-0123456789")[:60]
    sources = sorted(path for path in TEMPLATE.rglob("*") if path.is_file())
    written = [folder / path.relative_to(TEMPLATE) for path in sources]
    for source, target in zip(sources, written, strict=True):
        text = source.read_text(encoding="utf-8")
        write_text(target, text.replace("STUDY", name or "study"))
    return written


def _init(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="lincon init", description=COMMANDS["init"])
    parser.add_argument("folder", type=Path, help="an empty folder, or one that is to be made")
    folder = parser.parse_args(arguments).folder
    for path in new_study(folder):
        print(path)
    here = folder.resolve() == Path.cwd()
    print("Next: lincon run" if here else f"Next: cd {shlex.quote(str(folder))} && lincon run")
    return 0


def _require_study() -> None:
    if not (Path("Snakefile").is_file() or Path("workflow/Snakefile").is_file()):
        raise UserError(
            "there is no Snakefile in this folder; begin a study with: lincon init NAME"
        )


def _snakemake(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "snakemake", *arguments]


def _run(arguments: Sequence[str]) -> int:
    from lincon.command_line import recover

    recover.run(argparse.Namespace())
    given = any(CORES.match(argument) for argument in arguments)
    cores = [] if given else ["--cores", "all"]
    return _call(_snakemake(*cores, *arguments))


def _status(arguments: Sequence[str]) -> int:
    from lincon.study.inventory import status

    _require_config()
    command = _snakemake("--cores", "1", "--summary", *arguments)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise UserError(f"Snakemake cannot say what is there:\n{done.stderr.strip()}")
    print(status(done.stdout.splitlines(), _config_of(arguments)))
    return 0


def _league(arguments: Sequence[str]) -> int:
    from lincon.study.paths import StudyPaths

    _require_config()
    study = StudyPaths(_config_of(arguments)["study"])
    tables = sorted(Path().glob(study.tables_of("*") + "/league.md"))
    if not tables:
        raise UserError(f"study {study.study} has no league yet; make it with: lincon run")
    print("\n".join(table.read_text(encoding="utf-8") for table in tables), flush=True)
    return 0


def _real(arguments: Sequence[str]) -> int:
    command = _snakemake("--cores", "1", *arguments, "--", "real_data")
    return _call(command, {"LINCON_GET_REAL": "1"}) or _run(arguments)


def _config_of(arguments: Sequence[str]) -> dict[str, Any]:
    """The study's config with what these options of Snakemake add to it."""
    import yaml

    from lincon.study.inventory import load

    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--configfile", "--configfiles", nargs="+", type=Path, default=[])
    parser.add_argument("--config", "-C", nargs="+", default=[])
    given, _ = parser.parse_known_args(arguments)
    pairs = (pair.partition("=") for pair in given.config)
    return load([CONFIG, *given.configfile], {key: yaml.safe_load(text) for key, _, text in pairs})


def _require_config() -> None:
    if not CONFIG.is_file():
        raise UserError(
            f"there is no {CONFIG} in this folder; begin a study with: lincon init NAME"
        )


def _report(arguments: Sequence[str]) -> int:
    return _call(_snakemake("--cores", "1", "--report", "report.html", *arguments))


def _call(command: list[str], also: Mapping[str, str] | None = None) -> int:
    """The program's exit code.

    Ctrl-C is the program's, which then ends its jobs and gives up its lock; left to itself,
    `subprocess.run` would kill it a quarter of a second later.
    """
    before = signal.signal(signal.SIGINT, lambda number, frame: None)
    try:
        environment = {**os.environ, **(also or {})}
        return subprocess.run(command, env=environment, check=False).returncode
    finally:
        signal.signal(signal.SIGINT, before)


RUNNERS = {"run": _run, "status": _status, "league": _league, "real": _real, "report": _report}
