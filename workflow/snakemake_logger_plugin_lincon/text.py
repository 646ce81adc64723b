"""Sentences of the terminal: a config that cannot be read, results by folder, a time in words."""

import re
import shutil
import sys
from pathlib import Path, PurePath

# Where Snakemake's own reader of configs gives up.
UNREADABLE = (
    *("in load_configfile", "ConfigSettings(", "Config file is not valid JSON or YAML"),
    "Config file must be given as JSON or YAML",
)
# What results are counted as; pages are listed one by one, a table's beside its .md is not.
KINDS = {".html": "", ".png": "figures", ".md": "tables"}


def unreadable_config(text: str) -> str:
    """Snakemake reads a config before the workflow can; a file that it cannot read is named here.

    It would answer with a traceback, or without saying which file and which line.
    """
    if not any(mark in text for mark in UNREADABLE):
        return ""
    from lincon.errors import UserError
    from lincon.study.yaml_text import check_text

    if missing := re.search(r"FileNotFoundError: .*: ('.*')$", text.strip()):
        return f"{missing[1]} is named as a config file, but does not exist"
    for file in [name for name in sys.argv[1:] if Path(name).is_file()]:
        try:
            check_text(file)
        except UserError as error:
            return str(error)
    return ""


def no_room(path: Path) -> bool:
    """Whether not even a few lines could be written there."""
    return path.parent.is_dir() and shutil.disk_usage(path.parent).free < 1 << 14


def place(path: str) -> tuple[str, str]:
    """Where a result is listed and as what: a page by its name, the rest by their folder."""
    kind = KINDS.get(PurePath(path).suffix)
    if kind == "" and Path(path).with_suffix(".md").is_file():
        kind = None
    return (str(PurePath(path).parent) if kind else path, kind) if kind is not None else ("", "")


def duration(seconds: float) -> str:
    return f"{seconds / 60:.1f} min" if seconds >= 100 else f"{seconds:.0f} s"
