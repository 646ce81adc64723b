"""Machine code that is not as it was written is dropped and compiled again, never run."""

from __future__ import annotations

import importlib
import importlib.util
import os
import random
import stat
from collections.abc import Callable
from pathlib import Path

import numba
import pytest

from lincon import kernel_cache
from lincon.errors import UserError
from lincon.kernel_cache import PREFIX, cache_folder, remove_unused
from lincon.kernel_files import CheckedCache

SOURCE = """
from lincon.jit import kernel

@kernel
def helper(x):
    return 3.0 * x

@kernel
def twice(x):
    return helper(x) + 0.5
"""
slow = pytest.mark.slow


@pytest.fixture
def load(tmp_path, monkeypatch) -> Callable[[], numba.core.dispatcher.Dispatcher]:
    """Load the module as a new process would: nothing in memory, its files in a folder."""
    if numba.config.DISABLE_JIT:
        pytest.skip("kernels are left to Python")
    importlib.import_module("lincon.jit")  # which sets the folder, once
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))  # Numba reads it now and then
    monkeypatch.setattr(CheckedCache, "warned", False)
    source = tmp_path / "small_kernels.py"
    source.write_text(SOURCE)

    def loaded() -> numba.core.dispatcher.Dispatcher:
        spec = importlib.util.spec_from_file_location("small_kernels", source)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module.twice

    return loaded


def hits(function: numba.core.dispatcher.Dispatcher) -> int:
    return sum(function.stats.cache_hits.values())


def files(folder: Path, suffix: str = "") -> list[Path]:
    return sorted(path for path in folder.rglob(f"*{suffix}") if path.is_file())


@slow
def test_what_was_kept_is_used_again(load, tmp_path, capsys):
    assert load()(2.0) == 6.5
    assert {path.suffix for path in files(tmp_path / "cache")} == {".nbi", ".nbc"}
    again = load()
    assert again(2.0) == 6.5 and hits(again) == 1
    assert capsys.readouterr().err == ""


def flipped(content: bytes) -> bytes:
    place = random.Random(len(content)).randrange(len(content))
    return content[:place] + bytes([content[place] ^ 16]) + content[place + 1 :]


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda content: b"",
    "truncated": lambda content: content[: len(content) // 2],
    "one byte short": lambda content: content[:-1],
    "flipped bit": flipped,
    "flipped first bit": lambda content: bytes([content[0] ^ 1]) + content[1:],
    "zeros": lambda content: bytes(len(content)),
    "junk": lambda content: b"no machine code at all" * 20,
    "more behind": lambda content: content + b"x",
}


@slow
@pytest.mark.parametrize("suffix", [".nbi", ".nbc"])
@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_what_is_damaged_is_compiled_again(load, tmp_path, capsys, suffix, damage):
    load()(2.0)
    for path in files(tmp_path / "cache", suffix):
        path.write_bytes(damage(path.read_bytes()))
    mended = load()
    assert mended(2.0) == 6.5 and hits(mended) == 0
    said = capsys.readouterr().err.splitlines()
    assert said and all("is damaged: it is dropped" in line for line in said)
    assert str(tmp_path / "cache") in said[0]
    again = load()
    assert again(2.0) == 6.5 and hits(again) == 1
    assert capsys.readouterr().err == ""


@slow
def test_a_cache_that_cannot_be_written_or_read_stops_nobody(load, tmp_path, monkeypatch, capsys):
    function = load()

    def full(*args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    assert function(2.0) == 6.5
    (line,) = capsys.readouterr().err.splitlines()
    assert (
        "(No space left on device); it is compiled again" in line
        and str(tmp_path / "cache") in line
    )
    assert files(tmp_path / "cache") == []


@slow
def test_a_folder_that_goes_read_only_stops_nobody(load, tmp_path, capsys):
    (tmp_path / "cache").touch()
    assert load()(2.0) == 6.5
    (line,) = capsys.readouterr().err.splitlines()
    assert f"machine code cannot be kept in {tmp_path / 'cache'}" in line


def test_the_folder_is_the_one_that_was_given(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    folder = cache_folder()
    assert folder.parent == tmp_path and folder.name.startswith(PREFIX)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(folder))
    assert cache_folder() == folder and list(folder.iterdir()) == []


def nowhere(monkeypatch, temporary: Path) -> None:
    """A folder that cannot be written, also not by root: it is below a file."""
    (temporary / "file").touch()
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(temporary / "file" / "cache"))
    monkeypatch.setattr(kernel_cache.tempfile, "tempdir", str(temporary))


def test_where_nothing_can_be_written_a_temporary_folder_serves(tmp_path, monkeypatch):
    nowhere(monkeypatch, tmp_path)
    said: list[str] = []
    folder = cache_folder(said.append)
    assert folder.parent == tmp_path / f"lincon-{os.getuid()}"
    assert stat.S_IMODE(folder.parent.stat().st_mode) == 0o700
    assert said == [
        f"{tmp_path}/file/cache/{folder.name} cannot be written; kernels are kept in {folder}"
    ]
    assert cache_folder(said.append) == folder, "jobs share it"


def test_a_temporary_folder_that_others_can_write_is_not_trusted(tmp_path, monkeypatch):
    nowhere(monkeypatch, tmp_path)
    shared = tmp_path / f"lincon-{os.getuid()}"
    shared.mkdir()
    shared.chmod(0o777)
    assert cache_folder([].append).parent != shared


def test_nowhere_at_all_is_a_sentence(tmp_path, monkeypatch):
    nowhere(monkeypatch, tmp_path)
    monkeypatch.setattr(kernel_cache.tempfile, "tempdir", str(tmp_path / "file"))
    with pytest.raises(UserError, match=r"neither .*/file/cache/.* set NUMBA_CACHE_DIR"):
        cache_folder()


def test_no_home_is_no_trouble(tmp_path, monkeypatch):
    def homeless():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", homeless)
    assert cache_folder().parent == kernel_cache.PACKAGE / "__pycache__"
    monkeypatch.setattr(kernel_cache, "_writable", lambda folder: False)
    monkeypatch.setattr(kernel_cache.tempfile, "tempdir", str(tmp_path))
    assert tmp_path in cache_folder([].append).parents


def test_old_folders_and_half_written_files_are_removed(tmp_path):
    mine, other, young = (tmp_path / f"{PREFIX}{name}" for name in ("mine", "other", "young"))
    half, now, whole = (mine / "engine" / f"f.nbi{end}" for end in (".tmp.0f", ".tmp.1f", ""))
    for path in (half, now, whole, other / "f.nbi", young / "f.nbi"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    for path in (half, whole, other):
        os.utime(path, (0, 0))
    remove_unused(mine)
    assert files(tmp_path) == sorted([now, whole, young / "f.nbi"])
