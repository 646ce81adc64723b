"""Is a run alive in this folder? A shared file lock, held by every Snakemake that runs here.

The system drops it with the process, however that ends. So whoever can take it alone knows that no
other run is alive, and that the lock which Snakemake left is of the dead.
"""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import sleep
from typing import IO

LOCK = Path("results/.alive")
TRIES, PAUSE = 100, 0.1  # seconds


def hold() -> IO[str] | None:
    """Say that a run is alive while the result is kept; None where nothing can be written.

    Whoever clears up is waited for, which is a moment: it would take this run for none.
    """
    try:
        LOCK.parent.mkdir(parents=True, exist_ok=True)
        file = open(LOCK, "a", encoding="utf-8")  # noqa: SIM115
        for _ in range(TRIES):
            with suppress(BlockingIOError):
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
                return file
            sleep(PAUSE)
    except OSError:
        pass
    return None


@contextmanager
def alone() -> Iterator[bool]:
    """Whether no run is alive here; none can start to hold the lock inside."""
    LOCK.parent.mkdir(parents=True, exist_ok=True)
    with open(LOCK, "a", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        yield True


def snakemake_locks() -> list[Path]:
    return list(Path(".snakemake/locks").glob("*"))
