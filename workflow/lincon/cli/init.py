"""`lincon init`: a small study that runs as it is, of a radio link or of the user's own arms."""

from __future__ import annotations

import argparse
import re
import shlex
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from lincon.errors import UserError
from lincon.files import write_text
from lincon.shared import root

if TYPE_CHECKING:
    from lincon.data.arms import Arms

TEMPLATE = Path(__file__).parent / "new_study"
# Rounds to play, and per arm where there are many: each must be tried more than once.
HORIZON, PER_ARM = 20_000, 100
ABOVE = """\
# Which policy for the arms in {file}, while the event rate stays at {floor} (eta) or above?
# The answer is for so many plays (horizon). With `means: posterior`, runs draw their means from the
# posterior of your counts: the answer is for arms like these. For costs, caps and shares write
# `constraints` and `objective` instead of eta. The keys are listed in lincon's config/README.md; a
# wrong one is refused with a sentence.
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("folder", type=Path, nargs="?", help="an empty or a new folder")
    add("--arms", type=Path, metavar="CSV", help="your arms: mean or successes and trials; value")
    add("--floor", type=float, help="with --arms: the event rate that must be kept, such as 0.025")
    add("--unit", help="with --arms: what values are counted in, such as EUR")
    add("--horizon", type=int, help=f"with --arms: rounds to play (default: {HORIZON:,})")


def run(args: argparse.Namespace) -> None:
    if (args.arms is None) != (args.floor is None) or not (args.folder or args.arms):
        raise UserError("a folder is needed, or --arms CSV and --floor: see lincon init --help")
    folder = args.folder or Path(_name(args.arms.stem))
    if args.arms is None:
        written = new_study(folder)
    else:
        written = study_of_arms(folder, args.arms, args.floor, args.horizon, args.unit)
    print(*written, sep="\n")
    here = folder.resolve() == Path.cwd()
    print(f"Next: {'' if here else f'cd {shlex.quote(str(folder))} && '}lincon run")
    if args.arms is not None:
        print("The answer is printed at the end; for a first look: lincon run --config runs=8")


def new_study(folder: Path) -> list[Path]:
    """Write the files of a small study; the folder must be empty or absent."""
    if folder.is_file() or (folder.is_dir() and any(folder.iterdir())):
        raise UserError(f"{folder} is not empty; a study begins in an empty folder, or a new one")
    sources = sorted(path for path in TEMPLATE.rglob("*") if path.is_file())
    written = [folder / path.relative_to(TEMPLATE) for path in sources]
    for source, target in zip(sources, written, strict=True):
        text = source.read_text(encoding="utf-8")
        write_text(target, text.replace("STUDY", _name(folder.resolve().name)))
    return written


def study_of_arms(
    folder: Path,
    file: Path,
    floor: float,
    horizon: int | None = None,
    unit: str | None = None,
) -> list[Path]:
    """The same with the user's arms, a copy of them, and the policies of config/my_arms.yaml."""
    import yaml

    from lincon.study.config import validate
    from lincon.study.plan import plan

    name = _name(file.stem)
    arms = _read(file, name, unit)
    horizon = max(HORIZON, PER_ARM * len(arms)) if horizon is None else horizon
    templates = [root() / "config" / each for each in ("my_arms.yaml", "config.yaml")]
    mine, paper = (yaml.safe_load(path.read_text(encoding="utf-8")) for path in templates)
    played = mine["experiments"]["mine"]["policies"]
    dataset: dict[str, object] = {"label": file.stem, "kind": "user", "path": file.name}
    dataset |= {"unit": arms.unit} if arms.unit else {}
    dataset |= {"scale": arms.scale} if arms.scale != 1.0 else {}
    experiment: dict[str, object] = {"dataset": name, "eta": floor, "horizon": horizon}
    experiment |= {"means": "posterior"} if "trials" in arms.columns else {}
    config = {
        "study": _name(folder.resolve().name),
        "runs": mine["runs"],
        "runs_per_job": "auto",
        "datasets": {name: dataset},
        "experiments": {name: experiment | {"policies": played}},
        "policies": {each: paper["policies"][each] for each in played},
    }
    plan(validate(config))
    written = new_study(folder)
    text = yaml.safe_dump(config, sort_keys=False, allow_unicode=True, width=100)
    text = ABOVE.format(file=file.name, floor=floor) + text
    write_text(folder / "config" / "config.yaml", text)
    shutil.copyfile(file, folder / file.name)
    return [*written, folder / file.name]


def _read(file: Path, name: str, unit: str | None) -> Arms:
    """The arms, by the scale and in the unit that their values ask for."""
    from lincon.data.sources import extract
    from lincon.data.supported import LARGEST

    entry = {"kind": "user", "path": str(file)}
    first = extract(entry | {"scale": LARGEST}, [file], name)
    most = float(f"{first.value.max() * LARGEST:.12g}")
    found = re.search(r"amounts in ([^\s,]+)", first.read_as)
    unit = unit or (found[1] if found else None)
    entry |= {"unit": unit} if unit else {}
    return extract(entry | ({"scale": most} if most > 1.0 else {}), [file], name)


def _name(text: str) -> str:
    """A text as the name of a study or a dataset."""
    return re.sub(r"[^A-Za-z0-9_-]+", "_", text).lstrip("_-0123456789")[:60] or "study"
