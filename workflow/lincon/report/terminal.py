"""The answer of a study as a terminal shows it: a short table per experiment, and where to look."""

import textwrap
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from lincon.analysis.results import Results
from lincon.report import view
from lincon.report.sentences import answer_of, finding
from lincon.report.service import own_file, service
from lincon.report.table import Interval, Table
from lincon.report.text import banner, counted, markdown_text, number, one_line, percent
from lincon.report.view import amount, bounds_of, label

# By the tone of an answer.
COLOURS = {"good": "32", "warning": "33", "bad": "31"}
STARS = {0.001: "***", 0.01: "**", 0.05: "*"}
STARRED = ", ".join(f"{star} p < {p:g}" for p, star in STARS.items())
LONGEST = 32


def painted(text: str, code: str, colours: bool) -> str:
    return f"\x1b[{code}m{text}\x1b[0m" if colours else text


def study(
    results: Sequence[Results], page: Path, real: str, width: int, colours: bool = False
) -> str:
    """Every experiment of a study; `real` is what to type for the real data."""
    parts = []
    if warning := banner(one.problem for one in results):
        said = textwrap.fill(f"{warning} Run `{real}` when online.", width)
        parts.append(painted(said, "33", colours))
    parts += [experiment(one, width, colours) for one in results]
    if any("*" in part for part in parts):
        parts.append(f"  {STARRED}, corrected over all pairs (Holm)")
    if page.exists():
        link = f"\x1b]8;;{page.resolve().as_uri()}\x1b\\{page}\x1b]8;;\x1b\\" if colours else page
        parts.append(painted(f"Open  {link}", "1", colours))
    return "\n\n".join(parts)


def experiment(results: Results, width: int, colours: bool = False) -> str:
    """What was found, and one row per policy."""
    facts = [bounds_of(results), f"T = {results.horizon:,}", counted(results.runs, "run")]
    found = textwrap.fill(finding(results), width, initial_indent="  ", subsequent_indent="  ")
    return "\n".join(
        [
            painted("   ".join([one_line(results.title), *facts]), "1", colours),
            painted(found, COLOURS.get(answer_of(results).tone, "33"), colours),
            *league(results),
            *_in_service(results),
        ]
    )


def _in_service(results: Results) -> list[str]:
    """The lines of code for the winner, where the arms are the user's own."""
    lines = service(results).splitlines() if own_file(results) else []
    return ["", "  In a service:", *(f"    {line}" for line in lines if line)] if lines else []


def markdown(results: Results) -> str:
    """The same for a document: a heading, what was found, and the table."""
    facts = f"{bounds_of(results)}, T = {results.horizon:,}, {counted(results.runs, 'run')}"
    parts = [f"### {markdown_text(results.title)}: {facts}", f"{markdown_text(finding(results))}."]
    return "\n\n".join([*parts, _table(results).markdown()])


def league(results: Results) -> list[str]:
    """The lines of a table that fits 100 columns for one constraint."""
    table = _table(results)
    rows = [table.headings, *table.rows]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    sides = "<<" + ">" * (len(widths) - 2)
    return [
        "  " + "  ".join(map(format, row, map("{}{}".format, sides, widths))).rstrip()
        for row in rows
    ]


def _table(results: Results) -> Table:
    """One row per policy, its cells as they are shown."""
    bounds, (what, _) = view.bounds(results.problem), view.counted_in(results.problem)
    unit = f", {results.unit}" if results.unit else ""
    rows = [
        [
            ("#", row["rank"] or ("ref" if row["group"] == view.REFERENCE else "-")),
            ("policy", label(results, row["policy"])[:LONGEST]),
            *((b.amount[:LONGEST], amount(results, b.j, row[f"rate_{b.j}"])) for b in bounds),
            ("kept", f"{row['kept_runs']}/{row['runs']}"),
            (f"of best {what}", percent(row["share_of_optimum"])),
            (f"joint regret{unit} (95%)", str(Interval.of(row, "joint", results.scale))),
            ("vs best", _behind(results, row)),
        ]
        for _, row in results.league.iterrows()
    ]
    return Table.of_pairs(rows)


def _behind(results: Results, row: pd.Series) -> str:
    """By how much it is behind the best of its group, with stars for the corrected p-value."""
    if row["group"] == view.REFERENCE:
        return ""
    if not row["behind"] > 0.0:
        return "best"
    stars = next((star for p, star in STARS.items() if row["p_holm"] < p), "")
    return f"+{number(row['behind'] * results.scale)} {stars}".rstrip()
