"""How a job starts, and how it speaks: into its log, of a user's mistake in one sentence."""

import atexit
import gc
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from lincon.errors import UserError


@contextmanager
def one_sentence(who: str = "lincon") -> Iterator[None]:
    """A user's mistake is one sentence on the error stream, and exit code 1."""
    code = 1
    try:
        yield
        return
    except UserError as error:
        said = str(error)
    except ModuleNotFoundError as error:
        said = f"the package {error.name} is missing in {sys.executable}; install lincon with its "
        said += "packages beside Snakemake: pip install ."
    except (MemoryError, ImportError, OSError) as error:
        # Under a limit a library that cannot be mapped looks as if it were not there.
        if isinstance(error, MemoryError) or "shared object" in str(error):
            said = "there is not enough memory; allow more (mem_mb of the rule), or play fewer "
            said += "runs per job"
        elif isinstance(error, OSError) and error.errno and error.filename:
            said = f"{error.filename}: {os.strerror(error.errno)}; nothing was left half-written: "
            said += "run the same command again once that is fixed"
        else:
            raise
    except KeyboardInterrupt:
        said, code = "interrupted", 130
    with suppress(OSError):  # a log that has no room either
        print(f"{who}: {said}", file=sys.stderr, flush=True)
    sys.exit(code)


def rarely_collected() -> None:
    """Look for garbage rarely: a short job mostly starts.

    Imports make hundreds of thousands of objects that stay to the end. To look for garbage among
    them every 700, and once more on leaving, takes a fifth of its time.
    """
    gc.set_threshold(500_000)
    atexit.register(gc.freeze)


@contextmanager
def logged(path: str) -> Iterator[None]:
    """All that this process and its children print goes to the log of its job."""
    rarely_collected()
    with one_sentence():
        with open(path, "w", encoding="utf-8") as log:
            os.dup2(log.fileno(), sys.stdout.fileno())
            os.dup2(log.fileno(), sys.stderr.fileno())
        yield
        sys.stdout.flush()
