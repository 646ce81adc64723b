"""Machine code on disk: when it is loaded, when it is compiled, and that a job says which."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from lincon import arms, code
from lincon.kernels import KERNELS
from lincon.machine_code import _Files

VALUE = """
import numpy as np
from lincon.lp import pair_value
print(pair_value(np.array([0.2, 0.8]), np.ones(2), 0, 1, 0.5))
"""
# What Numba knows of linear algebra is among the last things that its compiler loads.
COMPILER = f"{VALUE}import sys\nprint('numba.np.linalg' in sys.modules)"


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A copy of the library, without any machine code."""
    folder = tmp_path / "workflow" / "lincon"
    shutil.copytree(code.PACKAGE, folder, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def python(package: Path, *arguments: str, **env: str) -> tuple[str, str]:
    """What a new process prints, to stdout and to stderr."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("NUMBA")}
    done = subprocess.run(
        [sys.executable, *arguments],
        env=kept | {"PYTHONPATH": str(package.parent)} | env,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout, done.stderr


def edit(package: Path, old: str, new: str) -> None:
    source = (package / "lp.py").read_text()
    assert old in source
    (package / "lp.py").write_text(source.replace(old, new, 1))


def test_compiled_once_and_loaded_without_the_compiler(package):
    value, said = python(package, "-c", COMPILER)
    assert value == "0.5\nTrue\n"
    assert said == "compiling kernels, once for this version of the engine\n"
    assert python(package, "-c", COMPILER) == ("0.5\nFalse\n", "")


def test_a_changed_helper_is_compiled_and_a_comment_is_not(package):
    python(package, "-c", VALUE)
    edit(package, "@kernel\ndef mix", "# A remark,\n# and another.\n@kernel\ndef mix")
    assert python(package, "-c", VALUE) == ("0.5\n", "")
    edit(package, "return (theta_high - eta)", "return 2.0 * (theta_high - eta)")
    value, said = python(package, "-c", VALUE)
    assert float(value) == pytest.approx(0.2)
    assert said.startswith("compiling kernels")


def test_a_kernel_of_the_tests_is_compiled_when_its_own_file_changes(package, tmp_path):
    """What its globals hold is in no fingerprint and in no byte code."""
    script = tmp_path / "script.py"
    for constant, said in ((1, "compiling"), (1, ""), (2, "compiling")):
        script.write_text(
            f"from lincon.jit import kernel\nCONSTANT = {constant}\n"
            "@kernel\ndef constant(): return CONSTANT\nprint(constant())\n"
        )
        printed, heard = python(package, str(script))
        assert (printed, heard[:9]) == (f"{constant}\n", said)


def test_the_folder_can_be_chosen(package, tmp_path):
    chosen = tmp_path / "chosen"
    python(package, "-c", VALUE, NUMBA_CACHE_DIR=str(chosen))
    assert list(chosen.glob("numba-*/*.nbc"))
    assert not list(package.rglob("*.nbc"))


def test_without_compilation_nothing_is_written(package):
    assert python(package, "-c", VALUE, NUMBA_DISABLE_JIT="1") == ("0.5\n", "")
    assert not list(package.rglob("*.nb?"))


def test_processes_that_compile_at_once_do_not_mix_up_their_files(tmp_path):
    one, other = (_Files(str(tmp_path), "kernel", None) for _ in range(2))
    other._load_index = dict  # it has looked before the first one wrote anything
    name = one._data_name(1)
    one._save_index({"int": name})
    other.save("float", "code for floats")
    one._save_data(name, "code for ints")
    assert one.load("float") == "code for floats"
    assert one.load("int") is None  # to be compiled again, which is no harm


@pytest.mark.parametrize("kernel", sorted(set(KERNELS.values())))
def test_a_job_finds_all_that_was_compiled_for_it(kernel, tmp_path):
    """The few rounds that it is compiled by call everything that a longer run calls."""
    table, out = tmp_path / "arms.parquet", str(tmp_path / "out")
    arms.write(arms.make([0.1, 0.3, 0.5, 0.7] * 10, [0.9, 0.8, 0.4, 0.2] * 10), table)
    spec = json.dumps({"kernel": kernel})
    lincon("compile", "--spec", spec, "--out", out)
    for engine, estimator in (key for key, name in KERNELS.items() if name == kernel):
        policy = {"estimator": estimator, "selector": "lp"}
        setting = {"dataset": "x", "eta": 0.4, "horizon": 3000, "run": 0, "seed": 0}
        spec = json.dumps({"name": "x", "policy": policy, "engine": engine} | setting)
        files = ("--arms", str(table), "--out", out, "--plays", out)
        assert lincon("simulate", "--spec", spec, *files) == ("", "")


def lincon(*arguments: str) -> tuple[str, str]:
    return python(code.PACKAGE, "-m", "lincon", *arguments)
