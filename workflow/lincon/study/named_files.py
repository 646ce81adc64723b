"""Files that a plan names: tables of the user's own arms, and raw files."""

from __future__ import annotations

from pathlib import Path

from lincon.data import kinds
from lincon.data.raw import is_placeholder
from lincon.errors import UserError
from lincon.study.paths import RAW
from lincon.study.plan import Plan


def require_files(planned: Plan) -> None:
    """Refuse a plan with a table that is not there.

    Snakemake would not mind if an earlier file of that dataset left its arms, and would play those.
    """
    for name, entry in planned.datasets.items():
        key = kinds.KINDS[entry["kind"]].path_key
        if key and not Path(entry[key]).is_file():
            where = f"config: datasets.{name.partition('@')[0]}.{key}"
            raise UserError(f"{where}: there is no file {entry[key]} in {Path.cwd()}")


def placeholders(planned: Plan) -> list[Path]:
    """Raw files of a plan that could not be downloaded so far, and are left empty."""
    names = {file for dataset in planned.datasets.values() for file in dataset.get("files", {})}
    raw = [Path(RAW.format(file=name)) for name in sorted(names)]
    return list(filter(is_placeholder, raw))
