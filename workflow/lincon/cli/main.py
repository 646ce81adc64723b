"""`lincon COMMAND ...`: the user's commands, and `simulate`, which jobs call.

Each command is a module with `arguments(parser)` and `run(args)`. Only that of the command which is
called is imported, because a simulation starts with it.
"""

import argparse
import importlib
import sys
from collections.abc import Sequence

from lincon import __version__
from lincon.job import one_sentence

# Command -> its module here, and what it does.
COMMANDS = {
    "league": ("league", "which policy wins and by how much, in every experiment that was run"),
    "simulate": ("simulate", "play runs of one policy: the line that every simulation job is"),
}


def main(arguments: Sequence[str] | None = None) -> int:
    lines = [f"  lincon {name:<10}{about}" for name, (_, about) in COMMANDS.items()]
    parser = argparse.ArgumentParser(
        prog="lincon",
        usage="lincon COMMAND ...",
        description="\n".join(["a bench for linearly constrained bandits", "", *lines]),
        epilog="Each command has --help.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"lincon {__version__}")
    parser.add_argument("command", choices=COMMANDS, help=argparse.SUPPRESS)
    parser.add_argument("rest", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    given = parser.parse_args((sys.argv[1:] if arguments is None else arguments) or ["--help"])
    return _run(given.command, given.rest)


def _run(command: str, arguments: Sequence[str]) -> int:
    name, about = COMMANDS[command]
    with one_sentence(f"lincon {command}"):
        module = importlib.import_module(f"lincon.cli.{name}")
        parser = argparse.ArgumentParser(prog=f"lincon {command}", description=about)
        parser.set_defaults(command=command)
        module.arguments(parser)
        args = parser.parse_args(arguments)
        args.words = [command, *arguments]
        return module.run(args) or 0
