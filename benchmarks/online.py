"""How long does a choice of lincon.online take, and how long its import?

    python benchmarks/online.py [--arms 1000]

Half the rounds are played first, so that the arms are not all alike. Each figure is the median of
many choices, in milliseconds.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

WORKFLOW = Path(__file__).resolve().parents[1] / "workflow"
sys.path.insert(0, str(WORKFLOW))

from lincon.online import LearnedLedger, LinConKLUCB, LinConTS  # noqa: E402

IMPORT = """
import sys, time
sys.path.insert(0, {path!r})
start = time.perf_counter()
import numpy
middle = time.perf_counter()
import lincon.online
print(middle - start, time.perf_counter() - middle)
"""


def milliseconds(policy_class: type, arms: int, rounds: int = 2000) -> float:
    """The median time of a choice on arms drawn at random."""
    rng = np.random.default_rng(1)
    mean, value = rng.random((2, arms))
    policy = policy_class(value, 2, eta=0.8)
    times = []
    for t in range(arms + 2 * rounds):
        start = time.perf_counter()
        arm = policy.choose()
        if t >= arms + rounds:
            times.append(time.perf_counter() - start)
        policy.update(arm, rng.random() < mean[arm])
    return 1000.0 * statistics.median(times)


def import_seconds() -> tuple[float, float]:
    """(NumPy, lincon.online after it), the lowest of several new processes."""
    code = IMPORT.format(path=str(WORKFLOW))
    runs = [
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        for _ in range(5)
    ]
    times = [tuple(float(word) for word in run.stdout.split()) for run in runs]
    return min(first for first, _ in times), min(second for _, second in times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--arms", type=int, default=1000)
    arms = parser.parse_args().arms
    for policy_class in (LinConTS, LinConKLUCB, LearnedLedger):
        name = policy_class.__name__
        print(f"{name} at {arms:,} arms: {milliseconds(policy_class, arms):.2f} ms per choice")
    numpy_seconds, own_seconds = import_seconds()
    print(f"import: {own_seconds:.3f} s, and NumPy before it {numpy_seconds:.3f} s")


if __name__ == "__main__":
    main()
