"""`lincon COMMAND ...`: what a person types, and `simulate` and `compile`, which jobs type.

Each command is a module with `arguments(parser)` and `run(args)`. Only that of the command which is
called is imported, because a simulation starts with it.
"""

import argparse
import importlib
import os
import sys
from collections.abc import Sequence

from lincon import __version__
from lincon.job import one_sentence

# Command -> its module here, and what it does.
COMMANDS = {
    "init": (
        "init",
        "begin a study: lincon init my_study, or lincon init --arms links.csv --floor 0.025",
    ),
    "run": ("study", "compute what is missing; takes all of Snakemake's options"),
    "status": ("study", "how many runs exist, are missing or are out of date"),
    "league": ("league", "which policy wins and by how much, in every experiment that was run"),
    "replay": ("replay", "what other policies would have done on a log of decisions"),
    "real": ("study", "once online: download the real data and replace the stand-ins"),
    "report": ("study", "Snakemake's report of how results were made: snakemake-report.html"),
    "verify": ("verify", "check tables and records of results/ against the checksums inside them"),
    "simulate": ("simulate", "play runs of one policy: the line that every simulation job is"),
    "compile": ("compile", "compile a kernel into the cache that jobs share"),
}


def usage() -> str:
    lines = [f"lincon {__version__}: a bench for linearly constrained bandits", ""]
    lines += [f"  lincon {name:<10}{about}" for name, (_, about) in COMMANDS.items()]
    return "\n".join([*lines, "", "Each has --help."])


def main(arguments: Sequence[str] | None = None) -> int:
    command, *rest = (sys.argv[1:] if arguments is None else arguments) or ["--help"]
    try:
        if command in COMMANDS:
            return _run(command, rest)
        known = {"--version": f"lincon {__version__}", "-h": usage(), "--help": usage()}
        if command in known:
            print(known[command], flush=True)
            return 0
    except BrokenPipeError:  # as of `lincon --help | head`
        # What is still to be written has nowhere to go.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    print(f"lincon: {command!r} is not a command; see lincon --help", file=sys.stderr)
    return 2


def _run(command: str, arguments: Sequence[str]) -> int:
    name, about = COMMANDS[command]
    with one_sentence(f"lincon {command}"):
        module = importlib.import_module(f"lincon.cli.{name}")
        parser = argparse.ArgumentParser(prog=f"lincon {command}", description=about)
        parser.set_defaults(command=command)
        module.arguments(parser)
        # The rest is passed on to Snakemake.
        args, others = parser.parse_known_args(arguments)
        if others and not getattr(module, "FOR_SNAKEMAKE", False):
            parser.error(f"unknown: {' '.join(others)}")
        args.words, args.others = [command, *arguments], others
        return module.run(args) or 0
