"""A hash of the code behind a stage's numbers.

Snakemake does not track imports, so every rule has the fingerprint of its job's package among its
params. It covers the package and the packages that it rests on: the tokens of their Python files
(comments, docstrings, layout and error messages change no number), their other files, and the
releases of the numerical libraries they import. Tokenising takes a second, so its results are kept
on disk by the content of each file.
"""

import hashlib
import io
import json
import re
import tokenize
from contextlib import suppress
from functools import cache
from importlib import metadata
from pathlib import Path

from lincon.files import user_cache, write_text

PACKAGE = Path(__file__).parent
# Packages (or modules), and the others that count with them. What is not listed here passes
# numbers on unchanged: reading, writing, naming and refusing.
RESTS_ON: dict[str, tuple[str, ...]] = {
    "jit": (),
    "data": (),
    "problem": ("jit",),
    "policies": ("problem", "jit"),
    "online": ("policies", "problem"),
    "engine": ("policies", "problem", "jit"),
    "analysis": ("problem",),
    "report": ("analysis", "problem"),
    "report.figures": ("report", "analysis", "problem"),
    "report.page": ("report.figures", "report", "analysis", "problem", "online"),
}
RELEASES = re.compile(rb"^\s*(?:import|from) (numpy|numba|scipy)\b", re.MULTILINE)
UNCOUNTED = (tokenize.COMMENT, tokenize.NL, tokenize.ENDMARKER)
LAYOUT = (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)


@cache
def fingerprint(*modules: str) -> str:
    """A short hash of the code behind modules such as `engine.simulate`: that of their packages."""
    # The hash of what a Python file means by the hash of its content; another version of this
    # module may count other tokens.
    kept, meanings = user_cache() / f"code-{_sha256(Path(__file__).read_bytes())[:8]}.json", {}
    with suppress(OSError, ValueError, TypeError):  # damaged, or not there yet
        meanings = dict(json.loads(kept.read_text()))
    known, imported, digest = len(meanings), set(), hashlib.sha256()
    for name in sorted({name for module in modules for name in _behind(module)}):
        for path in _files(name):
            content = path.read_bytes()
            key = _sha256(content)
            if path.suffix == ".py" and key not in meanings:
                meanings[key] = _sha256(meaning(content.decode()).encode())
            place = path.relative_to(PACKAGE).as_posix()
            digest.update(f"{place}\0{meanings.get(key, key)}\0".encode())
            imported |= {found.decode() for found in RELEASES.findall(content)}
    for release in sorted(imported):
        digest.update(f"{release} {_version(release)}\0".encode())
    if len(meanings) > known:
        with suppress(OSError):  # then the next call tokenises again
            write_text(kept, json.dumps(meanings))
    return digest.hexdigest()[:12]


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _behind(module: str) -> tuple[str, ...]:
    name = max((key for key in RESTS_ON if f"{module}.".startswith(f"{key}.")), key=len)
    return (name, *RESTS_ON[name])


def _files(name: str) -> list[Path]:
    """The files of a package, without those of packages inside it that RESTS_ON lists."""
    base = PACKAGE.joinpath(*name.split("."))
    if not base.is_dir():
        return [base.with_suffix(".py")]
    left = {PACKAGE.joinpath(*other.split(".")) for other in RESTS_ON if other != name}
    left -= set(base.parents)
    files = [path for path in base.rglob("*") if path.is_file() and not left & set(path.parents)]
    return sorted(path for path in files if "__pycache__" not in path.parts)


def meaning(source: str) -> str:
    """The tokens that can change a number."""
    words: list[str] = []
    begins, raising = True, False
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type in UNCOUNTED:
            continue
        if token.type in LAYOUT:
            begins, raising = True, False
            words.append(f" {tokenize.tok_name[token.type]} ")
            continue
        # A string that is a statement is a docstring.
        if not raising and not (begins and token.type == tokenize.STRING):
            words.append(token.string)
        raising = raising or (begins and token.string == "raise")
        begins = False
    # Python 3.12 made an f-string many tokens: put together, they are the one token of 3.11.
    return "".join(words)


def _version(release: str) -> str:
    with suppress(metadata.PackageNotFoundError):  # rules are read without the jobs' packages too
        return metadata.version(release)
    return ""
