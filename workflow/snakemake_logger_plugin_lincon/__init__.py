"""What a person sees of a run: what will run, one line that moves, warnings, where to look.

A logger plugin of Snakemake (`--logger lincon`, in the profiles here). It only leaves out: warnings
and errors are always printed, and all else is in the log file that is named at the end. Everything
comes with `--logger-lincon-full`, `--verbose`, `--printshellcmds` and in dry runs.
"""

import shutil
import sys
import threading
import time
from collections import Counter, deque
from dataclasses import dataclass, field
from logging import WARNING, LogRecord
from pathlib import Path
from typing import Any

from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent
from snakemake_interface_logger_plugins.settings import LogHandlerSettingsBase

from snakemake_logger_plugin_lincon.text import duration, no_room, place, unreadable_config

# Left out: steps of every run, an offer that comes as a warning, what a job's failure says better.
STEPS = (
    *("Assuming", "host:", "Building DAG", "Using shell", "Select jobs", "Conda env", "Elapsed"),
    *("DAG of jobs will be updated", "Updating checkpoint"),
)
IDLE = ("is eligible for caching", *(f"exit status {code}." for code in (1, 120, 130)))


@dataclass
class LogHandlerSettings(LogHandlerSettingsBase):
    full: bool = field(default=False, metadata={"help": "Print all that Snakemake has to say."})


class LogHandler(LogHandlerBase):
    writes_to_stream = True
    writes_to_file = has_filter = has_formatter = needs_rulegraph = False

    def __post_init__(self) -> None:
        from snakemake.logging import ColorizingTextHandler

        asked = self.common_settings
        self.stream = sys.stdout if asked.stdout else sys.stderr
        self.whole = ColorizingTextHandler(nocolor=asked.nocolor, stream=self.stream)
        wordy = asked.dryrun or asked.verbose or asked.printshellcmds or asked.debug_dag
        self.full = wordy or getattr(self.settings, "full", False)
        self.moves = not self.full and self.whole.can_color_tty()
        self.running: dict[int, Any] = {}
        self.made: Counter[tuple[str, str]] = Counter()
        self.finished: deque[float] = deque(maxlen=64)
        self.done, self.total, self.shown, self.begin = 0, 0, 0, time.monotonic()
        self.over = threading.Event()
        if self.moves:
            threading.Thread(target=self.tick, daemon=True).start()

    def emit(self, record: LogRecord) -> None:
        try:
            if sentence := unreadable_config(str(record.msg or "")):
                self.write(sentence, record)
            elif self.full:
                self.whole.setFormatter(self.formatter)
                self.whole.emit(record)
            else:
                self.follow(record, getattr(record, "event", None))
        except Exception:
            self.handleError(record)

    def follow(self, record: Any, event: LogEvent | None) -> None:
        text = str(record.msg or "")
        said = event is None and not text.startswith(STEPS)
        if event == LogEvent.RUN_INFO:
            rows = [f"\n  {name:<24} {count:>6,}" for name, count in record.stats.items()]
            self.write("Jobs to run:" + "".join(rows))
            self.total = record.stats["total"]
        elif event == LogEvent.JOB_INFO:
            self.running[record.jobid] = record
        elif event == LogEvent.JOB_FINISHED:
            job = self.running.pop(record.job_id, None)
            self.finished.append(time.monotonic())
            self.made.update(map(place, getattr(job, "output", ())))
        elif event == LogEvent.PROGRESS:
            self.done, self.total = record.done, record.total
        elif event == LogEvent.JOB_ERROR:
            self.write(self.failure(record, self.running.pop(record.jobid, None)), record)
        elif text and (said or record.levelno >= WARNING) and not any(x in text for x in IDLE):
            self.write(self.format(record), record)
        self.progress()

    def failure(self, record: Any, job: Any) -> str:
        """How the failed job's log ends, which is why; everything where that would not tell."""
        found = filter(Path.is_file, map(Path, record.log))
        texts = [log.read_text("utf-8", "replace") for log in found]
        lines = [line.strip() for text in texts for line in text.splitlines() if line.strip()]
        # Where a log could not be written either, what it would have said.
        full = filter(no_room, map(Path, record.log))
        lines = lines or [f"no room is left on the file system of {log}" for log in full]
        if record.rule_msg or not lines or any(line.startswith("Traceback") for line in lines):
            return self.format(record)
        which = "".join(f" {key}={value}" for key, value in job.wildcards.items()) if job else ""
        how = "is in the failed group, its log ends" if record.indent else "failed, its log ends"
        return f"{record.rule_name}{which} {how}: {lines[-1]}\n  see {', '.join(record.log)}"

    def write(self, text: str, record: LogRecord | None = None) -> None:
        """Lines that stay; the line that moves makes room."""
        text = self.whole.decorate(record, text) if record else text
        print("\r\x1b[2K" * self.moves + text, file=self.stream, flush=True)

    def progress(self) -> None:
        """How far it is: overwritten on a terminal, a line for every tenth elsewhere."""
        if not self.total or self.over.is_set():
            return
        if self.moves:
            line = self.line()[: shutil.get_terminal_size().columns - 1]
            print(f"\r\x1b[2K{line}", end="", file=self.stream, flush=True)
        elif 10 * self.done // self.total > self.shown:
            self.shown = 10 * self.done // self.total
            self.write(self.line())
        if self.done == self.total:
            self.over.set()
            self.stream.write("\n" * self.moves)

    def line(self) -> str:
        now = time.monotonic()
        text = f"{self.done} of {self.total} jobs in {duration(now - self.begin)}"
        if len(self.finished) > 1 and self.done < self.total:
            rate = (len(self.finished) - 1) / max(now - self.finished[0], 1e-3)
            left = duration((self.total - self.done) / rate)
            text += f", {rate:.2g} per second, about {left} left"
        rules = Counter(job.rule_name for job in self.running.values())
        busy = ", ".join(f"{count} {rule}" for rule, count in rules.items())
        return f"{text}; now {busy}" if busy else text

    def tick(self) -> None:
        while not self.over.wait(1.0):
            with self.lock or threading.RLock():
                self.progress()

    def close(self) -> None:
        if self.moves and not self.over.is_set():  # of a run that ended early, and no use any more
            print("\r\x1b[2K", end="", file=self.stream, flush=True)
        self.over.set()
        found = sorted((path, kind, n) for (path, kind), n in self.made.items() if path)
        if found and not self.full:
            rows = [f"\n  {path}" + f"  {kind}: {n}" * bool(kind) for path, kind, n in found]
            self.write("New results:" + "".join(rows))
        self.made.clear()
        super().close()
