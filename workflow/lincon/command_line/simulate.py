"""Play a block of runs of one policy into one file, with the same rows as one by one."""

from __future__ import annotations

import argparse
import atexit
import gc
import json
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lincon import __version__
from lincon.command_line.phases import Phases
from lincon.errors import UserError

if TYPE_CHECKING:
    from lincon.data.arms import Arms
    from lincon.engine.simulate import Run
    from lincon.policies.registry import Policy
    from lincon.problem.record import Problem

ARGUMENTS = {
    "--arms": {"type": Path, "required": True, "help": "the arm table"},
    "--problem": {"type": Path, "required": True, "help": "the problem's optimum"},
    "--out": {
        "type": Path,
        "required": True,
        "nargs": "+",
        "help": "files to write: series, plays per arm and, if recorded, the arm of every round",
    },
}


@dataclass(frozen=True)
class Settings:
    """Everything that the runs depend on, besides the arms and the code."""

    dataset: str
    eta: float
    horizon: int
    policy: str
    # The policy's entry in the config, without its label and colour.
    entry: dict[str, Any]
    first: int
    last: int
    seed: int
    points: int
    engine: str
    record: str = "series"
    # The sha256 of the file behind a policy of the user's own.
    source: str = ""


def run(settings: Settings, args: argparse.Namespace) -> None:
    _start_quickly()
    phases = Phases()
    phases.end("start")
    from lincon.data import arms as arm_table
    from lincon.files import write_table
    from lincon.policies.own import check_unchanged
    from lincon.policies.registry import make_policy
    from lincon.problem.record import read_problem

    policy = make_policy(settings.policy, settings.entry)
    check_unchanged(policy, settings.source)
    arms, problem = arm_table.read(args.arms), read_problem(args.problem)
    numbers = range(settings.first, settings.last + 1)
    runs = [_play(settings, policy, arms, problem, number, phases) for number in numbers]
    made_by = provenance(settings, arms, args)
    tables: list[list[Any]] = [[run.series for run in runs], [run.plays for run in runs]]
    if settings.record == "plays":
        tables.append([run.rounds() for run in runs])
    for path, parts in zip(args.out, tables, strict=True):
        write_table(path, _joined(parts), made_by)
    phases.end("files")
    print(f"processor seconds by phase: {phases}")


def _play(
    settings: Settings, policy: Policy, arms: Arms, problem: Problem, number: int, phases: Phases
) -> Run:
    from lincon.engine.progress import Progress
    from lincon.engine.simulate import Setting, simulate

    phases.end("imports")
    tell = Progress(settings.horizon)

    def progress(t: int) -> None:
        if t == 1:  # until then the kernel was loaded, or compiled
            phases.end("kernel")
        tell(t)

    setting = Setting(
        dataset=settings.dataset,
        goal=settings.eta,
        horizon=settings.horizon,
        policy=policy,
        run=number,
        seed=settings.seed,
        points=settings.points,
        engine=settings.engine,
        record=settings.record,
    )
    try:
        run = simulate(setting, arms, problem, progress)
    except UserError as error:
        raise UserError(f"run {number}: {error}") from None
    except SystemExit as error:  # a job that ends like that looks well
        raise UserError(
            f"run {number}: policies.{settings.policy} called sys.exit({error.code!r}); it must "
            "play to the last round"
        ) from None
    except Exception as error:
        error.add_note(f"lincon: this was run {number} of {settings.policy} on {settings.dataset}")
        raise
    phases.end("rounds")
    return run


def _joined(tables: list[Any]) -> Any:
    import pyarrow as pa

    return pa.concat_tables(tables).combine_chunks()


def provenance(settings: Settings, arms: Arms, args: argparse.Namespace) -> dict[str, str]:
    """What made the runs, for the file's metadata: no times and no machine, so the same bytes."""
    import hashlib

    from lincon.fingerprint import fingerprint

    policy = {"name": settings.policy} | settings.entry
    if settings.source:
        policy["sha256"] = settings.source
    return {
        "dataset": settings.dataset,
        "source": arms.source,
        "arms_sha256": hashlib.sha256(args.arms.read_bytes()).hexdigest(),
        "eta": repr(settings.eta),
        "horizon": str(settings.horizon),
        "policy": json.dumps(policy, sort_keys=True),
        "engine": settings.engine,
        "seed": str(settings.seed),
        "points": str(settings.points),
        "code": args.code or fingerprint("engine"),
        **{name: metadata.version(name) for name in ("numpy", "numba")},
        "lincon": __version__,
    }


def _start_quickly() -> None:
    """For a process that does little besides starting up: leave out what does not serve it."""
    # The imports make hundreds of thousands of objects that stay to the end. To look for garbage
    # among them, again and again and once more on leaving, takes a third of a short job.
    gc.disable()
    atexit.register(gc.freeze)
