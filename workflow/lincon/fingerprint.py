"""A hash of the code behind a rule's output.

Snakemake does not track imports, so every rule has the hash of its code among its params: of the
bytes of every file of the packages that its job imports, of the rule's script, and of the releases
of the numerical libraries. A comment counts, so that the hash is the same with every Python.
"""

import hashlib
from contextlib import suppress
from functools import cache
from importlib import metadata
from pathlib import Path

PACKAGE = Path(__file__).parent
SCRIPTS = PACKAGE.parent / "scripts"
# Loaded by every job.
ALWAYS = ("__init__", "errors", "files", "fingerprint", "job", "typed")
# Package or module -> those that its code or its job imports, which import others in turn.
IMPORTS: dict[str, tuple[str, ...]] = {
    "data": (),
    "problem": ("data", "jit", "kernel_cache"),
    "policies": ("problem",),
    "online": ("policies",),
    "engine": ("policies", "cli.simulate", "study.paths"),
    "cli.simulate": ("__main__", "cli.main", "cli.guarded"),
    "analysis": ("problem",),
    "report": ("analysis", "online", "study.provenance", "study.style"),
}
RELEASES = ("numba", "numpy", "scipy")


@cache
def fingerprint(name: str, script: str | None = None) -> str:
    """A short hash of the code of a job.

    Parameters
    ----------
    name
        A package of lincon, such as `engine`, or a module in it: the whole package counts, and
        all that it imports.
    script
        The file in workflow/scripts that the rule runs.

    Returns
    -------
    str
        12 hexadecimal digits.
    """
    paths = [path for part in behind(name) for path in _files(part)]
    paths += [SCRIPTS / script] if script else []
    digest = hashlib.sha256()
    for path in sorted(paths):
        content = hashlib.sha256(path.read_bytes()).hexdigest()
        digest.update(f"{path.relative_to(PACKAGE.parent).as_posix()} {content}\n".encode())
    for release in RELEASES:
        digest.update(f"{release} {_version(release)}\n".encode())
    return digest.hexdigest()[:12]


def behind(name: str) -> list[str]:
    """The packages and modules whose files count for `name`, sorted."""
    parts, new = set(ALWAYS), {name.partition(".")[0]}
    while new:
        parts |= new
        new = {other for part in new for other in IMPORTS.get(part, ())} - parts
    return sorted(parts)


def _files(part: str) -> list[Path]:
    base = PACKAGE.joinpath(*part.split("."))
    if not base.is_dir():
        return [base.with_suffix(".py")]
    return [p for p in base.rglob("*") if p.is_file() and "__pycache__" not in p.parts]


def _version(release: str) -> str:
    with suppress(metadata.PackageNotFoundError):  # rules are read without the jobs' packages too
        return metadata.version(release)
    return ""
