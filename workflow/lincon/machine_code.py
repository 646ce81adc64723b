"""Machine code on disk: compiled once per version of the engine, loaded by all jobs after that.

Numba's cache looks at the file of the kernel itself: edit a helper that a cached kernel calls and
the old machine code runs; edit a comment and everything is compiled again. Here a folder named by
the meaning of the engine's code (lincon.code) takes the place of both.
"""

from __future__ import annotations

import os
import sys
from functools import cache
from pathlib import Path
from uuid import uuid4

from numba.core.caching import (
    CompileResultCacheImpl,
    FunctionCache,
    IndexDataCacheFile,
    InTreeCacheLocator,
)
from numba.core.runtime import rtsys

from lincon import code
from lincon.files import write_text


@cache
def folder() -> Path:
    home = _home()
    # To work out the meaning takes a tenth of a second: it is noted down beside the bytes' hash.
    note = home / f"meaning-{code.hash_of_bytes()}"
    try:
        meaning = note.read_text(encoding="utf-8")
    except FileNotFoundError:
        meaning = code.fingerprint("simulate")
        write_text(note, meaning)
    return home / f"numba-{meaning}"


def _home() -> Path:
    if "NUMBA_CACHE_DIR" in os.environ:
        return Path(os.environ["NUMBA_CACHE_DIR"])
    if os.access(code.PACKAGE, os.W_OK):
        return code.PACKAGE / "__pycache__"
    return Path.home() / ".cache" / "lincon"


class _Locator(InTreeCacheLocator):
    """Where a function's machine code is, and whether it is up to date."""

    def get_cache_path(self) -> str:
        return str(folder())

    def get_source_stamp(self) -> object:
        # Of the package's own files the folder's name says it, of others (the tests') Numba.
        own = Path(self._py_file).parent == code.PACKAGE
        return None if own else super().get_source_stamp()

    def get_disambiguator(self) -> str:
        return "kernel"  # by default the line, which moves when a comment above it is edited


class _Contents(CompileResultCacheImpl):
    _locator_classes = (_Locator,)


class _Files(IndexDataCacheFile):
    def _data_name(self, number: int) -> str:
        # Two processes that compile at once must not choose one name for two signatures.
        return f"{uuid4().hex}.{super()._data_name(number)}"


class Cache(FunctionCache):
    """Numba's cache of one function, in the folder above."""

    _impl_class = _Contents

    def __init__(self, function):
        super().__init__(function)
        contents = self._impl
        stamp = contents.locator.get_source_stamp()
        self._cache_file = _Files(self._cache_path, contents.filename_base, stamp)

    def load_overload(self, sig, target_context):
        # Numba would first start up its compiler, which takes longer than to load all machine code
        # of a job. All that this needs is the runtime that it is linked to.
        rtsys.initialize(target_context)
        found = self._load_overload(sig, target_context)
        if found is None:
            _announce()
        return found


@cache
def _announce() -> None:
    """Nobody should wonder what a job is doing for so long."""
    print("compiling kernels, once for this version of the engine", file=sys.stderr, flush=True)
