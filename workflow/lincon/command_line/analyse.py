"""Theory, claims and league of one experiment, as tables."""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ARGUMENTS = {
    "--arms": {"type": Path, "required": True, "help": "the arm table"},
    "--problem": {"type": Path, "required": True, "help": "the problem's optimum"},
    "--out": {"type": Path, "required": True, "help": "the folder of the experiment's tables"},
}

NO_CLAIMS = """# Claims

None are checked here: the two policies that `compare` names in the config do not both play.
"""


@dataclass(frozen=True)
class Settings:
    # Each a `lincon.command_line.runs.RunsOf`.
    players: list[dict[str, Any]]
    runs: int
    resamples: int
    seed: int
    gamma: float
    horizon: int
    # The ids of the two policies that the claims compare, challenger first; none, no claims.
    compare: list[str] = field(default_factory=list)
    looks: dict[str, dict[str, str]] = field(default_factory=dict)


def run(settings: Settings, args: argparse.Namespace) -> None:
    import pandas as pd

    from lincon.analysis import claims, claims_text, theory
    from lincon.command_line.runs import read_all
    from lincon.data import arms
    from lincon.files import write_frame, write_text
    from lincon.problem.record import read_problem

    problem = read_problem(args.problem)
    table = theory.theory_table(arms.read(args.arms), problem, settings.gamma)
    write_frame(args.out / "theory.parquet", table)
    scalars = theory.scalars(table, problem, settings.horizon)
    write_text(args.out / "scalars.json", json.dumps(scalars, indent=2) + "\n")
    labels = {name: look.get("label", name) for name, look in settings.looks.items()}
    if not settings.compare:
        write_frame(args.out / "claims.parquet", pd.DataFrame(columns=list(claims.COLUMNS)))
        write_text(args.out / "claims.md", NO_CLAIMS)
    else:
        runs = read_all("runs", settings.players, settings.runs)
        frame = claims.check_claims(
            runs, problem, table, *settings.compare,
            settings.runs, settings.resamples, settings.seed,
        )  # fmt: skip
        write_frame(args.out / "claims.parquet", frame)
        write_text(args.out / "claims.md", claims_text.to_markdown(frame, problem, labels))
