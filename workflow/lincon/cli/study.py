"""`lincon run, status, real, report`: thin over Snakemake, which is called as a program."""

import argparse
import fcntl
import os
import re
import shlex
import signal
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from lincon.cli.league import show
from lincon.data.raw import without_passwords
from lincon.errors import UserError
from lincon.study.identity import dataset_name
from lincon.study.paths import read_block

FOR_SNAKEMAKE = True
DRY = {"-n", "--dry-run", "--dryrun", "--unlock", "--lint", "--summary", "--list-untracked"}
CORES = re.compile(r"(--cores|--jobs|-c|-j)(=?\d+|=?all)?$")
# Locked while a run is active here; left behind, unlocked, by one that was killed. The rules write
# into it which folder their study has.
RUNNING = Path("results/.running")
RUN = re.compile(
    r"(?:.*/)?runs/dataset=([^/]+)/constraints=([^/]+)/horizon=(\d+)/.*/run=([\d-]+)\.parquet"
)
PROBLEMS = re.compile(r"(?:.*/)?atlas/([^/]+)/outcomes/problems=([\d-]+)\.parquet")


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = "All other options are passed to Snakemake."


def run(args: argparse.Namespace) -> int:
    if not (Path("Snakefile").is_file() or Path("workflow/Snakefile").is_file()):
        raise UserError(
            "there is no Snakefile in this folder; begin a study with: lincon init NAME"
        )
    called = {"run": _run, "status": _status, "real": _real, "report": _report}[args.command]
    return called(args.others)


def _run(arguments: Sequence[str]) -> int:
    """Run Snakemake, and print the answer, also where there was nothing to be done.

    After a run that was killed, the folder is unlocked first.
    """
    cores = [] if any(map(CORES.match, arguments)) else ["--cores", "all"]
    command = _snakemake(*cores, *arguments)
    also = {"LINCON_COMMAND": without_passwords(shlex.join(["lincon", "run", *arguments]))}
    killed = RUNNING.exists()
    RUNNING.parent.mkdir(exist_ok=True)
    with open(RUNNING, "a+", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:  # another run is active: Snakemake says what to do
            return _call(command, also)
        if killed:
            print("The last run here was killed: unlocking the folder.")
            if code := _call(_snakemake("--unlock", "--quiet", "all", *arguments), also):
                return code  # still locked, and known to be: the next call unlocks
        also["LINCON_RUN"] = str(RUNNING.resolve())
        # Handed on, so that the lock lasts as long as Snakemake, whatever becomes of this process.
        code = _call(command, also, file.fileno())
        file.seek(0)
        folder = file.read()
        if code not in (130, *range(-64, 0)):  # it ended by itself, and not by a signal
            RUNNING.unlink(missing_ok=True)
    if code == 0 and folder and not DRY & set(arguments):
        show(Path(os.path.relpath(folder)))
    return code


def _status(arguments: Sequence[str]) -> int:
    command = _snakemake("--cores", "1", "--summary", *arguments)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise UserError(f"Snakemake cannot say what is there:\n{done.stderr.strip()}")
    print(counted(done.stdout.splitlines()))
    return 0


def counted(summary: Iterable[str]) -> str:
    """A table from the lines of `snakemake --summary`: runs there, missing and stale.

    Stale is what Snakemake would run again: its own judgement of code, settings and inputs.
    """
    rows: dict[str, Counter[str]] = defaultdict(Counter)
    for line in summary:
        file, *columns = line.split("\t")
        if found := RUN.fullmatch(file):
            dataset, constraints, horizon, block = found.groups()
            name = f"{dataset_name(dataset)}, {constraints}, T = {int(horizon):,}"
        elif found := PROBLEMS.fullmatch(file):
            name, block = f"{found[1]} (problems)", found[2]
        else:
            continue
        state = "there" if columns[-1] == "no update" else "stale"
        first, last = read_block(block)
        rows[name]["missing" if columns[-2] == "missing" else state] += last - first + 1
    width = max(map(len, rows), default=10)
    table = [f"{'setting':<{width}}{'runs':>8}{'there':>8}{'missing':>9}{'stale':>7}"]
    for name, counts in rows.items():
        there, missing, stale = (counts[state] for state in ("there", "missing", "stale"))
        table.append(f"{name:<{width}}{counts.total():>8}{there:>8}{missing:>9}{stale:>7}")
    return "\n".join(table)


def _real(arguments: Sequence[str]) -> int:
    """A run in which stand-in arms will not do."""
    place = arguments.index("--config") if "--config" in arguments else len(arguments)
    return _run([*arguments[:place], "--config", "data=real", *arguments[place + 1 :]])


def _report(arguments: Sequence[str]) -> int:
    return _call(_snakemake("--cores", "1", "--report", "snakemake-report.html", *arguments))


def _snakemake(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "lincon.cli.snakemake", *arguments]


def _call(command: list[str], also: Mapping[str, str] | None = None, *files: int) -> int:
    """The program's exit code.

    Ctrl-C is the program's, which then ends its jobs and gives up its lock; left to itself,
    `subprocess.run` would kill it a quarter of a second later.
    """
    before = signal.signal(signal.SIGINT, lambda number, frame: None)
    try:
        environment = {**os.environ, **(also or {})}
        return subprocess.run(command, env=environment, pass_fds=files, check=False).returncode
    finally:
        signal.signal(signal.SIGINT, before)
