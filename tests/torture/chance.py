"""How often chance is tried: a few times by `make test`, many times by `make torture`."""

import os
import zlib

import numpy as np


def attempts(few: int, many: int) -> range:
    """The numbers of the attempts; each is a test of its own, which -k can repeat."""
    return range(many if os.environ.get("TORTURE") else few)


def generator(kind: str, number: int) -> np.random.Generator:
    """An attempt depends on its kind and its number alone."""
    return np.random.default_rng([1, zlib.crc32(kind.encode()), number])
