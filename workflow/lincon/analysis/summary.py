"""The first stage after the runs, a job per setting: it loads nothing that tables need."""

from collections.abc import Sequence
from pathlib import Path

from lincon.analysis import measures
from lincon.analysis.runs import Paths, count_runs, read_runs
from lincon.data import arms as arm_tables
from lincon.files import write_frame
from lincon.problem.record import read_problem


def summarise(
    files: Paths,
    arms: str | Path,
    problem: str | Path,
    out: str | Path,
    *,
    policies: Sequence[str],
    runs: int,
    tolerances: Sequence[float | None] = (),
) -> None:
    """Average the runs of a setting: one row per policy, metric, basis and recorded round."""
    series, metadata = read_runs(files, policies, runs)
    table = arm_tables.read(arms)
    told = (series, table, read_problem(problem), count_runs(series), tolerances)
    frame = measures.summarise(*told)
    write_frame(out, frame, metadata | {"unit": table.unit, "scale": repr(table.scale)})
