"""The answer of a study as a terminal shows it: a short table per experiment, and where to look."""

import textwrap
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from lincon.analysis.league import KEPT, REFERENCE
from lincon.analysis.results import Results
from lincon.analysis.sweeps import Sweep
from lincon.report.answer import answer_of, claims_line, short_finding, uneven_text
from lincon.report.service import service
from lincon.report.table import Table
from lincon.report.tables import league as league_table
from lincon.report.tables import sweep_label
from lincon.report.text import (
    banner,
    counted,
    listed,
    markdown_text,
    one_line,
    supported,
)
from lincon.report.view import bounds_of, label

# By the tone of an answer.
COLOURS = {"good": "32", "warning": "33", "bad": "31"}
STARS = {0.001: "***", 0.01: "**", 0.05: "*"}
STARRED = ", ".join(f"{star} p < {p:g}" for p, star in STARS.items())
LONGEST = 32


def painted(text: str, code: str, colours: bool) -> str:
    return f"\x1b[{code}m{text}\x1b[0m" if colours else text


def study(
    results: Sequence[Results],
    sweeps: Sequence[Sweep],
    page: Path,
    *,
    width: int = 100,
    colours: bool = False,
) -> str:
    """Every experiment and sweep of a study, and the path of its page."""
    parts = []
    if warning := banner([*(one.problem for one in results), *(one.problem for one in sweeps)]):
        text = textwrap.fill(f"! {warning}", width)
        parts.append(painted(text, "33", colours))
    if claims := claims_line(results):
        parts.append(textwrap.fill(claims, width))
    parts += [experiment(one, width, colours) for one in results]
    parts += [sweep(one, page.parent, width) for one in sweeps]
    if any("*" in part for part in parts[bool(warning) :]):
        parts.append(f"  {STARRED}, corrected over all pairs (Holm)")
    if page.exists():
        link = f"\x1b]8;;{page.resolve().as_uri()}\x1b\\{page}\x1b]8;;\x1b\\" if colours else page
        parts.append(painted(f"Open  {link}", "1", colours))
    return "\n\n".join(parts)


def experiment(results: Results, width: int = 100, colours: bool = False) -> str:
    """A line of facts, the table, the answer where it says more, and the code for a service."""
    answer = answer_of(results)
    facts = [bounds_of(results), f"T = {results.horizon:,}", counted(results.runs, "run")]
    head = painted("   ".join([one_line(results.title), *facts]), "1", colours)
    lines = [f"{head}   {painted(short_finding(results), COLOURS[answer.tone], colours)}"]
    lines += league(results)
    if answer.tone != "bad":
        for line in answer.lines[_said(results) :]:
            lines.append(textwrap.fill(line, width, initial_indent="  ", subsequent_indent="  "))
    for _, row in results.league[results.league["uneven"]].iterrows():
        lines.append(f"  {label(results, row['policy'])}: {uneven_text(results, row)}")
    return "\n".join([*lines, *_in_service(results)])


def _said(results: Results) -> int:
    """How many sentences of the answer the table and the line above it say already."""
    return 2 if results.ranked.empty or results.ranked["group"].iloc[0] != KEPT else 0


def sweep(swept: Sweep, folder: Path, width: int = 100) -> str:
    """A sentence about a sweep, and the path of its table."""
    what = f"{one_line(swept.title)}   {counted(len(swept.states), 'point')}"
    lines = [f"{what}   {counted(swept.runs, 'run')} each"]
    lines.append(textwrap.fill(sweep_finding(swept), width, initial_indent="  ",
                               subsequent_indent="  "))  # fmt: skip
    return "\n".join([*lines, f"  {folder / 'tables' / swept.name / 'sweep.parquet'}"])


def sweep_finding(swept: Sweep) -> str:
    """At how many points some policy keeps the constraints, and which does so best."""
    best = swept.best
    if best.empty:
        return "No point is feasible." if len(swept.points) else "There are no points."
    keepers = best[best["group"] == KEPT]
    counts = (best if keepers.empty else keepers)["policy"].value_counts()
    leads = listed([f"{sweep_label(swept, str(p))} ({count:,})" for p, count in counts.items()])
    where = f"{len(keepers):,} of {counted(len(best), 'feasible point')}"
    if keepers.empty:
        return f"No policy keeps the constraints at any point; lowest joint regret: {leads}."
    return f"The constraints are kept at {where}; lowest joint regret among keepers: {leads}."


def _in_service(results: Results) -> list[str]:
    """The lines of code for the winner, where the arms are the user's own."""
    lines = service(results).splitlines()
    return ["", "  In a service:", *(f"    {line}" for line in lines if line)] if lines else []


def markdown(results: Results) -> str:
    """The same for a document: a heading, what was found, and the table."""
    facts = f"{bounds_of(results)}, T = {results.horizon:,}, {counted(results.runs, 'run')}"
    parts = [f"### {markdown_text(results.title)}: {facts}"]
    parts.append(" ".join(map(markdown_text, answer_of(results).lines)))
    return "\n\n".join([*parts, _table(results).markdown()])


def league(results: Results) -> list[str]:
    """The lines of a table that fits 100 columns for one constraint."""
    table = _table(results)
    rows = [table.headings, *([str(cell) for cell in row] for row in table.rows)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    sides = "<" + ">" * (len(widths) - 1)
    return [
        "  " + "  ".join(map(format, row, map("{}{}".format, sides, widths))).rstrip()
        for row in rows
    ]


def _table(results: Results) -> Table:
    """The five columns of the league, and how far each policy is behind the best of its group."""
    table = league_table(results)
    rows = [
        [str(cells[0])[:LONGEST], *cells[1:], _behind(results, row)]
        for cells, (_, row) in zip(table.rows, results.league.iterrows(), strict=True)
    ]
    return Table([*table.headings, "vs best"], rows)


def _behind(results: Results, row: pd.Series) -> str:
    """The paired difference to the best of the group, with stars for the corrected p-value.

    The first of the league is "best"; the first of a lower group has nothing to be compared with.
    """
    if row["group"] == REFERENCE:
        return "reference"
    if not row["behind"] > 0.0:
        first = results.ranked["policy"].iloc[0] == row["policy"]
        return "best" if first else ""
    ends = [row[f"behind{end}"] * results.scale for end in ("", "_low", "_high")]
    stars = next((star for p, star in STARS.items() if row["p_holm"] < p), "")
    return f"+{supported(*ends)} {stars}".rstrip()
