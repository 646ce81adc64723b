"""A job of a user-defined policy in a process group of its own: it may hang, flood or leave.

The parent keeps the end of what the child prints, ends the whole group once the child has finished,
failed or used up its time, and reports every end but a good one in a sentence. The two share a
socket, on which the child announces each run and its end; if either side dies, the other notices.
"""

import faulthandler
import json
import math
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import takewhile
from pathlib import Path
from types import FrameType
from typing import Any, Self

from lincon.errors import UserError

# The environment variable that tells the child its end of the socket.
SOCKET = "LINCON_GUARDED"
# What the child says; anything else is the sentence that explains its failure.
RUN, DONE = "run", "done"
# Bytes that are read at once, and bytes of output that are kept.
CHUNK, LAST = 1 << 16, 1_000_000
# Seconds in which the child may report by itself where it was when its time was up.
GRACE = 1.0
PACKAGE = str(Path(__file__).parents[1])
# The engine's function that calls a policy in each round t.
ENGINE = "_play"


# --- the parent


def run_guarded(arguments: Sequence[str], who: str, seconds: float) -> None:
    """Call `lincon` with these arguments; `seconds` limits each run, 0 does not."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    ours, theirs = socket.socketpair()
    process = subprocess.Popen(
        [sys.executable, "-m", "lincon", *arguments],
        env=os.environ | {SOCKET: json.dumps([theirs.fileno(), who, seconds])},
        pass_fds=[theirs.fileno()],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    theirs.close()
    output = bytearray()
    reader = threading.Thread(target=_keep_the_end, args=(process.stdout, output), daemon=True)
    reader.start()
    try:
        last = _last_word(process, ours, seconds)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        reader.join(GRACE)  # what a process that left the group still writes is not waited for
        ends = b"" if not output or output.endswith(b"\n") else b"\n"
        sys.stdout.buffer.write(output[-LAST:] + ends)
        sys.stdout.buffer.flush()
    if last is None:
        raise UserError(_still_playing(who, seconds))
    if last != DONE:
        raise UserError(last or _left(who, process.returncode))


def _keep_the_end(pipe: Any, output: bytearray) -> None:
    while chunk := pipe.read1(CHUNK):
        output += chunk
        if len(output) > 2 * LAST:
            output[:-LAST] = b"[output left out]\n"


def _last_word(process: Any, ours: socket.socket, seconds: float) -> str | None:
    """What the child said last: DONE, a sentence, or nothing; None if its time was up."""
    deadline, heard = math.inf, b""
    ours.settimeout(0.2)
    while time.monotonic() < deadline:
        ended = process.poll() is not None
        try:
            chunk = ours.recv(CHUNK)
        except TimeoutError:
            chunk = b""
        *lines, heard = (heard + chunk).split(b"\n")
        for line in map(bytes.decode, lines):
            if line != RUN:
                return line
            deadline = time.monotonic() + seconds + GRACE if seconds else math.inf
        if not chunk and ended:
            return ""
        time.sleep(0.0 if chunk else 0.01)  # a policy may have closed the socket
    # Deaf to its alarm, as in one long call of NumPy: faulthandler prints where it is even so.
    process.send_signal(signal.SIGUSR1)
    time.sleep(GRACE / 4)
    return None


def _left(who: str, code: int) -> str:
    """The sentence for a process that ended without a word."""
    if code < 0:
        memory = ", as when memory runs out" if code == -signal.SIGKILL else ""
        return f"the process of {who} was ended by {signal.Signals(-code).name}{memory}"
    return f"{who} ended its process with code {code}; it must play to the last round"


def _still_playing(who: str, seconds: float, where: str = "") -> str:
    return (
        f"{who} was still playing after {seconds:,.6g} seconds{where}; if it needs longer, set "
        f"{who}.time_limit (seconds per run)"
    )


# --- the child


class Child:
    """The child's side of the guard; as a context it reports how the job ended, and ends."""

    def __init__(self, descriptor: int, who: str, seconds: float) -> None:
        self._socket = socket.socket(fileno=descriptor)
        os.set_inheritable(descriptor, False)
        self.who, self.seconds, self.run = who, seconds, -1
        faulthandler.register(signal.SIGUSR1, all_threads=False)
        signal.signal(signal.SIGALRM, self._time_is_up)
        threading.Thread(target=self._end_with_parent, daemon=True).start()

    @classmethod
    def from_environment(cls) -> Self | None:
        return cls(*json.loads(os.environ[SOCKET])) if SOCKET in os.environ else None

    def begin(self, run: int) -> None:
        """Announce a run, with which its time begins."""
        self.run = run
        self._say(RUN)
        signal.setitimer(signal.ITIMER_REAL, self.seconds)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        self._leave(DONE if error is None else self._sentence(error))

    def _sentence(self, error: BaseException) -> str:
        """One sentence for any failure; the frames of the user's code go to the log before it."""
        if isinstance(error, UserError):
            return str(error)
        trace = error.__traceback__
        place = self._place(traceback.walk_tb(trace))
        while trace and trace.tb_next and _is_ours(trace.tb_frame):
            trace = trace.tb_next
        traceback.print_exception(type(error), error, trace)
        what = str(error) if isinstance(error, ImportError) else repr(error)
        return f"{self.who}, {place}: {what[:500]}"

    def _time_is_up(self, number: int, frame: FrameType | None) -> None:
        """Report where it is; an exception here could be caught by the policy."""
        place = self._place(reversed(list(traceback.walk_stack(frame))))
        self._leave(_still_playing(self.who, self.seconds, f" in {place}"))

    def _place(self, stack: Iterable[tuple[FrameType, int]]) -> str:
        """The run, the round and the line of the user's file, from the outermost frame inwards."""
        frames = list(stack)
        ours = list(takewhile(lambda one: _is_ours(one[0]), frames))
        called = [(frame.f_code.co_filename, line) for frame, line in frames[len(ours) :]]
        place = f"run {self.run}"
        if ours and ours[-1][0].f_code.co_name == ENGINE:
            place += f", round {ours[-1][0].f_locals['t']}"
        lines = [line for file, line in called if file == called[0][0]]
        return place + (f" ({called[0][0]}, line {lines[-1]})" if lines else "")

    def _leave(self, last: str) -> None:
        """Say the last word; threads and exit handlers of the policy are not waited for."""
        with suppress(OSError, ValueError, AttributeError):
            sys.stdout.flush()
            sys.stderr.flush()
        with suppress(OSError):  # where the policy has closed it, the parent has its own sentence
            self._say(last)
        os._exit(0)

    def _say(self, line: str) -> None:
        self._socket.sendall(" ".join(line.split()).encode("utf-8", "replace") + b"\n")

    def _end_with_parent(self) -> None:
        with suppress(OSError):
            self._socket.recv(1)
        os.killpg(0, signal.SIGKILL)


def _is_ours(frame: FrameType) -> bool:
    return frame.f_code.co_filename.startswith((PACKAGE, "<frozen "))
