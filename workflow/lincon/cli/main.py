"""`lincon COMMAND ...`: `league` for users, and `simulate`, which jobs call.

Each command is a module with `arguments(parser)` and `run(args)`. Only the module of the called
command is imported, as every simulation job starts here.
"""

import argparse
import importlib
import sys
from collections.abc import Sequence

from lincon import __version__
from lincon.job import one_sentence

COMMANDS = {
    "league": "which policy wins and by how much, in every experiment that was run",
    "simulate": "play runs of one policy: the line that every simulation job is",
}


def main(arguments: Sequence[str] | None = None) -> int:
    lines = [f"  lincon {name:<10}{about}" for name, about in COMMANDS.items()]
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
    options = parser.parse_args((sys.argv[1:] if arguments is None else arguments) or ["--help"])
    with one_sentence(f"lincon {options.command}"):
        module = importlib.import_module(f"lincon.cli.{options.command}")
        about = COMMANDS[options.command]
        parser = argparse.ArgumentParser(prog=f"lincon {options.command}", description=about)
        module.arguments(parser)
        args = parser.parse_args(options.rest)
        args.words = [options.command, *options.rest]
        module.run(args)
    return 0
