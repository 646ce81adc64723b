"""Compile a kernel once, into the cache that jobs share."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

ARGUMENTS = {"--out": {"type": Path, "required": True, "help": "the mark to leave when done"}}


@dataclass(frozen=True)
class Settings:
    kernel: str


def run(settings: Settings, args: argparse.Namespace) -> None:
    from lincon.engine.simulate import compile_kernels
    from lincon.files import write_text
    from lincon.kernel_cache import cache_folder, remove_unused

    compile_kernels(settings.kernel)
    remove_unused(cache_folder())
    write_text(args.out, "compiled\n")
