"""`python -m lincon COMMAND ...`."""

import signal
import sys


def start() -> int:
    # Ctrl-C before there is anybody to put it into words, and when there is nothing left to do.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    from lincon.cli.main import main

    signal.signal(signal.SIGINT, signal.default_int_handler)
    code = main()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    return code


if __name__ == "__main__":
    sys.exit(start())
