"""Snakemake as `python -m snakemake` is, but Ctrl-C is a line and never a traceback: neither while
Snakemake reads the workflow and plans, nor of a job that was about to start."""

import io
import os
import runpy
import sys
import tempfile


class Terminal(io.TextIOWrapper):
    """Snakemake names the profile that it found, which nobody asked for."""

    dropped = False

    def write(self, text: str) -> int:
        self.dropped, ends = text.startswith("Using workflow specific profile"), self.dropped
        return len(text) if self.dropped or (ends and text == "\n") else super().write(text)


def main() -> None:
    # Jobs have their logs; what they print elsewhere is held back until it is known why they did.
    with tempfile.TemporaryFile() as held:
        own = os.fdopen(os.dup(2), "wb")
        sys.stderr = Terminal(own, errors="backslashreplace", line_buffering=True)
        os.dup2(held.fileno(), 2)
        try:
            runpy.run_module("snakemake", run_name="__main__", alter_sys=True)
        except KeyboardInterrupt:
            print("Interrupted; the same command continues from here.", file=sys.stderr)
            os._exit(130)  # without waiting for threads, which Ctrl-C would interrupt again
        finally:
            held.seek(0)
            text = held.read().decode(errors="replace")
            if "KeyboardInterrupt" not in text:
                sys.stderr.write(text)


if __name__ == "__main__":
    main()
