"""Where a study's processor time went: by stage, and inside simulation jobs by phase."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path
from typing import Any

# The last lines that a job leaves in its log.
STAGE = re.compile(r"^lincon (\S+): ([\d.]+) s of processor time, ([\d.]+) s in all$", re.M)
PHASES = re.compile(r"^processor seconds by phase: (.+)$", re.M)


def stage_times(logs: Path) -> list[dict[str, Any]]:
    """Jobs, processor and wall time by stage, the longest first."""
    times: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for text in _texts(logs):
        for stage, cpu, wall in STAGE.findall(text):
            times[stage].append((float(cpu), float(wall)))
    rows = []
    for stage, values in times.items():
        cpu, wall = (round(sum(column), 2) for column in zip(*values, strict=True))
        rows.append({"rule": stage, "jobs": len(values), "cpu_seconds": cpu, "wall_seconds": wall})
    return sorted(rows, key=lambda row: -row["cpu_seconds"])


def phase_times(logs: Path) -> dict[str, list[float]]:
    """Phase of a simulation job -> its processor seconds in every job that said so."""
    times: dict[str, list[float]] = defaultdict(list)
    for text in _texts(logs):
        for phases in PHASES.findall(text):
            for phase, seconds in map(str.split, phases.split(", ")):
                times[phase].append(float(seconds))
    return times


def profile(logs: Path) -> str:
    """Both as tables."""
    rows = [f"{'stage':<12}{'jobs':>7}{'CPU s':>10}{'wall s':>10}{'CPU s a job':>13}"]
    for row in stage_times(logs):
        counts = f"{row['rule']:<12}{row['jobs']:>7}{row['cpu_seconds']:>10.2f}"
        rest = f"{row['wall_seconds']:>10.2f}{row['cpu_seconds'] / row['jobs']:>13.2f}"
        rows.append(counts + rest)
    phases = phase_times(logs)
    if phases:
        rows += ["", f"{'in simulate':<12}{'jobs':>7}{'CPU s':>10}{'CPU s a job':>23}"]
    for phase, seconds in phases.items():
        total = sum(seconds)
        rows.append(f"{phase:<12}{len(seconds):>7}{total:>10.2f}{total / len(seconds):>23.3f}")
    return "\n".join(rows)


def _texts(logs: Path) -> list[str]:
    return [path.read_text(encoding="utf-8", errors="replace") for path in logs.rglob("*.log")]
