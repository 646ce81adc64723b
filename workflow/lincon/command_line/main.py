"""`lincon STAGE ...`: arguments in, files out; each stage is a module of its own beside this one.

A stage has a docstring, a `Settings` dataclass, `ARGUMENTS` (its files) and `run(settings, args)`.
Only the module of the stage that is called is imported, and heavy imports are inside its `run`.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from types import ModuleType
from typing import Any

from lincon import __version__
from lincon.command_line import project
from lincon.command_line.settings import from_argument, to_argument
from lincon.errors import UserError
from lincon.files import refusals
from lincon.fingerprint import fingerprint

# The stages of the workflow, in the order of the data, and what each does.
STAGES = {
    "fetch": "get raw files",
    "extract": "make the arms of a dataset from its source",
    "problem": "find the optimum of arms and a floor, and check the paper's assumptions",
    "compile": "compile a kernel into the cache that jobs share",
    "simulate": "play a block of runs of one policy",
    "summarise": "average the runs of a setting",
    "analyse": "theory, claims and league of one experiment",
    "published": "published runs beside those of one experiment",
    "figures": "all figures of one experiment",
    "sweep": "the figures of a sweep",
    "atlas-play": "play a block of an atlas' problems with all its policies",
    "atlas": "frames, text and figures of an atlas",
    "tables": "the tables over all settings of a study",
    "page": "the page of a study",
    "plan": "leave a study's plan beside its results",
    "manifest": "record the checksums of all that a study is made of",
    "recover": "after a kill, remove half-written files, and Snakemake's lock if no run is alive",
    "verify": "check the files of studies against the checksums in their manifests",
    "notices": "what a reader must know at the end of a run",
    "clean-stale": "run files that no study refers to",
    "profile": "processor time by stage and phase, from the logs",
}


# The package that a stage's numbers come from, where it is not what is drawn or written of them.
CODE = {
    **dict.fromkeys(("compile", "simulate", "atlas-play"), "engine"),
    "extract": "data",
    "problem": "problem",
    **dict.fromkeys(("summarise", "analyse", "published", "tables", "atlas"), "analysis"),
    **dict.fromkeys(("figures", "sweep"), "figures"),
    "page": "page",
}
# Those of them that people call.
BY_HAND = ("verify", "clean-stale", "profile", "recover")


def module_of(stage: str) -> ModuleType:
    return importlib.import_module(f"lincon.command_line.{stage.replace('-', '_')}")


def job(stage: str, **settings: Any) -> dict[str, str]:
    """A rule's only param: the stage's settings and the fingerprint of the code behind them.

    Snakemake compares params as a nameless set and its between-workflow cache looks at nothing
    else, so everything that an output depends on, besides input files, is in this one value.
    """
    module = module_of(stage)
    made = module.Settings(**settings)
    # What is checked by a checksum is the same whatever code brings it.
    code = fingerprint(CODE.get(stage, "report")) if not getattr(module, "PINNED", False) else ""
    return {"settings": to_argument(made), "code": code}


def parser(stage: str) -> argparse.ArgumentParser:
    module = module_of(stage)
    result = argparse.ArgumentParser(
        prog=f"lincon {stage}", description=(module.__doc__ or "").splitlines()[0]
    )
    if hasattr(module, "Settings"):
        result.add_argument("--settings", required=True, help="the stage's settings, as JSON")
        result.add_argument("--code", default="", help="the fingerprint of the stage's code")
    for name, options in module.ARGUMENTS.items():
        result.add_argument(name, **({"help": options} if isinstance(options, str) else options))
    return result


def run_stage(stage: str, arguments: Sequence[str]) -> int:
    """Run a stage; a user's mistake is one sentence on the error stream, and exit code 1."""
    start = time.perf_counter()
    module = module_of(stage)
    args = parser(stage).parse_args(arguments)
    try:
        with refusals():
            if hasattr(module, "Settings"):
                module.run(from_argument(module.Settings, args.settings), args)
                if getattr(module, "TIMED", True):
                    # Of this process, and of those that it started.
                    cpu, wall = sum(os.times()[:4]), time.perf_counter() - start
                    print(f"lincon {stage}: {cpu:.2f} s of processor time, {wall:.2f} s in all")
            else:
                module.run(args)
    except UserError as error:
        with suppress(OSError):  # a log that has no room either
            print(f"lincon {stage}: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"lincon {stage}: interrupted", file=sys.stderr)
        return 130
    return 0


def usage() -> str:
    lines = [f"lincon {__version__}: a bench for linearly constrained bandits", ""]
    lines += ["to work with a study:"]
    by_hand = project.COMMANDS | {name: STAGES[name] for name in BY_HAND}
    jobs = {name: text for name, text in STAGES.items() if name not in BY_HAND}
    lines += [f"  {name:<13}{text}" for name, text in by_hand.items()]
    lines += ["", "what the jobs of a study call (each with --help):"]
    lines += [f"  {name:<13}{text}" for name, text in jobs.items()]
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    try:
        return _main(sys.argv[1:] if arguments is None else arguments)
    except BrokenPipeError:  # as of `lincon --help | head`
        # What is still to be written has nowhere to go.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _main(arguments: Sequence[str]) -> int:
    if not arguments or arguments[0] in ("-h", "--help"):
        print(usage(), flush=True)
        return 0
    if arguments[0] == "--version":
        print(f"lincon {__version__}")
        return 0
    stage, *rest = arguments
    if stage in project.COMMANDS:
        return project.main(stage, rest)
    if stage not in STAGES:
        print(f"lincon: {stage!r} is no command; see lincon --help", file=sys.stderr)
        return 2
    return run_stage(stage, rest)
