"""Decisions with an id, and the log that they are written to."""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lincon.errors import UserError
from lincon.policies.online.arms import Name


@dataclass(frozen=True)
class Decision:
    """One choice. `mixture` is the one that it was drawn from, None where arms are drawn uniformly.

    `propensity` is the probability of the arm given the past, as a weight for logged data needs it
    (`OnlinePolicy.decide`); None where it was not asked for.
    """

    id: str
    arm: Name
    round: int
    time: float
    mixture: Mapping[Name, float] | None
    propensity: float | None


class DecisionLog:
    """JSON lines, from which `lincon replay` can tell what other policies would have done.

    A line is one write to a file that is open for appending, so workers may share it, and a kill
    leaves no line half-written.
    """

    def __init__(self, path: str | Path) -> None:
        self._file = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)
        size = os.fstat(self._file).st_size
        # A full disk may have cut the last line short: what follows is a line of its own.
        if size and os.pread(self._file, 1, size - 1) != b"\n":
            os.write(self._file, b"\n")

    def write(self, **entry: Any) -> None:
        line = json.dumps(entry).encode() + b"\n"
        if os.write(self._file, line) != len(line):
            raise UserError("the decision log could not be written: the disk is full")

    def __del__(self) -> None:
        if hasattr(self, "_file"):
            os.close(self._file)
