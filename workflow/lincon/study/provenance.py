"""What a study was made with: config, versions, commit, inputs, command, machine."""

from __future__ import annotations

import datetime
import os
import platform
import subprocess
from collections.abc import Iterable, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

from lincon import __version__
from lincon.data import arms as arm_table
from lincon.shared import root

PACKAGES = ("snakemake", "numpy", "numba", "scipy", "pandas", "pyarrow", "matplotlib")


def provenance(config: Mapping[str, Any], arms: Iterable[str], command: str) -> dict[str, Any]:
    """The record of a study with these arm tables."""
    return {
        "study": config["study"],
        "time": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "command": command,
        "config": dict(config),
        "seeds": {"seed": config["seed"], "runs": config["runs"]},
        "datasets": {
            table.dataset: _facts(table, config["datasets"]) for table in map(arm_table.read, arms)
        },
        "versions": versions(),
        "git": git(root()),
        "machine": {
            "system": f"{platform.system()} {platform.release()}",
            "processor": platform.machine(),
            "cores": os.cpu_count(),
        },
    }


def _facts(table: arm_table.Arms, datasets: Mapping[str, Any]) -> dict[str, str]:
    """What the table knows, and what the config says of its dataset (before the @ of a variant).

    Arms do not depend on where a file is downloaded from, so they do not know it.
    """
    entry = datasets.get(table.dataset.partition("@")[0], {})
    files = entry.get("files", {}).values() if table.source == "real" else ()
    address = ", ".join(file["address"] for file in files if "address" in file)
    known = {key: str(getattr(table, key)) for key in arm_table.METADATA}
    known |= {"licence": str(entry.get("licence", ""))} | ({"address": address} if address else {})
    return {"arms": str(len(table))} | {key: text for key, text in known.items() if text}


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
