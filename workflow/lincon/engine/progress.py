"""A progress line for long runs: rounds, percent, rate, time left."""

from __future__ import annotations

import sys
import time
from typing import TextIO


class Progress:
    """Called with the rounds played so far; prints at most every `every` seconds.

    It is asked between blocks of rounds, so the kernel never waits for it, and a run that ends
    within `every` seconds prints nothing. Its clock starts with the first call: what was before,
    compiling the kernel for instance, says nothing of the rounds to come.
    """

    def __init__(self, horizon: int, every: float = 5.0, out: TextIO = sys.stderr):
        self._horizon, self._every, self._out = horizon, every, out
        self._first: int | None = None

    def __call__(self, t: int) -> None:
        now = time.monotonic()
        if self._first is None:
            self._first, self._start, self._last = t, now, now
        if now - self._last < self._every:
            return
        self._last = now
        rate = (t - self._first) / (now - self._start)
        left = (self._horizon - t) / rate
        share = 100 * t / self._horizon
        print(
            f"round {t:,} of {self._horizon:,} ({share:.0f}%), {rate:,.0f}/s, {left:,.0f} s left",
            file=self._out,
            flush=True,
        )
