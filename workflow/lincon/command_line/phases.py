"""Where the processor time of a simulation job goes: its start, imports, kernel, rounds, files."""

from __future__ import annotations

import time


class Phases:
    """Processor seconds by phase, in the order in which phases first ended."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._last = 0.0  # of the process, so that its start is the first phase

    def end(self, phase: str) -> None:
        now = time.process_time()
        self.seconds[phase] = self.seconds.get(phase, 0.0) + now - self._last
        self._last = now

    def __str__(self) -> str:
        return ", ".join(f"{phase} {seconds:.3f}" for phase, seconds in self.seconds.items())
