"""Try both ends of the ranges in pyproject.toml, the oldest and the newest packages: a study, and
the fast tests.

    python tools/ranges.py [oldest] [newest]

Each gets a virtual environment in a temporary folder, some minutes to fill.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

REPOSITORY = Path(__file__).parents[1]
BIN = Path(sys.executable).parent
SHOWN = ("snakemake", "numpy", "scipy", "pandas", "pyarrow", "matplotlib", "numba", "pydantic")
# Only what is asked for by name: the packages behind it are not ours to hold back.
ENDS = {"oldest": "lowest-direct", "newest": "highest"}


def run(*command: str | Path, cwd: Path = REPOSITORY, **env: str) -> str:
    words = list(map(str, command))
    print("$", *words, flush=True)
    done = subprocess.run(
        words, cwd=cwd, env=os.environ | env, stdout=subprocess.PIPE, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"{done.stdout[-5000:]}\nexit code {done.returncode}")
    return done.stdout


def tried(end: str, folder: Path) -> None:
    python = folder / "venv" / "bin" / "python"
    run(BIN / "uv", "venv", "--quiet", "--python", sys.executable, folder / "venv")
    options = ("--quiet", "--resolution", ENDS[end], "--python", python)
    run(BIN / "uv", "pip", "install", *options, f"{REPOSITORY}[test]")
    listed = run(BIN / "uv", "pip", "list", "--quiet", "--python", python)
    print(*(line for line in listed.splitlines() if line.split()[0] in SHOWN), sep="\n")
    # The tests are of this checkout, and so is the library that they and the study use.
    library = {"PYTHONPATH": str(REPOSITORY / "workflow"), "NUMBA_CACHE_DIR": str(folder)}
    quick = ("--configfile", REPOSITORY / "config/quick.yaml", "--config", "data=standin")
    snakefile = ("--snakefile", REPOSITORY / "workflow/Snakefile", "--cores", "all")
    run(python, "-m", "snakemake", *snakefile, *quick, "--quiet", "all", cwd=folder, **library)
    fast = ("-q", "-n", "auto", "-m", "not long and not slow", "tests/unit")
    print(run(python, "-m", "pytest", *fast, NUMBA_DISABLE_JIT="1", **library)[-2000:])


if __name__ == "__main__":
    for end in sys.argv[1:] or ENDS:
        with tempfile.TemporaryDirectory(prefix=f"lincon-{end}-") as folder:
            tried(end, Path(folder))
            print(f"{end}: all is well", flush=True)
