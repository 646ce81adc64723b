"""Provenance of a study: config, versions, commit, inputs, machine."""

import datetime
import os
import platform
import subprocess
from collections.abc import Iterable, Mapping
from importlib import metadata
from typing import Any

from lincon import __version__
from lincon.data import arms as arm_table
from lincon.fingerprint import PACKAGE

PACKAGES = ("snakemake", "numpy", "numba", "scipy", "pandas", "pyarrow", "matplotlib")


def provenance(config: Mapping[str, Any], arms: Iterable[str]) -> dict[str, Any]:
    """The record of a study with these arm tables."""
    commit, changes = _git("rev-parse", "HEAD"), _git("status", "--porcelain", "--", ".")
    versions = {name: metadata.version(name) for name in PACKAGES}
    return {
        "study": config["study"],
        "time": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "config": dict(config),
        "seeds": {"seed": config["seed"], "runs": config["runs"]},
        "datasets": {
            table.dataset: _facts(table, config["datasets"]) for table in map(arm_table.read, arms)
        },
        "versions": {"lincon": __version__, "python": platform.python_version()} | versions,
        "git": {"commit": commit, "dirty": bool(changes)} if commit else {},
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
    places = (file.get("address") for file in files)
    address = ", ".join(dict.fromkeys(filter(None, places)))
    known = {key: str(getattr(table, key)) for key in arm_table.METADATA}
    known |= {"licence": str(entry.get("licence", ""))} | ({"address": address} if address else {})
    return {"arms": str(len(table))} | {key: text for key, text in known.items() if text}


def _git(*arguments: str) -> str:
    """The workflow's commit; nothing outside a checkout."""
    try:
        command = ["git", "-C", str(PACKAGE), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""
