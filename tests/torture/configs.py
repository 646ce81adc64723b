"""Odd configs: planned, or refused with a sentence.

Each is loaded as Snakemake loads it and checked as the workflow does before any job, in a process
of its own with a limit of time and memory; one in ten, and all that this cannot judge, go through
a dry run of Snakemake itself.
"""

from __future__ import annotations

import multiprocessing
import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from snakemake.common.configfile import load_configfile
from snakemake.exceptions import WorkflowError
from snakemake.utils import update_config

from lincon.errors import UserError
from lincon.study.atlas import atlases
from lincon.study.config import default_study, validate
from lincon.study.plan import plan
from lincon.study.yaml_text import check_text
from tests.torture.kind import Attempt, Kind
from tests.torture.odd_configs import odd_config
from tests.workflow.bench import Bench, new_bench

SECONDS = 60
MEMORY = 4 << 30
REAL = 10


def planned(file: str) -> str:
    """As workflow/rules/common.smk begins; "planned", or the sentence."""
    given = load_configfile(file)
    config: dict[str, Any] = load_configfile("config/config.yaml")
    update_config(config, given)
    try:
        for each in (file, "config/config.yaml"):
            check_text(each)
        checked = validate({"study": default_study([file, "config/config.yaml"])} | config)
        plan(checked)
        atlases(checked)
    except UserError as error:
        return f"refused: {error}"
    return "planned"


def in_a_child(folder: Path, file: str, answer: Any) -> None:
    os.chdir(folder)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    try:
        answer.send(planned(file))
    except WorkflowError as error:
        answer.send(f"refused: {error}")
    except BaseException as error:
        answer.send(f"{type(error).__name__}: {str(error)[:500]}")


def judged(folder: Path, file: str) -> str:
    """What came of it in a process of its own: planned, refused or the name of an exception."""
    context = multiprocessing.get_context("fork")
    receive, send = context.Pipe(duplex=False)
    child = context.Process(target=in_a_child, args=(folder, file, send))
    child.start()
    send.close()
    try:
        text = receive.recv() if receive.poll(2 * SECONDS) else "no answer in time"
    except EOFError:
        text = "no answer: the process died"
    child.kill()
    child.join()
    return text


@contextmanager
def limited(what: int, most: int) -> Iterator[None]:
    """For what is started inside."""
    before, hard = resource.getrlimit(what)
    resource.setrlimit(what, (most, hard))
    try:
        yield
    finally:
        resource.setrlimit(what, (before, hard))


@contextmanager
def ready(folder: Path) -> Iterator[Bench]:
    yield new_bench(folder / "configs" / "project")


def attempt(bench: Bench, rng: np.random.Generator, number: int) -> Attempt:
    what, data = odd_config(rng)
    (bench / "odd.yaml").write_bytes(data)
    text = judged(bench.folder, "odd.yaml")
    refused, fine = text.startswith("refused: "), text == "planned"
    # What Snakemake itself cannot read never reaches the workflow: only a real call shows.
    if number % REAL == 0 or not (refused or fine):
        with limited(resource.RLIMIT_AS, MEMORY):
            done = bench.snakemake("--dry-run", "--quiet", "--configfile", "odd.yaml")
        if "Traceback" in done.text:
            return Attempt(what, f"a traceback: ...{done.text[-1500:]}")
        if refused and done.code == 0:
            return Attempt(what, f"Snakemake plans what the library refuses ({text})")
        if done.code != 0 and len(done.text.strip()) < 20:
            return Attempt(what, f"exit code {done.code} without a sentence: {done.text!r}")
        if text.startswith("no answer"):
            return Attempt(what, text)
    elif refused and ("\n" in text.strip() or len(text) > 2000):
        return Attempt(what, f"not one sentence: {text[:600]!r}")
    strangers = {path.name for path in bench.folder.iterdir()} & {"pwned", "touch"}
    return Attempt(what, f"ran a command: {strangers}" if strangers else "")


KIND = Kind(
    "configs",
    "shipped configs with wrong types, odd numbers, keys and texts, broken YAML, binary junk",
    "a dry run ends with a plan or with a sentence, never with a traceback",
    "configs",
    300,
    ready,
    attempt,
)
