"""`lincon COMMAND ...`, and `python -m lincon COMMAND ...`."""

import signal
import sys
from collections.abc import Sequence


def start(arguments: Sequence[str] | None = None) -> int:
    # A closed pipe, as of `lincon --help | head`, and Ctrl-C while it starts or ends are silent.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    from lincon.cli.main import main

    signal.signal(signal.SIGINT, signal.default_int_handler)
    code = main(arguments)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    return code


if __name__ == "__main__":
    sys.exit(start())
