"""Terminal output of a run: the plan, a progress line, warnings and failures.

A logger plugin of Snakemake (`--logger lincon`, set in the profiles). It only leaves out: warnings
and errors are always printed, the rest is in .snakemake/log. Everything is printed with
`--verbose`, `--printshellcmds` and in dry runs.
"""

import os
import re
import shutil
import sys
import threading
import time
from collections import Counter, deque
from logging import ERROR, WARNING, LogRecord
from pathlib import Path
from typing import Any

from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

from lincon.files import last_text

# Left out: steps of every run, offers, and what the failure of a job has said before.
STEPS = (
    *("Assuming", "host:", "Building DAG", "Using shell", "Select jobs", "Elapsed", "Config file"),
    *("Complete log", "Touching output"),
)
IDLE = (
    *("is eligible for caching", "At least one job did not complete successfully"),
    *("Exiting because a job execution failed", "Shutting down, this might take some time"),
    *(f"exit status {code}." for code in (1, 120, 130)),
)
INTERRUPTED = "Terminating processes on user request"
# Where Snakemake's own reader of configs gives up.
UNREADABLE = (
    *("in load_configfile", "ConfigSettings(", "Config file is not valid JSON or YAML"),
    "Config file must be given as JSON or YAML",
)
CONFIGS = (".yaml", ".yml", ".json")
# The rule that dominates the time: no estimate before some of its jobs are done.
PLAYING = "simulate"
# Slow jobs that need an explanation.
WHY = {"compile_kernel": "compile_kernel (once per version of the code, up to a minute)"}


class LogHandler(LogHandlerBase):
    writes_to_stream = True
    writes_to_file = has_filter = has_formatter = needs_rulegraph = False

    def __post_init__(self) -> None:
        asked = self.common_settings
        self.stream = sys.stdout if asked.stdout else sys.stderr
        self.full = asked.dryrun or asked.verbose or asked.printshellcmds or asked.debug_dag
        terminal = self.stream.isatty() and os.environ.get("TERM") != "dumb"
        self.colours, self.moves = terminal and not asked.nocolor, terminal and not self.full
        self.running: dict[int, Any] = {}
        self.played: deque[float] = deque(maxlen=64)
        self.done, self.total, self.shown, self.begin = 0, 0, 0, time.monotonic()
        self.last, self.interrupted, self.over = "", False, threading.Event()
        if self.moves:
            threading.Thread(target=self.tick, daemon=True).start()

    def emit(self, record: LogRecord) -> None:
        try:
            if self.interrupted:  # what fails now fails because of that
                return
            if sentence := unreadable_config(str(record.msg or "")):
                self.write(sentence, record)
            elif not self.full:
                self.follow(record, getattr(record, "event", None), str(record.msg or ""))
                self.progress()
            elif text := self.format(record):
                self.write(text, record)
        except Exception:
            self.handleError(record)

    def follow(self, record: Any, event: LogEvent | None, text: str) -> None:
        if event == LogEvent.RUN_INFO:
            rows = [f"\n  {name:<24} {count:>6,}" for name, count in record.stats.items()]
            self.write("Jobs to run:" + "".join(rows))
            self.total = record.stats["total"]
        elif event == LogEvent.JOB_INFO:
            self.running[record.jobid] = record
        elif event == LogEvent.JOB_FINISHED:
            job = self.running.pop(record.job_id, None)
            self.played += [time.monotonic()] * (
                job is not None and job.rule_name.endswith(PLAYING)
            )
        elif event == LogEvent.PROGRESS:
            self.done, self.total = record.done, record.total
        elif event == LogEvent.JOB_ERROR:
            if sentence := self.failure(record, self.running.pop(record.jobid, None)):
                self.write(sentence, record)
        elif text.startswith(INTERRUPTED):
            self.interrupt()
        elif not text or text == self.last or any(idle in text for idle in IDLE):
            return
        elif record.levelno >= WARNING or (event is None and not text.startswith(STEPS)):
            self.last = text  # the scheduler repeats itself while it ends
            self.write(self.format(record), record)

    def interrupt(self) -> None:
        self.write("Interrupted; the same command continues from here.")
        self.interrupted = True

    def failure(self, record: Any, job: Any) -> str:
        """How the failed job's log ends, which is why; everything where that would not tell."""
        texts = [last_text(log) for log in map(Path, record.log) if log.is_file()]
        lines = [line.strip() for text in texts for line in text.splitlines() if line.strip()]
        if lines and lines[-1].endswith(": interrupted"):
            self.interrupt()
            return ""
        if record.rule_msg or not lines or any(line.startswith("Traceback") for line in lines):
            return self.format(record)
        which = "".join(f" {key}={value}" for key, value in job.wildcards.items()) if job else ""
        how = "is in the failed group, its log ends" if record.indent else "failed, its log ends"
        return f"{record.rule_name}{which} {how}: {lines[-1]}\n  see {', '.join(record.log)}"

    def write(self, text: str, record: LogRecord | None = None) -> None:
        """Lines that stay, red or yellow; the line that moves makes room."""
        if record and self.colours and record.levelno >= WARNING:
            text = f"\x1b[{31 if record.levelno >= ERROR else 33}m{text}\x1b[0m"
        print("\r\x1b[2K" * self.moves + text, file=self.stream, flush=True)

    def progress(self) -> None:
        """How far it is: overwritten on a terminal, a line for every tenth elsewhere."""
        if not self.total or self.over.is_set():
            return
        if self.done == self.total:
            self.over.set()
            jobs = f"{self.total:,} job{'s' * (self.total > 1)}"
            self.write(f"{jobs} in {duration(time.monotonic() - self.begin)}")
        elif self.moves:
            line = self.line()[: shutil.get_terminal_size().columns - 1]
            print(f"\r\x1b[2K{line}", end="", file=self.stream, flush=True)
        elif 10 * self.done // self.total > self.shown:
            self.shown = 10 * self.done // self.total
            self.write(self.line())

    def line(self) -> str:
        now = time.monotonic()
        text = f"{self.done:,} of {self.total:,} jobs in {duration(now - self.begin)}"
        if len(self.played) > 4:
            rate = (len(self.played) - 1) / max(now - self.played[0], 1e-3)
            text += f", about {duration((self.total - self.done) / rate)} left"
        rules = Counter(job.rule_name for job in self.running.values())
        busy = ", ".join(f"{count} {WHY.get(rule, rule)}" for rule, count in rules.items())
        return f"{text}; now {busy}" if busy else text

    def tick(self) -> None:
        while not self.over.wait(1.0):
            with self.lock or threading.RLock():
                self.progress()

    def close(self) -> None:
        if self.moves and not self.over.is_set():  # of a run that ended early, and no use any more
            print("\r\x1b[2K", end="", file=self.stream, flush=True)
        self.over.set()
        super().close()


def unreadable_config(text: str) -> str:
    """Snakemake reads a config before the workflow can; a file that it cannot read is named here.

    It would answer with a traceback, or without saying which file and which line.
    """
    if option := re.search(r"Invalid config definition.*value: '(.*)'\)", text):
        return f"--config {option[1]}: a value is needed, as in --config runs=16"
    if not any(mark in text for mark in UNREADABLE):
        return ""
    from lincon.errors import UserError
    from lincon.study.config import read_config

    if missing := re.search(r"FileNotFoundError: .*: ('.*')$", text.strip()):
        return f"{missing[1]} is named as a config file, but does not exist"
    try:
        for file in sys.argv[1:]:
            if file.endswith(CONFIGS) and os.path.isfile(file):
                read_config(file)
    except UserError as error:
        return str(error)
    return ""


def duration(seconds: float) -> str:
    return f"{seconds / 60:.1f} min" if seconds >= 100 else f"{seconds:.0f} s"
