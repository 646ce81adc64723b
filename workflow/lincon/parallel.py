"""One function called many times over processes, with a line of progress."""

import multiprocessing
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from typing import Any


def results_of(
    work: Callable[[int], Any], count: int, processes: int | None, what: str
) -> Iterator[Any]:
    """The results of work(0), ..., work(count - 1), in this order.

    Processes are forked, so they have the kernels that are loaded, and classes that were defined in
    a notebook or a function.

    Parameters
    ----------
    processes : int or None
        Number of processes; None is one per core.
    what : str
        What is counted in the line of progress.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    processes = min(processes or cores or 1, count)
    if processes == 1:
        yield from with_progress(map(work, range(count)), count, what)
        return
    fork = multiprocessing.get_context("fork")
    pool = ProcessPoolExecutor(processes, fork, initializer=_begin, initargs=(work,))
    try:
        yield from with_progress(pool.map(_call, range(count)), count, what)
    finally:
        pool.shutdown(cancel_futures=True)


_work: list[Callable[[int], Any]] = []  # of a forked process


def _begin(work: Callable[[int], Any]) -> None:
    _work[:] = [work]


def _call(k: int) -> Any:
    return _work[0](k)


def with_progress(
    results: Iterable[Any], count: int, what: str, after: float = 2.0
) -> Iterator[Any]:
    """The results; shows how many are done once they take longer than `after` seconds."""
    start = time.monotonic()
    for done, result in enumerate(results, 1):
        spent = time.monotonic() - start
        if spent > after:
            left = f"lincon: {done} of {count} {what}, {spent * (count - done) / done:,.0f} s left"
            show(left if done < count else "")
        yield result


def show(line: str) -> None:
    """Show a line on a terminal or in a notebook, in place of the last one."""
    if sys.stderr.isatty() or "ipykernel" in sys.modules:
        print(f"\r{line:<70}\r", end="", file=sys.stderr, flush=True)
