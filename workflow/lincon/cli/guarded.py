"""A job in a process of its own, since a user-defined policy may hang, print without end or leave.

Whatever it does is one sentence that names the policy, at the end of the job's log.
"""

import io
import os
import signal
import subprocess
import sys
from collections.abc import Sequence

from lincon.errors import UserError

# How the process inside ends when it has done its work; a policy may call os._exit(0).
DONE = 17
INSIDE = "LINCON_GUARDED"
# Letters of a log.
LONGEST = 1_000_000


def guarded(arguments: Sequence[str], who: str, seconds: float) -> None:
    """Call `lincon` with these arguments; `UserError` if it does not come to its end in time."""
    command, within = [sys.executable, "-m", "lincon", *arguments], seconds or None
    try:
        code = subprocess.run(command, env=os.environ | {INSIDE: "1"}, timeout=within).returncode
    except subprocess.TimeoutExpired:
        raise UserError(
            f"{who} was still playing after {seconds:,.0f} seconds; if it needs them, give it more "
            f"seconds per run with {who}.time_limit"
        ) from None
    if code == 0:
        raise UserError(f"{who} ended the process, as with os._exit; it must play to the end")
    if code < 0:
        raise UserError(f"the process of {who} was ended by {signal.Signals(-code).name}")
    if code != DONE:
        sys.exit(code)  # which the process inside has explained


class Short(io.TextIOWrapper):
    """A log that takes so much and no more."""

    room = LONGEST

    def write(self, text: str) -> int:
        kept, self.room = self.room > 0, self.room - len(text)
        if kept:
            super().write(text if self.room > 0 else f"{text}\n[what follows is left out]\n")
        return len(text)


def begin() -> None:
    """In the process inside: a cap on what is printed, and Ctrl-C is no KeyboardInterrupt, which
    can then only be the policy's own."""
    sys.stdout = Short(sys.stdout.buffer, "utf-8", "backslashreplace", line_buffering=True)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
