"""What a study was made with: config, versions, commit, inputs, command, machine, time by stage."""

from __future__ import annotations

import datetime
import os
import platform
import subprocess
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

from lincon import __version__
from lincon.shared import root
from lincon.study.profile import stage_times

PACKAGES = ("snakemake", "numpy", "numba", "scipy", "pandas", "pyarrow", "matplotlib", "altair")


def provenance(
    config: Mapping[str, Any], datasets: Mapping[str, Mapping[str, str]], command: str, logs: Path
) -> dict[str, Any]:
    """The record of a study; `datasets` has the metadata of each arm table."""
    return {
        "study": config["study"],
        "time": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "command": command,
        "config": dict(config),
        "seeds": {"seed": config["seed"], "runs": config["runs"]},
        "datasets": {
            name: dict(entry) | {"licence": _licence(config, name)}
            for name, entry in datasets.items()
        },
        "versions": versions(),
        "git": git(root()),
        "machine": machine(),
        "times": stage_times(logs),
    }


def versions() -> dict[str, str]:
    found = {"lincon": __version__, "python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def git(folder: Path) -> dict[str, Any]:
    """The commit of the workflow, and whether files differ from it; empty outside a checkout."""
    commit = _git(folder, "rev-parse", "HEAD")
    if not commit:
        return {}
    return {"commit": commit, "dirty": bool(_git(folder, "status", "--porcelain", "--", "."))}


def _git(folder: Path, *arguments: str) -> str:
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *arguments], capture_output=True, text=True, check=False
        )
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def machine() -> dict[str, Any]:
    return {
        "system": f"{platform.system()} {platform.release()}",
        "processor": platform.machine(),
        "cores": os.cpu_count(),
    }


def _licence(config: Mapping[str, Any], dataset: str) -> str:
    """A dataset whose parameter was replaced has the licence of the one that it varies."""
    return str(config["datasets"].get(dataset.partition("@")[0], {}).get("licence", ""))
