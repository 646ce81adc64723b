"""A kind of torture, one attempt of it, and what came of many."""

from __future__ import annotations

import time
import traceback
import zlib
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest


@dataclass(frozen=True)
class Attempt:
    """What was tried, how many it counts for, and what went wrong ("" where it held)."""

    what: str
    failure: str = ""
    size: int = 1
    skipped: bool = False


@dataclass(frozen=True)
class Kind:
    """`ready(folder)` makes what all attempts share; `attempt(shared, rng, number)` is one of them.

    An attempt depends on its generator and its number alone, so that one can be played again.
    """

    name: str
    tries: str
    holds: str
    unit: str
    count: int
    ready: Callable[[Path], AbstractContextManager[Any]]
    attempt: Callable[[Any, np.random.Generator, int], Attempt]


@dataclass
class Result:
    kind: str
    seed: int
    start: int
    tried: int = 0
    held: int = 0
    failed: int = 0
    attempts: int = 0
    seconds: float = 0.0
    skipped: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)

    def add(self, number: int, attempt: Attempt) -> None:
        self.attempts += 1
        if attempt.skipped:
            self.skipped.append(attempt.what)
            return
        self.tried += attempt.size
        if attempt.failure:
            self.failed += attempt.size
            self.failures.append(
                f"{attempt.what}: {attempt.failure}\n"
                f'  again: make torture ARGS="--only {self.kind} --seed {self.seed} '
                f'--start {number} --count 1"'
            )
        else:
            self.held += attempt.size

    def as_dict(self) -> dict[str, Any]:
        return asdict(self) | {"seconds": round(self.seconds, 1)}


def generator(kind: Kind, seed: int, number: int) -> np.random.Generator:
    return np.random.default_rng([seed, zlib.crc32(kind.name.encode()), number])


def torture(
    kind: Kind,
    folder: Path,
    seed: int,
    count: int,
    start: int = 0,
    tell: Callable[[int, Attempt], object] = lambda number, attempt: None,
) -> Result:
    """Attempts from number `start` on, until they count for `count` in all."""
    result, began = Result(kind.name, seed, start), time.perf_counter()
    with kind.ready(folder) as shared:
        number = start
        while result.tried + len(result.skipped) < count:
            attempt = _one(kind, shared, seed, number)
            result.add(number, attempt)
            tell(number, attempt)
            number += 1
    result.seconds = time.perf_counter() - began
    return result


def _one(kind: Kind, shared: Any, seed: int, number: int) -> Attempt:
    try:
        return kind.attempt(shared, generator(kind, seed, number), number)
    # Whatever it is, it is what is looked for here; what pytest raises is not an Exception.
    except (Exception, pytest.fail.Exception) as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        message = f"{type(error).__name__} in {Path(where.filename).name}, line {where.lineno}: "
        return Attempt(f"attempt {number}", message + str(error))
