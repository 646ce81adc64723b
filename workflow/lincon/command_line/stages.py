"""The command line behind the rules: `python -m lincon STAGE ...`, one small function a stage.

Arguments in, files out, nothing else. Heavy imports are inside the stages, so that a simulation
job pays for NumPy, Arrow and Numba alone.
"""

from __future__ import annotations

import argparse
import atexit
import gc
import json
import sys
from pathlib import Path

from lincon.errors import UserError


def fetch(args: argparse.Namespace) -> None:
    from lincon.data.fetch import Unreachable, fetch
    from lincon.data.kinds import by_hand
    from lincon.data.raw import write_placeholder

    for name, entry in args.spec.items():
        target = args.folder / name
        try:
            fetched = fetch(
                name,
                args.folder,
                entry.get("sha256"),
                entry.get("address"),
                args.mirrors,
                by_hand=by_hand(name),
            )
            print(f"{target}: got from {fetched.origin}, sha256 {fetched.sha256}")
        except Unreachable as error:
            if args.data != "auto":
                raise
            write_placeholder(target)
            print(f"{target} is left empty, the stand-in takes its place: {error}")


def extract(args: argparse.Namespace) -> None:
    from lincon.data import arms
    from lincon.data.sources import extract

    arms.write(extract(args.spec, args.raw, args.spec["dataset"]), args.out)


def problem(args: argparse.Namespace) -> None:
    from lincon.data import arms
    from lincon.files import write_text
    from lincon.problem.solve import solve_problem

    write_text(args.out, solve_problem(arms.read(args.arms), args.spec["eta"]).to_json())


def compile_kernels(args: argparse.Namespace) -> None:
    _hurry()
    from lincon.engine.simulate import compile_kernels
    from lincon.files import write_text

    compile_kernels(args.spec["kernel"])
    write_text(args.out, "compiled\n")


def simulate(args: argparse.Namespace) -> None:
    _hurry()
    from lincon.data import arms
    from lincon.engine.progress import Progress
    from lincon.engine.simulate import Setting, simulate
    from lincon.files import write_table
    from lincon.policies import registry as policies
    from lincon.problem.solve import solve_problem

    spec = args.spec | {"policy": policies.make_policy(args.spec["name"], args.spec["policy"])}
    del spec["name"]
    setting = Setting(**spec)
    table = arms.read(args.arms)
    problem = solve_problem(table, setting.eta)
    run = simulate(setting, table, problem, Progress(setting.horizon))
    write_table(args.out, run.series)
    write_table(args.plays, run.plays)


def _hurry() -> None:
    """For processes that do little besides starting up: leave out what does not serve them."""
    # The imports make hundreds of thousands of objects that stay to the end. To look for garbage
    # among them, again and again and once more on leaving, takes a third of a short job.
    gc.disable()
    atexit.register(gc.freeze)


def summarise(args: argparse.Namespace) -> None:
    from lincon.analysis import metrics
    from lincon.files import write_frame

    spec = args.spec
    runs = {name: metrics.read_runs(args.runs, name, spec["runs"]) for name in spec["policies"]}
    summary = metrics.summarise(runs, _problem(args), spec["runs"], spec["resamples"], spec["seed"])
    write_frame(args.out, summary)


def panels(args: argparse.Namespace) -> None:
    import pandas as pd

    from lincon.figures import drawing as plotting
    from lincon.figures import panels

    spec = args.spec
    summary = pd.read_parquet(args.summary, partitioning=None)
    looks = plotting.looks(spec["policies"])
    with plotting.styled():
        figures = panels.all_figures(summary, _problem(args), looks, spec["title"])
        _save_all(figures, args.out)


def arms_figure(args: argparse.Namespace) -> None:
    from lincon.data import arms
    from lincon.figures import drawing as plotting
    from lincon.figures.arms import arms_figure
    from lincon.problem.record import require_feasible

    stated = _problem(args)
    require_feasible(stated)
    with plotting.styled():
        plotting.save(arms_figure(arms.read(args.arms), stated, args.spec["title"]), args.figures)


def _save_all(figures, folder: Path) -> None:
    from lincon.figures import drawing as plotting

    for name, figure in figures.items():
        plotting.save(figure, [folder / f"{name}.{suffix}" for suffix in ("png", "pdf")])


def _problem(args: argparse.Namespace):
    from lincon.problem.record import Problem

    return Problem.from_json(args.problem.read_text(encoding="utf-8"))


def theory(args: argparse.Namespace) -> None:
    from lincon.analysis import theory
    from lincon.data import arms
    from lincon.files import write_frame, write_text

    stated = _problem(args)
    table = theory.theory_table(arms.read(args.arms), stated, args.spec["gamma"])
    write_frame(args.out, table, _provenance(stated))
    scalars = theory.scalars(table, stated, args.spec["horizon"])
    write_text(args.scalars, json.dumps(scalars, indent=2) + "\n")


def claims(args: argparse.Namespace) -> None:
    import pandas as pd

    from lincon.analysis import claims, claims_text, metrics
    from lincon.figures import claims as claims_figure
    from lincon.figures import drawing as plotting
    from lincon.files import write_frame, write_text

    spec, stated = args.spec, _problem(args)
    series = {name: metrics.read_runs(args.runs, name, spec["runs"]) for name in spec["compare"]}
    table = pd.read_parquet(args.theory, partitioning=None)
    frame = claims.check_claims(
        series, stated, table, *spec["compare"], spec["runs"], spec["resamples"], spec["seed"]
    )
    looks = plotting.looks(spec["policies"])
    labels = {name: look.label for name, look in looks.items()}
    write_frame(args.out / "claims.parquet", frame, _provenance(stated))
    write_text(args.out / "claims.md", claims_text.to_markdown(frame, stated, labels))
    with plotting.styled():
        figure = claims_figure.claims_figure(frame, stated, looks, spec["title"])
        plotting.save(figure, args.figures)


def theory_figures(args: argparse.Namespace) -> None:
    import pandas as pd

    from lincon.analysis import metrics
    from lincon.figures import drawing as plotting
    from lincon.figures import theory as theory_figures

    spec = args.spec
    summary = pd.read_parquet(args.summary, partitioning=None)
    table = pd.read_parquet(args.theory, partitioning=None)
    plays = {name: metrics.read_runs(args.plays, name, spec["runs"]) for name in spec["policies"]}
    with plotting.styled():
        figures = theory_figures.all_figures(
            summary, plays, table, _problem(args), plotting.looks(spec["policies"]), spec["title"]
        )
        _save_all(figures, args.out)


def tables(args: argparse.Namespace) -> None:
    from lincon.analysis import tables
    from lincon.files import write_frame, write_text

    settings = args.spec["settings"]
    assumptions = tables.assumptions(tables.read_problems(args.folder, settings))
    summary = tables.collect(args.folder, settings)
    final = tables.final_values(summary)
    for name, frame in (("assumptions", assumptions), ("final", final)):
        write_frame(args.out / f"{name}.parquet", frame)
        write_text(args.out / f"{name}.md", tables.markdown(frame, args.spec["titles"][name]))
    write_frame(args.summary, summary)


def sweep_figure(args: argparse.Namespace) -> None:
    from lincon.figures import drawing as plotting
    from lincon.figures import sweeps

    spec = args.spec
    sweep = sweeps.read(args.folder, spec["points"], spec["axes"])
    with plotting.styled():
        draw = sweeps.FIGURES[spec["figure"]]
        figure = draw(sweep, plotting.looks(spec["policies"]), spec["title"])
        plotting.save(figure, args.figures)


def notices(args: argparse.Namespace) -> None:
    from lincon.analysis.tables import notices, read_problems

    # A call for single targets need not have stated every problem.
    problems = read_problems(args.folder, args.spec["settings"], missing_ok=True)
    if problems:
        print(notices(problems))


def status(args: argparse.Namespace) -> None:
    from lincon.study.inventory import load, status

    print(status(sys.stdin, load(args.configs)))


def clean_stale(args: argparse.Namespace) -> None:
    from lincon.study.inventory import delete, unwanted

    default, *others = args.configs
    files = unwanted([[default], *([default, other] for other in others)])
    for file in files:
        print(file)
    if args.delete:
        delete(files)
    elif files:
        print(f"{len(files)} files that no experiment refers to; --delete deletes them")


def _provenance(problem) -> dict[str, str]:
    return {"dataset": problem.dataset, "source": problem.source, "note": problem.note}


def _path(what: str, **options: object) -> dict[str, object]:
    return {"type": Path, "required": True, "help": what} | options


ARGUMENTS: dict[str, dict] = {
    "--spec": {"type": json.loads, "required": True, "help": "the stage's settings, as JSON"},
    "--mirrors": {"type": json.loads, "default": [], "help": "places to try first, as JSON"},
    "--data": {"choices": ["auto", "real"], "help": "auto: leave an empty file if unreachable"},
    "--raw": _path("raw files", nargs="*"),
    "--folder": _path("the folder that holds the stage's files"),
    "--arms": _path("the arm table"),
    "--problem": _path("the problem's optimum"),
    "--runs": _path("the folder of a setting's runs"),
    "--plays": _path("the plays per arm: a run's file, or the folder of a setting's"),
    "--summary": _path("a summary"),
    "--theory": _path("the theory table"),
    "--scalars": _path("the theory's scalars"),
    "--figures": _path("figure files to write", nargs="+"),
    "--out": _path("the file or folder to write"),
    "--configs": _path("the default config, then others, each merged into it", nargs="+"),
    "--delete": {"action": "store_true", "help": "delete, not only list"},
}
STAGES = {
    "fetch": (fetch, "--spec --folder --mirrors --data"),
    "extract": (extract, "--spec --raw --out"),
    "problem": (problem, "--spec --arms --out"),
    "compile": (compile_kernels, "--spec --out"),
    "simulate": (simulate, "--spec --arms --out --plays"),
    "summarise": (summarise, "--spec --problem --runs --out"),
    "theory": (theory, "--spec --arms --problem --out --scalars"),
    "claims": (claims, "--spec --problem --runs --theory --out --figures"),
    "tables": (tables, "--spec --folder --summary --out"),
    "arms-figure": (arms_figure, "--spec --arms --problem --figures"),
    "panels": (panels, "--spec --summary --problem --out"),
    "theory-figures": (theory_figures, "--spec --summary --plays --theory --problem --out"),
    "sweep-figure": (sweep_figure, "--spec --folder --figures"),
    "notices": (notices, "--spec --folder"),
    "status": (status, "--configs"),
    "clean-stale": (clean_stale, "--configs --delete"),
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
