"""Where the files are that the workflow and its ready experiments consist of.

A checkout has them beside the package. A copy that pip installed has the same tree inside it, in
`shared/`, so whoever asks here need not know which of the two is running.
"""

from pathlib import Path

PACKAGE = Path(__file__).parent


def root() -> Path:
    """The folder that holds workflow/ and config/."""
    checkout = PACKAGE.parents[1]
    return checkout if (checkout / "workflow" / "schemas").is_dir() else PACKAGE / "shared"


def snakefile() -> Path:
    """The workflow, for the `module` of another one."""
    return root() / "workflow" / "Snakefile"
