"""Start of a job: its log, and users' mistakes as one sentence."""

import atexit
import gc
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from lincon.errors import UserError


@contextmanager
def one_sentence(who: str = "lincon") -> Iterator[None]:
    """Print a user's mistake as one sentence on stderr, and exit with code 1."""
    code = 1
    try:
        yield
        return
    except UserError as error:
        sentence = str(error)
    except ModuleNotFoundError as error:
        sentence = (
            f"the package {error.name} is missing in {sys.executable}; install lincon with its "
            "packages beside Snakemake: pip install ."
        )
    except (MemoryError, ImportError, OSError) as error:
        # Under a limit a library that cannot be mapped looks as if it were not there.
        if isinstance(error, MemoryError) or "shared object" in str(error):
            sentence = (
                "there is not enough memory; allow more (mem_mb of the rule), or play fewer runs "
                "per job"
            )
        elif isinstance(error, OSError) and error.errno and error.filename:
            sentence = (
                f"{error.filename}: {os.strerror(error.errno)}; nothing was left half-written: "
                "run the same command again once that is fixed"
            )
        else:
            raise
    except KeyboardInterrupt:
        sentence, code = "interrupted", 130
    with suppress(OSError):  # no room for the log either
        print(f"{who}: {sentence}", file=sys.stderr, flush=True)
    sys.exit(code)


def rarely_collected() -> None:
    """Collect garbage rarely, as a short job spends most of its time on imports.

    Imports create hundreds of thousands of objects that live to the end. Collecting among
    them every 700 allocations, and again on exit, takes a fifth of the job's time.
    """
    gc.set_threshold(500_000)
    atexit.register(gc.freeze)


@contextmanager
def logged(path: str) -> Iterator[None]:
    """Redirect everything that this process and its children print to the job's log."""
    rarely_collected()
    with one_sentence():
        with open(path, "w", encoding="utf-8") as log:
            os.dup2(log.fileno(), sys.stdout.fileno())
            os.dup2(log.fileno(), sys.stderr.fileno())
        yield
        sys.stdout.flush()
