"""A job in a process of its own, since a user-defined policy may hang, print without end or leave.

Whatever it does is one sentence that names the policy, at the end of the job's log.
"""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence

from lincon.errors import UserError

# How the process inside ends when it has done its work; a policy may call os._exit(0).
DONE = 17
INSIDE = "LINCON_GUARDED"
# Bytes of a log, and how many more of its end.
LONGEST, TAIL = 1_000_000, 4_000


def guarded(arguments: Sequence[str], who: str, seconds: float) -> None:
    """Call `lincon` with these arguments; `UserError` if it does not come to its end in time."""
    child = subprocess.Popen(
        [sys.executable, "-m", "lincon", *arguments],
        env=os.environ | {INSIDE: "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    late = threading.Event()

    def end() -> None:
        late.set()
        child.kill()

    clock = threading.Timer(seconds, end)
    clock.start()
    try:
        _copy(child, who)
        code = child.wait()
    finally:
        clock.cancel()
        child.kill()
    if late.is_set():
        raise UserError(
            f"{who} was still playing after {seconds:,.0f} seconds; if it needs them, give it more "
            f"seconds per run with {who}.time_limit"
        )
    if code in (0, DONE):
        if code == 0:
            raise UserError(f"{who} ended the process, as with os._exit; it must play to the end")
        return
    if code < 0:
        raise UserError(f"the process of {who} was ended by {signal.Signals(-code).name}")
    sys.exit(code)  # which the process inside has explained


def _copy(child: subprocess.Popen[bytes], who: str) -> None:
    """What it prints, as far as a log may go, and how it ends."""
    assert child.stdout is not None
    out, printed, tail = sys.stderr.buffer, 0, b""
    while chunk := child.stdout.read1(1 << 16):  # type: ignore[attr-defined]
        room = max(LONGEST - printed, 0)
        out.write(chunk[:room])
        out.flush()
        tail = (tail + chunk[room:])[-TAIL:]
        printed += len(chunk)
    if tail:
        left_out = f"\n[{who} printed {printed:,} bytes; left out but for the end:]\n"
        out.write(left_out.encode() + tail)
        out.flush()
