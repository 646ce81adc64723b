"""Machine code on disk that is used only as it was written.

Numba loads what it finds: a truncated file ends in an error, and a flipped bit is run. Here every
file has the checksum of its bytes at the end. One that does not fit is dropped, with a line in the
log, and its kernel is compiled again. Where nothing can be written the job goes on without.
"""

from __future__ import annotations

import hashlib
import io
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import numba
from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile
from numba.core.runtime import rtsys

DIGEST = hashlib.sha256


class CheckedFiles(IndexDataCacheFile):
    """Numba's index and data files; it reads pickles, and so does not mind what follows them."""

    def _load_index(self) -> dict[Any, str]:
        return super()._load_index() if _intact(self._index_path) else {}

    def _load_data(self, name: str) -> Any:
        if not _intact(self._data_path(name)):
            raise FileNotFoundError(name)  # by which Numba knows that it has to compile
        return super()._load_data(name)

    @contextmanager
    def _open_for_write(self, filepath: str) -> Iterator[io.BytesIO]:
        with super()._open_for_write(filepath) as file:
            content = io.BytesIO()
            yield content
            file.write(content.getvalue() + DIGEST(content.getvalue()).digest())


class OneFolder(CompileResultCacheImpl):
    """NUMBA_CACHE_DIR or nothing: Numba's other places are named by no fingerprint."""

    _locator_classes = CompileResultCacheImpl._locator_classes[:1]


class CheckedCache(FunctionCache):
    """A kernel's files; to be unable to write them is no reason to fail."""

    _impl_class = OneFolder
    warned = False

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self._cache_file = CheckedFiles(
            cache_path=self._cache_path,
            filename_base=self._impl.filename_base,
            source_stamp=self._impl.locator.get_source_stamp(),
        )

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        # Numba's own loads all that it knows of types and of BLAS first, which takes a third of a
        # short job. Machine code that is there needs the runtime alone; to compile, Numba loads
        # the rest then.
        rtsys.initialize(target_context)
        with self._guard_against_spurious_io_errors():
            return self._load_overload(sig, target_context)

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except OSError as error:
            self.warn(self.cache_path, error.strerror or str(error))

    @classmethod
    def warn(cls, folder: str, why: str) -> None:
        if not cls.warned:
            _say(f"machine code cannot be kept in {folder} ({why}); it is compiled again each time")
        cls.warned = True


def keep(compiled: Any) -> Any:
    """Keep the machine code of a function that Numba compiles; a plain function stays as it is."""
    if isinstance(compiled, numba.core.dispatcher.Dispatcher):
        try:
            compiled._cache = CheckedCache(compiled.py_func)  # type: ignore[attr-defined]
        except RuntimeError:  # Numba found no place that can be written
            CheckedCache.warn(os.environ["NUMBA_CACHE_DIR"], "it cannot be written")
    return compiled


def _intact(path: str) -> bool:
    """Whether a file is as it was written; a damaged one is dropped."""
    try:
        with open(path, "rb") as file:
            content = file.read()
    except FileNotFoundError:
        return False
    except OSError as error:
        _say(f"{path} cannot be read ({error.strerror}); its kernel is compiled again")
        return False
    size = DIGEST().digest_size
    if len(content) > size and DIGEST(content[:-size]).digest() == content[-size:]:
        return True
    _say(f"{path} is damaged: it is dropped, and its kernel compiled again")
    with suppress(OSError):  # where nothing can be removed, every job compiles it
        os.unlink(path)
    return False


def _say(sentence: str) -> None:
    print(f"lincon: {sentence}", file=sys.stderr)
