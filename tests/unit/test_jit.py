"""Where machine code is kept, and kernels that count no references."""

import sys

import numpy as np
import pytest

from lincon import kernel_cache
from lincon.errors import UserError
from lincon.kernel_cache import PREFIX, cache_folder


@pytest.fixture(autouse=True)
def no_folder(monkeypatch) -> None:
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)


def test_the_folder_is_named_by_the_code_and_may_be_given(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    folder = cache_folder()
    assert folder.parent == tmp_path and folder.is_dir() and folder.name.startswith(PREFIX)
    monkeypatch.setattr(kernel_cache, "fingerprint", lambda name: pytest.fail("hashed again"))
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(folder))
    assert cache_folder() == folder


def test_the_users_cache_serves_where_the_code_cannot_be_written(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder().parent == kernel_cache.PACKAGE / "__pycache__"
    (tmp_path / "file").touch()
    monkeypatch.setattr(kernel_cache, "PACKAGE", tmp_path / "file")
    assert cache_folder().parent == tmp_path / "lincon"
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "file"))
    with pytest.raises(UserError, match=r"file cannot be written, .* set NUMBA_CACHE_DIR"):
        cache_folder()


def test_borrowed_arrays_are_the_same_and_are_not_counted():
    from numba import njit

    from lincon.jit import borrowed

    @njit
    def add_one(pair, rng):
        (array, number), rng = borrowed((pair, rng))
        array += number
        return rng.random()

    array, rng = np.zeros(3), np.random.default_rng(1)
    before = sys.getrefcount(array), sys.getrefcount(rng)
    assert add_one((array, 2.0), rng) == np.random.default_rng(1).random()
    assert array.tolist() == [2.0, 2.0, 2.0]
    assert (sys.getrefcount(array), sys.getrefcount(rng)) == before
