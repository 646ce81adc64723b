"""`lincon simulate`: play a block of runs of one policy into one file."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lincon import __version__
from lincon.cli import guarded
from lincon.errors import UserError
from lincon.job import rarely_collected
from lincon.study.paths import read_block

if TYPE_CHECKING:
    from lincon.data.arms import Arms
    from lincon.engine.simulate import Run
    from lincon.policies.registry import Policy
    from lincon.problem.record import Problem


def arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--arms", type=Path, required=True, help="the arms, as Parquet")
    add("--problem", type=Path, required=True, help="their optimum, as JSON")
    add("--constraints", default="", help="refuse a problem of others, such as eta_0.5")
    text = "a name, then its keys: --policy mine estimator=kl_ucb c=3"
    add("--policy", nargs="+", required=True, metavar="NAME KEY=VALUE", help=text)
    add("--horizon", type=int, required=True, help="rounds per run")
    add("--runs", default="0", help="7, or 0-15 (default: 0)")
    add("--seed", type=int, default=0, help="of all random numbers (default: 0)")
    add("--points", type=int, default=200, help="rounds that are recorded (default: 200)")
    add("--engine", choices=["lazy", "dense", "python"], default="lazy")
    text = "series, plays per arm, the arm of every round: one file each, the first is enough"
    add("--out", type=Path, nargs="+", required=True, metavar="PARQUET", help=text)
    text = "seconds that a run of a user-defined policy may take (default: any number)"
    add("--limit", type=float, default=0, help=text)
    add("--source", default="", help="refuse a user-defined policy whose code has another hash")
    add("--code", default="", help="the hash of the code to record (default: computed)")


def as_options(entry: Mapping[str, Any]) -> list[str]:
    """A policy's config entry as KEY=VALUE; text that reads as a number or the like is quoted."""
    plain = {key: isinstance(v, str) and _value(v) == v for key, v in entry.items()}
    return [f"{key}={v if plain[key] else json.dumps(v)}" for key, v in entry.items()]


def from_options(options: Iterable[str]) -> dict[str, Any]:
    """The config entry from KEY=VALUE arguments."""
    pairs = [option.partition("=") for option in options]
    for key, equals, _ in pairs:
        if not (key and equals):
            raise UserError(f"--policy: {key!r} is not KEY=VALUE, as in estimator=kl_ucb")
    return {key: _value(text) for key, _, text in pairs}


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text


def run(args: argparse.Namespace) -> None:
    child = guarded.Child.from_environment() if args.engine == "python" else None
    if args.engine == "python" and child is None:
        guarded.run_guarded(args.words, f"policies.{args.policy[0]}", args.limit)
    else:
        with child or nullcontext():
            play_block(args, child.begin if child else lambda run: None)


def play_block(args: argparse.Namespace, begin: Callable[[int], None]) -> None:
    """Play the runs and write their tables; `begin` is called before each run."""
    rarely_collected()
    import pyarrow as pa

    from lincon.data import arms as arm_table
    from lincon.files import write_table
    from lincon.policies.own import check_unchanged
    from lincon.policies.registry import make_policy
    from lincon.problem.record import read_problem, require_arms

    name, *options = args.policy
    entry = from_options(options)
    policy = make_policy(name, entry)
    check_unchanged(policy, args.source)
    arms, problem = arm_table.read(args.arms), read_problem(args.problem)
    require_arms(problem, arms, str(args.problem), args.constraints)
    first, last = read_block(args.runs)
    if policy.python:  # kernels are compiled or loaded outside the policy's time
        short = argparse.Namespace(**vars(args) | {"horizon": len(arms), "points": 2})
        play(short, make_policy("warm_up", {"python": AnyArm}), arms, problem, 0)
    runs = []
    # Numba imports these if installed: a third of a short job's time, and no kernel needs them.
    with without(*(() if policy.python else ("scipy", "yaml", "cffi"))):
        for number in range(first, last + 1):
            begin(number)
            runs.append(play(args, policy, arms, problem, number))
    tables: list[list[Any]] = [[run.series for run in runs], [run.plays for run in runs]]
    if len(args.out) > 2:
        tables.append([run.rounds() for run in runs])
    entry = {"name": name} | entry | ({"sha256": args.source} if args.source else {})
    made_by = provenance(args, entry, arms, problem)
    for path, parts in zip(args.out, tables, strict=False):
        write_table(path, pa.concat_tables(parts).combine_chunks(), made_by)


class AnyArm:
    """The shortest user-defined policy."""

    def __init__(self, problem: object, rng: object) -> None: ...

    def choose(self, t: int, kind: int = 0) -> None: ...

    def update(self, t: int, arm: int, event: bool) -> None: ...


@contextmanager
def without(*modules: str) -> Iterator[None]:
    """Hide these modules from imports, unless they are loaded already."""
    hidden = [name for name in modules if name not in sys.modules]
    sys.modules.update(dict.fromkeys(hidden))  # type: ignore[arg-type]
    try:
        yield
    finally:
        for name in hidden:
            del sys.modules[name]


def play(
    args: argparse.Namespace, policy: Policy, arms: Arms, problem: Problem, number: int
) -> Run:
    from lincon.engine.progress import Progress
    from lincon.engine.simulate import Setting, simulate

    setting = Setting(
        dataset=problem.dataset,
        goal=problem.goal,
        policy=policy,
        run=number,
        record="plays" if len(args.out) > 2 else "series",
        **{key: getattr(args, key) for key in ("horizon", "seed", "points", "engine")},
    )
    here = os.getcwd()
    try:
        return simulate(setting, arms, problem, Progress(args.horizon))
    except UserError as error:
        raise UserError(f"run {number}: {error}") from None
    finally:
        os.chdir(here)  # wherever a user-defined policy has gone


def provenance(
    args: argparse.Namespace, policy: Mapping[str, Any], arms: Arms, problem: Problem
) -> dict[str, str]:
    """Provenance for the file's metadata; without times and machine, so that bytes are the same."""
    import hashlib

    from lincon.fingerprint import fingerprint

    return {
        "dataset": problem.dataset,
        "source": arms.source,
        "arms_sha256": hashlib.sha256(args.arms.read_bytes()).hexdigest(),
        "constraints": problem.goal.text,
        **({} if problem.goal.eta is None else {"eta": repr(problem.goal.eta)}),
        "horizon": str(args.horizon),
        "policy": json.dumps(policy, sort_keys=True),
        "engine": args.engine,
        "seed": str(args.seed),
        "points": str(args.points),
        "code": args.code or fingerprint("engine"),
        **{name: metadata.version(name) for name in ("numpy", "numba")},
        "lincon": __version__,
    }
