"""Where the files are that the workflow, its schema and its ready experiments consist of.

A checkout has them beside the package. A copy that pip installed has the same tree inside it, in
`shared/`, so whoever asks here need not know which of the two is running.
"""

from __future__ import annotations

import shlex
from pathlib import Path

PACKAGE = Path(__file__).parent
CHECKOUT = PACKAGE.parents[1]


def root() -> Path:
    """The folder that holds workflow/ and config/."""
    if (CHECKOUT / "workflow" / "schemas").is_dir():
        return CHECKOUT
    return PACKAGE / "shared"


def schema(name: str) -> Path:
    return root() / "workflow" / "schemas" / f"{name}.schema.yaml"


def real_command(mirror: str = "") -> str:
    """What to type, here, to get the real data (from a folder): `lincon init` gives no Makefile."""
    option = ["--config", f"mirrors=[{mirror}]"] if mirror else []
    if not Path("Makefile").is_file():
        return shlex.join(["lincon", "real", *option])
    return shlex.join(["make", "real"] + [f"ARGS={' '.join(option)}"] * bool(mirror))


def snakefile() -> Path:
    """The workflow, for the `module` of another one."""
    return root() / "workflow" / "Snakefile"
