"""What `pip install` gives: the package, its data and the command, away from the checkout."""

import configparser
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from lincon.fingerprint import fingerprint

REPOSITORY = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that holds what a wheel of this checkout installs."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as file:
        file.extractall(folder / "site")
    return folder / "site"


def python(site: Path, code: str) -> str:
    """What a program prints with the installed package and not the checkout's."""
    setup = f"import sys; sys.path.insert(0, {str(site)!r})\n"
    command = [sys.executable, "-I", "-c", setup + code]
    done = subprocess.run(command, cwd=site, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_workflow_comes_with_the_package_and_has_the_fingerprints_of_the_checkout(installed):
    code = (
        "from lincon.fingerprint import fingerprint; from lincon.shared import snakefile\n"
        "print(snakefile(), snakefile().is_file(), fingerprint('engine.simulate'))"
    )
    path, there, found = python(installed, code).split()
    assert path.startswith(str(installed)) and there == "True"
    assert found == fingerprint("engine.simulate")


def test_the_command_is_declared(installed):
    entries = configparser.ConfigParser()
    (file,) = installed.glob("lincon-*.dist-info/entry_points.txt")
    entries.read(file)
    module, _, function = entries["console_scripts"]["lincon"].partition(":")
    printed = python(installed, f"from {module} import {function} as main; main(['--help'])")
    assert "simulate" in printed and "init" in printed


def test_nothing_but_the_library_is_installed(installed):
    names = {path.name for path in installed.iterdir() if not path.name.endswith(".dist-info")}
    assert names == {"lincon", "snakemake_logger_plugin_lincon"}
    assert not list(installed.rglob("test_*"))
