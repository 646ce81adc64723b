"""Where the paper's real files are: a file counts only with the checksum that config.yaml pins.

`python -m tests.real_data FOLDER ...` prints the first folder that has them all.
"""

import os
import sys
from pathlib import Path

import yaml

from lincon.data.arms import Arms
from lincon.data.raw import file_sha256
from lincon.data.sources import extract

REPOSITORY = Path(__file__).parent.parent
CONFIG = yaml.safe_load((REPOSITORY / "config" / "config.yaml").read_text(encoding="utf-8"))
PAPER = {"coupon": 0.25, "edx": 0.5}  # dataset: the paper's eta


def folder() -> Path:
    return Path(os.environ.get("LINCON_MIRROR", REPOSITORY / "resources" / "raw")).resolve()


def missing(place: Path) -> list[str]:
    """The paper's files that the folder does not hold with their pinned bytes."""
    files = [file for name in PAPER for file in CONFIG["datasets"][name]["files"].items()]
    paths = [(place / name, file["sha256"]) for name, file in files]
    return [path.name for path, pin in paths if not path.is_file() or file_sha256(path) != pin]


def real_arms(place: Path) -> dict[str, tuple[Arms, float]]:
    """Dataset: its arms as the default config says, never stand-ins, and the paper's eta."""
    made = {}
    for name, eta in PAPER.items():
        entry = CONFIG["datasets"][name]
        made[name] = extract(entry, [place / file for file in entry["files"]], name), eta
    return made


if __name__ == "__main__":
    found = [place for place in sys.argv[1:] if not missing(Path(place))]
    print(*found[:1])
