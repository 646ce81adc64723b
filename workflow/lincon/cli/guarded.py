"""A job of a user-defined policy in a process group of its own: it may hang, flood or leave.

The parent passes on what the child prints, ends the whole group once the child has finished, failed
or used up its time, and reports every end but a good one in a sentence. The two share a socket, on
which the child announces each run and its end; if either side dies, the other notices.
"""

import faulthandler
import json
import math
import os
import selectors
import signal
import socket
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any, Self

from lincon.errors import UserError

# The environment variable that tells the child its end of the socket.
SOCKET = "LINCON_GUARDED"
# What the child says; anything else is the sentence that explains its failure.
RUN, DONE = "run", "done"
# Bytes of output that are passed on at once, and how many of those that follow are kept.
FIRST, LAST = 1 << 16, 1_000_000
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
    output = Output(process.stdout)
    try:
        last = _last_word(process, ours, output, seconds)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        output.close()
        ours.close()
    if last is None:
        raise UserError(_still_playing(who, seconds))
    if last != DONE:
        raise UserError(last or _left(who, process.returncode))


def _last_word(process: Any, ours: socket.socket, output: "Output", seconds: float) -> str | None:
    """What the child said last: DONE, a sentence, or nothing; None if its time was up."""
    deadline, heard = math.inf, b""
    with selectors.DefaultSelector() as ready:
        ready.register(ours, selectors.EVENT_READ, lambda: ours.recv(FIRST))
        ready.register(output.pipe, selectors.EVENT_READ, output.read)
        while time.monotonic() < deadline:
            ended = process.poll() is not None
            events = ready.select(0.0 if ended else 0.2)
            for key, _ in events:
                chunk = key.data()
                if not chunk:
                    ready.unregister(key.fileobj)
                if key.fileobj is ours:
                    *lines, heard = (heard + chunk).split(b"\n")
                    for line in map(bytes.decode, lines):
                        if line != RUN:
                            return line
                        deadline = time.monotonic() + seconds + GRACE if seconds else math.inf
            if ended and not events:
                return ""
    # Deaf to its alarm, as in one long call of NumPy: faulthandler prints where it is even so.
    process.send_signal(signal.SIGUSR1)
    time.sleep(GRACE / 4)
    return None


class Output:
    """What the child prints: its beginning at once, and the end of what follows it."""

    def __init__(self, pipe: Any) -> None:
        self.pipe, self.room, self.rest, self.cut = pipe, FIRST, bytearray(), False
        os.set_blocking(pipe.fileno(), False)

    def read(self) -> bytes:
        chunk = os.read(self.pipe.fileno(), FIRST)
        self._write(chunk[: self.room])
        self.rest += chunk[self.room :]
        self.room -= min(self.room, len(chunk))
        if len(self.rest) > 2 * LAST:
            self._cut()
        return chunk

    def _cut(self) -> None:
        self.cut |= len(self.rest) > LAST
        del self.rest[:-LAST]

    def close(self) -> None:
        """Print the rest; what a process that left the group still writes is not waited for."""
        with suppress(BlockingIOError):
            for _ in range(100):
                if not self.read():
                    break
        self._cut()
        self._write((b"\n[output left out]\n" if self.cut else b"") + self.rest)
        self.pipe.close()

    def _write(self, chunk: bytes) -> None:
        sys.stdout.buffer.write(chunk)
        sys.stdout.buffer.flush()


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
        while trace and trace.tb_next and _is_ours(trace.tb_frame):
            trace = trace.tb_next
        traceback.print_exception(type(error), error, trace)
        frames = traceback.extract_tb(trace)
        inside = [frame for frame in frames if frame.filename == frames[0].filename]
        place = f" ({inside[-1].filename}, line {inside[-1].lineno})" if inside else ""
        rounds = "".join(f", {note}" for note in getattr(error, "__notes__", ()))
        what = str(error)[:500] if isinstance(error, ImportError) else repr(error)[:500]
        return f"{self.who}, run {self.run}{rounds}: {what}{place}"

    def _time_is_up(self, number: int, frame: FrameType | None) -> None:
        """Report the round and the line; an exception here could be caught by the policy."""
        frames = [each for each, _ in traceback.walk_stack(frame)][::-1]
        calls = [k for k, each in enumerate(frames) if each.f_code.co_name == ENGINE]
        called = frames[calls[-1] + 1 :] if calls else []
        called = called or frames[-1:]
        inside = [f for f in called if f.f_code.co_filename == called[0].f_code.co_filename][-1]
        where = f" in run {self.run}"
        where += "".join(f", round {frames[k].f_locals['t']}" for k in calls)
        where += f", at {inside.f_code.co_filename}, line {inside.f_lineno}"
        self._leave(_still_playing(self.who, self.seconds, where))

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
    return frame.f_code.co_filename.startswith((PACKAGE, "<frozen importlib"))
