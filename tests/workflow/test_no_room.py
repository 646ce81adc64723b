"""A file system that is full or read-only: a sentence, nothing half-written, and a clean finish."""

import errno
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from lincon.files import replacing, write_text
from lincon.job import one_sentence
from tests.workflow.bench import SMALL, STUDY, Bench


def mount(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = ["mount", *arguments, str(folder)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@contextmanager
def small_system(folder: Path, size: str) -> Iterator[Path]:
    """A file system in memory, at a folder; what the folder held is in it."""
    if os.geteuid() != 0 or not shutil.which("mount"):
        pytest.skip("only root can mount a small file system to fill up")
    kept = folder.with_name("kept")
    folder.mkdir(exist_ok=True)
    folder.rename(kept)
    folder.mkdir()
    done = mount(folder, "-t", "tmpfs", "-o", f"size={size}", "none")
    if done.returncode:
        pytest.skip(f"a small file system cannot be mounted here: {done.stderr.strip()}")
    try:
        shutil.copytree(kept, folder, copy_function=shutil.copy2, dirs_exist_ok=True)
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def fill(folder: Path) -> Path:
    """Up to the last block but one; the file that does it."""
    space = os.statvfs(folder)
    with open(folder / "ballast", "wb") as file:
        os.posix_fallocate(file.fileno(), 0, max(space.f_bavail - 1, 0) * space.f_frsize)
    return folder / "ballast"


def refused(capsys: pytest.CaptureFixture[str], write: Callable[..., None], *given: object) -> str:
    """The one sentence that a job ends with."""
    with pytest.raises(SystemExit), one_sentence():
        write(*given)
    (sentence,) = capsys.readouterr().err.splitlines()
    return sentence


def half_written(folder: Path) -> list[Path]:
    return [path for path in folder.rglob(".*.*") if path.is_file()]


# What is taken away, so that the stage has to make it again.
STAGES = {
    "analyse": f"{STUDY}/tables/radio/*",
    "figures_with_claims": f"{STUDY}/figures/radio/*",
    "page": f"{STUDY}/**/*.html",
}


@pytest.mark.long
@pytest.mark.parametrize("stage", STAGES)
def test_a_full_file_system_is_a_sentence_in(stage, mine: Bench):
    gone = sorted(mine.folder.glob(STAGES[stage]))
    for path in gone:
        path.unlink()
    with small_system(mine / "results", "40m") as folder:
        ballast = fill(folder)
        done = mine.snakemake("--forcerun", stage, config=SMALL)
        assert done.code == 1 and "Traceback" not in done.text, done.text
        line = next(line for line in done.text.splitlines() if " failed" in line)
        assert line.startswith(stage)
        assert "No space left on device" in line or "no room is left" in line
        assert not half_written(folder) and not any(path.exists() for path in gone)
        ballast.unlink()
        mine.run("--forcerun", stage, config=SMALL)
        assert gone and all(path.stat().st_size for path in gone)


@pytest.mark.parametrize("name", ["file/a/b.txt", "folder", "x" * 300])
def test_what_a_system_refuses_is_a_sentence_with_the_path(tmp_path, capsys, name):
    """A folder that is a file, a file that is a folder, and a name that is too long."""
    (tmp_path / "file").touch()
    (tmp_path / "folder" / "below").mkdir(parents=True)
    said = refused(capsys, write_text, tmp_path / name, "x")
    assert str(tmp_path) in said and "nothing was left half-written" in said
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder"]


def test_an_error_names_the_result_or_the_file_that_it_is_about(tmp_path, capsys):
    def write(error: OSError) -> None:
        with replacing(tmp_path / "a.txt"):
            raise error

    full = OSError(errno.ENOSPC, "No space left on device")  # as Arrow says it
    other = PermissionError(errno.EACCES, "Permission denied", "/data/raw.csv")
    for error, named in ((full, tmp_path / "a.txt"), (other, "/data/raw.csv")):
        assert refused(capsys, write, error).startswith(f"lincon: {named}: ")
