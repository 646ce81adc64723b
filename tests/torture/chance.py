"""Number of random attempts: a few in `make test`, many in `make torture`."""

import os
import zlib

import numpy as np

from tests.workflow.bench import Bench, checksums


def attempts(few: int, many: int) -> range:
    """The numbers of the attempts; each is a test of its own, which -k can repeat."""
    return range(many if os.environ.get("TORTURE") else few)


def generator(kind: str, number: int) -> np.random.Generator:
    """An attempt depends on its kind and its number alone."""
    return np.random.default_rng([1, zlib.crc32(kind.encode()), number])


def tables(bench: Bench) -> dict[str, str]:
    """Path -> sha256 of the results that must have the same bytes everywhere: all but figures."""
    return {path: sha256 for path, sha256 in checksums(bench).items() if "/figures/" not in path}
