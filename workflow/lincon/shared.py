"""Where the files are that the workflow, its schema and its ready experiments consist of.

A checkout has them beside the package. A copy that pip installed has the same tree inside it, in
`shared/`, so whoever asks here need not know which of the two is running.
"""

from __future__ import annotations

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


def real_command() -> str:
    """What to type, here, to get the real data: a study of `lincon init` has no Makefile."""
    return "make real" if Path("Makefile").is_file() else "lincon real"


def snakefile() -> Path:
    """The workflow, for the `module` of another one."""
    return root() / "workflow" / "Snakefile"
