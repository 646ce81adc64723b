"""A file system that is full or read-only: a sentence, nothing half-written, and a clean finish."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from lincon.errors import UserError
from lincon.files import refusals, replacing, write_table, write_text
from tests.workflow.bench import SMALL, STUDY, Bench


@dataclass(frozen=True)
class FileSystem:
    """One of its own in memory, at a folder; what the folder held is in it."""

    folder: Path

    def mount(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = ["mount", *arguments, str(self.folder)]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def fill(self) -> None:
        """Up to the last block but one."""
        space = os.statvfs(self.folder)
        with open(self.folder / "ballast", "wb") as file:
            os.posix_fallocate(file.fileno(), 0, max(space.f_bavail - 1, 0) * space.f_frsize)

    def free(self) -> None:
        (self.folder / "ballast").unlink()


@contextmanager
def mounted(folder: Path, size: str) -> Iterator[FileSystem]:
    if os.geteuid() != 0 or not shutil.which("mount"):
        pytest.skip("only root can mount a small file system to fill up")
    system, kept = FileSystem(folder), folder.with_name("kept")
    folder.mkdir(exist_ok=True)
    folder.rename(kept)
    folder.mkdir()
    done = system.mount("-t", "tmpfs", "-o", f"size={size}", "none")
    if done.returncode:
        pytest.skip(f"a small file system cannot be mounted here: {done.stderr.strip()}")
    try:
        shutil.copytree(kept, folder, copy_function=shutil.copy2, dirs_exist_ok=True)
        yield system
    finally:
        subprocess.run(["umount", str(folder)], check=True)


@pytest.fixture
def small(tmp_path) -> Iterator[FileSystem]:
    with mounted(tmp_path / "results", "64k") as system:
        yield system


@pytest.fixture
def own_results(mine: Bench) -> Iterator[FileSystem]:
    with mounted(mine / "results", "40m") as system:
        yield system


def half_written(folder: Path) -> list[Path]:
    return [path for path in folder.rglob(".*.*") if path.is_file()]


def write_long_table(path: Path) -> None:
    write_table(path, pa.table({"x": np.random.default_rng(1).random(20_000)}))


FILES: dict[str, Callable[[Path], None]] = {
    "a.parquet": write_long_table,
    "a.html": lambda path: write_text(path, "x" * 100_000),
}


@pytest.mark.parametrize("name", FILES)
def test_a_full_or_read_only_file_system_is_a_sentence(small: FileSystem, name):
    path = small.folder / name
    path.write_text("old")
    small.fill()
    with pytest.raises(UserError, match=rf"{path}: No space left on device; nothing"), refusals():
        FILES[name](path)
    assert path.read_text() == "old" and not half_written(small.folder)
    small.free()
    small.mount("-o", "remount,size=1m")
    FILES[name](path)
    assert path.stat().st_size > 100
    small.mount("-o", "remount,ro")
    with pytest.raises(UserError, match=f"{name}: Read-only file system"), refusals():
        FILES[name](path)


# What is taken away, so that the stage has to make it again.
STAGES = {
    "simulate": "results/runs/dataset=own-*/**/run=0.parquet",
    "figures_with_claims": f"{STUDY}/figures/radio/*",
    "page": f"{STUDY}/**/*.html",
}


@pytest.mark.long
@pytest.mark.parametrize("stage", STAGES)
def test_a_full_file_system_is_a_sentence_in(stage, mine: Bench, own_results: FileSystem):
    gone = sorted(mine.folder.glob(STAGES[stage]))
    before = {path: path.stat().st_size for path in gone}
    for path in gone:
        path.unlink()
    own_results.fill()
    done = mine.snakemake("--forcerun", stage, config=SMALL)
    assert done.code == 1 and "Traceback" not in done.text, done.text
    line = next(line for line in done.text.splitlines() if " failed" in line)
    assert line.startswith(stage)
    assert "No space left on device" in line or "no room is left" in line
    assert not half_written(mine / "results") and not any(path.exists() for path in gone)
    own_results.free()
    mine.run("--forcerun", stage, config=SMALL)
    assert before and all(path.stat().st_size for path in before)


@pytest.mark.parametrize("name", ["file/a/b.txt", "folder", "x" * 300])
def test_what_a_system_refuses_is_a_sentence_with_the_path(tmp_path, name):
    """A folder that is a file, a file that is a folder, and a name that is too long."""
    (tmp_path / "file").touch()
    (tmp_path / "folder" / "below").mkdir(parents=True)
    with pytest.raises(UserError, match=str(tmp_path)) as caught, refusals():
        write_text(tmp_path / name, "x")
    assert "\n" not in str(caught.value) and "nothing was left half-written" in str(caught.value)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder"]


def test_an_error_names_the_result_or_the_file_that_it_is_about(tmp_path):
    def refused(error: OSError) -> str:
        with pytest.raises(UserError) as caught, refusals(), replacing(tmp_path / "a.txt"):
            raise error
        return str(caught.value)

    full = refused(OSError(errno.ENOSPC, "No space left on device"))  # as Arrow says it
    assert full.startswith(f"{tmp_path / 'a.txt'}: No space left on device")
    other = refused(PermissionError(errno.EACCES, "Permission denied", "/data/raw.csv"))
    assert other.startswith("/data/raw.csv: Permission denied")
    with pytest.raises(OSError, match="Broken pipe"), refusals():  # of no file: ours
        raise OSError(errno.EPIPE, "Broken pipe")
