"""Regenerate requirements*.txt from pyproject.toml: every package pinned, with its hashes.

    python tools/lock.py [--upgrade]

Pins that still satisfy pyproject.toml are kept; --upgrade takes the newest. The first line of each
file holds a digest of pyproject.toml's requirements, by which a test sees that a file is outdated.
"""

import hashlib
import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).parents[1]
# The file, what it is for, and which optional parts of pyproject.toml it holds in addition.
LOCKS: dict[str, tuple[str, list[str]]] = {
    "requirements.txt": ("running the workflow", ["--extra=workflow"]),
    "requirements-slurm.txt": ("running it on Slurm", ["--extra=workflow", "--extra=slurm"]),
    "requirements-test.txt": ("testing it", ["--extra=workflow", "--extra=slurm", "--extra=test"]),
}


def asked() -> dict[str, Any]:
    """What pyproject.toml says about dependencies."""
    content = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
    project = content["project"]
    keys = ("requires-python", "dependencies", "optional-dependencies")
    return {key: project[key] for key in keys} | {"groups": content["dependency-groups"]}


def header(name: str) -> str:
    digest = hashlib.sha256(json.dumps(asked(), sort_keys=True).encode()).hexdigest()[:16]
    return f"# For {LOCKS[name][0]}; made by `make lock` from pyproject.toml ({digest}).\n"


def lock(name: str, options: list[str]) -> None:
    path = REPOSITORY / name
    command = [
        *("uv", "pip", "compile", "--quiet", "--no-config", "--universal", "--generate-hashes"),
        *("--python-version", "3.11", "--no-header", "--no-annotate"),
        *("--no-emit-index-url", "--no-emit-find-links", "--group", "build"),
        *("--output-file", name, *LOCKS[name][1], *options, "pyproject.toml"),
    ]
    if name != "requirements.txt":
        command += ["--constraints", "requirements.txt"]
    # Settings of this machine, such as a private index, have no place in the files.
    clean = {key: value for key, value in os.environ.items() if not key.startswith("UV_")}
    tools = str(Path(sys.executable).parent)
    clean["PATH"] = os.pathsep.join([tools, *os.get_exec_path()])
    subprocess.run(command, cwd=REPOSITORY, env=clean, stdout=subprocess.DEVNULL, check=True)
    path.write_text(header(name) + path.read_text(encoding="utf-8"), encoding="utf-8")


if __name__ == "__main__":
    for file in LOCKS:
        lock(file, sys.argv[1:])
        print(file)
