"""A progress line for long runs: rounds, percent, rate, time left."""

import sys
import time
from typing import TextIO


class Progress:
    """Called with the rounds played so far; prints at most every `every` seconds.

    It is called between blocks of rounds, so that a run that ends within `every` seconds prints
    nothing. Its clock starts with the first call: compiling the kernel is no part of the rate.
    """

    def __init__(self, horizon: int, every: float = 5.0, out: TextIO = sys.stderr):
        self._horizon, self._every, self._out = horizon, every, out
        self._first = 0

    def __call__(self, t: int) -> None:
        now, horizon = time.monotonic(), self._horizon
        if not self._first:
            self._first, self._start, self._last = t, now, now
        if now - self._last >= self._every:
            self._last, rate = now, (t - self._first) / (now - self._start)
            share, left = f"{t / horizon:.0%}", (horizon - t) / rate
            line = f"round {t:,} of {horizon:,} ({share}), {rate:,.0f}/s, {left:,.0f} s left"
            print(line, file=self._out, flush=True)
