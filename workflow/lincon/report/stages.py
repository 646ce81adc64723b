"""The stages from runs to tables: files in, files out, every path given.

Each is one job of the workflow; `analysis.runs.summarise`, figures and the page have their own.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from lincon.analysis import atlas as atlas_of
from lincon.analysis.results import Results
from lincon.analysis.results import analyse as analyse_runs
from lincon.analysis.runs import Paths, read_plays, read_runs
from lincon.analysis.sweeps import final_values
from lincon.data import arms as arm_tables
from lincon.files import read_frame, write_frame, write_text
from lincon.problem.record import read_problem
from lincon.report import atlas as atlas_text
from lincon.report import tables as tables_of
from lincon.report.table import document, latex_file
from lincon.report.text import banner

File = str | Path


def analyse(
    run_files: Paths,
    play_files: Paths,
    arms: File,
    problem: File,
    summary: File,
    folder: File,
    *,
    looks: Mapping[str, Mapping[str, Any]],
    runs: int,
    **settings: Any,
) -> Results:
    """Everything about one experiment, as frames and as texts, in its folder.

    `looks` has the label of every policy; `settings` are those of lincon.analysis.results.analyse.
    """
    series, metadata = read_runs(run_files, list(looks), runs)
    plays = read_plays(play_files, list(looks), runs)
    read = (arm_tables.read(arms), read_problem(problem), read_frame(summary, "a summary"))
    results = analyse_runs(looks, series, plays, *read, metadata, **settings)
    for file, text in tables_of.texts(results).items():
        write_text(Path(folder) / file, text)
    results.save(folder)
    return results


def tables(
    points: Sequence[Mapping[str, Any]], folder: File, everything: File, labels: Mapping[str, str]
) -> None:
    """The tables over all settings of a study; a point has `problem` and `summary`, as paths."""
    read = [final_values(point) for point in points]
    problems = list({(p.dataset, p.goal.text): p for p, _ in read}.values())
    folder, facts = Path(folder), tables_of.assumptions(problems)
    final = pd.concat([frame for _, frame in read], ignore_index=True)
    for frame, table in (
        (facts, tables_of.assumptions_table(facts)),
        (final, tables_of.final_table(final, labels)),
    ):
        warning = banner(frame.itertuples())
        write_frame(folder / f"{table.key}.parquet", frame)
        write_text(folder / f"{table.key}.md", document(table.title, warning, table.markdown()))
        write_text(folder / f"{table.key}.tex", latex_file([table], warning))
    parts = []
    for point, (_, frame) in zip(points, read, strict=True):
        keys = frame.iloc[[0]][["dataset", "source", "constraints", "horizon"]]
        parts.append(keys.merge(read_frame(point["summary"], "a summary"), how="cross"))
    write_frame(everything, pd.concat(parts, ignore_index=True))


def atlas(
    outcome_files: Paths,
    folder: File,
    looks: Mapping[str, Mapping[str, Any]],
    about: Mapping[str, Any],
) -> atlas_of.Atlas:
    """Frames and text of an atlas, from how the runs on its problems ended.

    `about` has its title, bound, horizon and runs.
    """
    folder = Path(folder)
    outcomes = pd.concat([read_frame(path, "outcomes of an atlas") for path in outcome_files])
    made = atlas_of.analyse(outcomes, list(looks))
    for name, frame in made._asdict().items():
        write_frame(folder / f"{name}.parquet", frame)
    labels = {policy: str(look["label"]) for policy, look in looks.items()}
    write_text(folder / "atlas.md", atlas_text.markdown(made, labels, about))
    write_text(folder / "atlas.tex", latex_file([atlas_text.table(made, labels)]))
    return made
