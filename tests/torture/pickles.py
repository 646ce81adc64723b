"""The published pickle, mutated: read or refused, never anything else."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from tests.torture.kind import Attempt, Kind
from tests.unit.data.pickles import fuzzed

AT_ONCE = 1_000


@contextmanager
def ready(folder: Path) -> Iterator[Path]:
    place = folder / "pickles"
    place.mkdir(parents=True)
    yield place


def attempt(place: Path, rng: np.random.Generator, _: int) -> Attempt:
    read, refused = fuzzed(place, int(rng.integers(2**32)), AT_ONCE)
    return Attempt(f"{read} read, {refused} refused", "", read + refused)


KIND = Kind(
    "pickles",
    "the published pickle with bytes changed, dropped, added and copied",
    "numbers are read, or it is refused with a sentence; nothing is run",
    "mutations",
    100_000,
    ready,
    attempt,
)
