"""The command line behind the rules: `python -m lincon STAGE ...`, one small function a stage.

Arguments in, files out, nothing else. Heavy imports are inside the stages, so that a simulation
job pays for NumPy, Arrow and Numba alone.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from lincon.errors import UserError


def fetch(args: argparse.Namespace) -> None:
    from lincon.fetch import Unreachable, fetch, write_placeholder

    for name, entry in args.spec.items():
        target = args.folder / name
        try:
            fetched = fetch(
                name, args.folder, entry.get("sha256"), entry.get("address"), args.mirrors
            )
            print(f"{target}: got from {fetched.origin}, sha256 {fetched.sha256}")
        except Unreachable as error:
            if not args.standin_allowed:
                raise
            write_placeholder(target)
            print(f"{target} is left empty, the stand-in takes its place: {error}")


def extract(args: argparse.Namespace) -> None:
    from lincon import arms
    from lincon.sources import extract

    arms.write(extract(args.spec, args.raw, args.spec["dataset"]), args.out)


def problem(args: argparse.Namespace) -> None:
    from lincon import arms
    from lincon.files import write_text
    from lincon.problem import state

    write_text(args.out, state(arms.read(args.arms), args.spec["eta"]).to_json())


def compile_kernels(args: argparse.Namespace) -> None:
    from lincon.code import fingerprint
    from lincon.files import write_text
    from lincon.simulate import compile_kernels

    compile_kernels()
    write_text(args.out, f"{fingerprint('simulate')}\n")


def simulate(args: argparse.Namespace) -> None:
    from lincon import arms, policies
    from lincon.files import write_table
    from lincon.progress import Progress
    from lincon.simulate import Setting, simulate

    spec = args.spec | {"policy": policies.make(args.spec["name"], args.spec["policy"])}
    del spec["name"]
    setting = Setting(**spec)
    run = simulate(setting, arms.read(args.arms), Progress(setting.horizon))
    write_table(args.out, run.series)
    write_table(args.plays, run.plays)


def summarise(args: argparse.Namespace) -> None:
    from lincon import metrics
    from lincon.files import write_frame

    spec = args.spec
    runs = {name: metrics.read_runs(args.runs, name, spec["runs"]) for name in spec["policies"]}
    summary = metrics.summarise(runs, _problem(args), spec["runs"], spec["resamples"], spec["seed"])
    write_frame(args.out, summary)


def panels(args: argparse.Namespace) -> None:
    import pandas as pd

    from lincon import panels, plotting

    spec, stated = args.spec, _problem(args)
    summary = pd.read_parquet(args.summary, partitioning=None)
    looks = plotting.looks(spec["policies"])
    with plotting.styled():
        for basis in spec["bases"]:
            figures = panels.all_figures(summary, stated, looks, spec["title"], basis)
            for name, figure in figures.items():
                plotting.save(figure, [args.out / basis / f"{name}.{f}" for f in ("png", "pdf")])


def arms_figure(args: argparse.Namespace) -> None:
    from lincon import arms, plotting
    from lincon.arms_figure import arms_figure
    from lincon.problem import require_feasible

    stated = _problem(args)
    require_feasible(stated)
    with plotting.styled():
        plotting.save(arms_figure(arms.read(args.arms), stated, args.spec["title"]), args.out)


def _problem(args: argparse.Namespace):
    from lincon.problem import Problem

    return Problem.from_json(args.problem.read_text(encoding="utf-8"))


def notices(args: argparse.Namespace) -> None:
    from lincon.notices import notices

    print(notices(args.problems))


ARGUMENTS: dict[str, dict] = {
    "--spec": {"type": json.loads, "required": True, "help": "the stage's settings, as JSON"},
    "--folder": {"type": Path, "required": True, "help": "where raw files are kept"},
    "--standin-allowed": {"action": "store_true", "help": "leave an empty file if unreachable"},
    "--mirrors": {"nargs": "*", "default": [], "help": "folders or addresses to try first"},
    "--raw": {"type": Path, "nargs": "*", "default": [], "help": "raw files"},
    "--arms": {"type": Path, "required": True, "help": "the arm table"},
    "--problem": {"type": Path, "required": True, "help": "the problem's optimum"},
    "--runs": {"type": Path, "required": True, "help": "the folder of a setting's runs"},
    "problems": {"type": Path, "nargs": "+", "help": "problem files"},
    "--plays": {"type": Path, "required": True, "help": "the table of plays per arm"},
    "--summary": {"type": Path, "required": True, "help": "the summary of a setting"},
    "--out": {"type": Path, "required": True, "help": "the file to write"},
    "--outs": {
        "dest": "out",
        "type": Path,
        "nargs": "+",
        "required": True,
        "help": "files to write",
    },
}
STAGES = {
    "fetch": (fetch, "--spec --folder --mirrors --standin-allowed"),
    "extract": (extract, "--spec --raw --out"),
    "problem": (problem, "--spec --arms --out"),
    "compile": (compile_kernels, "--out"),
    "simulate": (simulate, "--spec --arms --out --plays"),
    "summarise": (summarise, "--spec --problem --runs --out"),
    "panels": (panels, "--spec --summary --problem --out"),
    "notices": (notices, "problems"),
    "arms-figure": (arms_figure, "--spec --arms --problem --outs"),
}


def parser() -> argparse.ArgumentParser:
    result = argparse.ArgumentParser(prog="python -m lincon", description=__doc__.splitlines()[0])
    stages = result.add_subparsers(dest="stage", required=True, metavar="STAGE")
    for name, (function, arguments) in STAGES.items():
        stage = stages.add_parser(name)
        stage.set_defaults(function=function)
        for argument in arguments.split():
            stage.add_argument(argument, **ARGUMENTS[argument])
    return result


def main(arguments: list[str] | None = None) -> int:
    args = parser().parse_args(arguments)
    try:
        args.function(args)
    except UserError as error:
        print(f"lincon {args.stage}: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
