"""Where machine code is kept, and kernels that count no references."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from lincon import kernel_cache
from lincon.errors import UserError
from lincon.kernel_cache import PACKAGE, PREFIX, cache_folder

REPOSITORY = Path(__file__).parents[2]


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


PLAY = """
import numpy as np
from lincon.jit import entry

@entry
def added(one, other):
    return one + other

print(added(1, 2), sum(added.stats.cache_hits.values()))
"""


def test_a_damaged_kernel_is_compiled_again(tmp_path):
    """Each byte of its two files may be wrong: machine code that is damaged ends the process."""
    (tmp_path / "play.py").write_text(PLAY)
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path), "NUMBA_DISABLE_JIT": "0"}

    def play() -> str:
        command = [sys.executable, "play.py"]
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    assert [play(), play()] == ["3 0", "3 1"]
    files = sorted(tmp_path.rglob("*.nb[ic]"))
    assert {path.suffix for path in files} == {".nbi", ".nbc"}
    for path in files:
        content = bytearray(path.read_bytes())
        content[len(content) // 3] ^= 255
        path.write_bytes(content)
        assert [play(), play()] == ["3 0", "3 1"]
    files[0].write_bytes(b"")
    assert play() == "3 0"


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


COUNT = """
import sys
from types import FunctionType

import numpy as np
from numba import njit

from lincon.engine import dense
from lincon.engine.randomness import luck_key
from tests.unit.engine.games import paper_game


def increments(**replaced) -> int:
    code = getattr(dense, sys.argv[1]).py_func
    compiled = njit(FunctionType(code.__code__, vars(dense) | replaced))
    compiled(1, 5, *arguments[sys.argv[1]])
    return compiled.inspect_llvm(compiled.signatures[0]).count("call void @NRT_incref")


policy, mean = {"estimator": "beta_sample"}, np.array([0.2, 0.9])
rng, key = np.random.default_rng(1), luck_key(1, "d")
engine = dense.DenseEngine(paper_game(policy, mean, [1.0, 0.1], 0.5, 9, key, 0, rng))
played, around, tally = engine.policy, engine.environment, engine.tally
arguments = {
    "advance_uniform": (around, rng, played.mixture, tally),
    "advance_dense": (around, played, tally),
}
print(increments(), increments(borrowed=njit(lambda given: given)))
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "kernel", ["advance_uniform", pytest.param("advance_dense", marks=pytest.mark.long)]
)
def test_a_round_counts_no_references(kernel):
    """With `borrowed` there is none in the machine code of a job; without it there are."""
    folders = os.pathsep.join([str(PACKAGE.parent), str(REPOSITORY)])
    environment = os.environ | {"PYTHONPATH": folders}
    command = [sys.executable, "-c", COUNT, kernel]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    counted, without = map(int, done.stdout.split())
    assert counted == 0 < without
