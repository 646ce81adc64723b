"""The answer of a study as a terminal shows it: a short table per experiment, and where to look."""

import textwrap
from collections.abc import Sequence
from pathlib import Path

from lincon.analysis.league import KEPT
from lincon.analysis.results import Results
from lincon.analysis.sweeps import Sweep
from lincon.report.answer import WARNING, answer_of, claims_line, sweep_finding
from lincon.report.facts import uneven
from lincon.report.service import service
from lincon.report.tables import STARS, league
from lincon.report.text import banner, counted, one_line
from lincon.report.words import thresholds

# By the tone of an answer.
COLOURS = {"good": "32", "warning": "33", "bad": "31"}
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
    """Every experiment and sweep of a study, and the path of its page.

    A study of one experiment ends with the code that puts its winner into a service; of more, the
    page has it.
    """
    parts = []
    if warning := banner([one.problem for one in results] + [one.problem for one in sweeps]):
        parts.append(painted(textwrap.fill(f"! {warning}", width), "33", colours))
    if claims := claims_line(results):
        parts.append(textwrap.fill(claims, width))
    leagues = [experiment(one, width, colours) for one in results]
    parts += [*leagues, *(sweep(one, page.parent, width) for one in sweeps)]
    if any("*" in part for part in leagues):
        parts.append(f"  {STARRED}, corrected over all pairs (Holm)")
    if len(results) == 1 and (code := service(results[0])):
        parts.append("  In a service:\n" + textwrap.indent(code, "    "))
    if page.exists():
        link = f"\x1b]8;;{page.resolve().as_uri()}\x1b\\{page}\x1b]8;;\x1b\\" if colours else page
        parts.append(painted(f"Open  {link}", "1", colours))
    return "\n\n".join(parts)


def experiment(results: Results, width: int = 100, colours: bool = False) -> str:
    """A line of facts, the table, and the answer where it says more."""
    answer = answer_of(results)
    facts = [thresholds(results.problem), f"T = {results.horizon:,}", counted(results.runs, "run")]
    head = painted("   ".join([one_line(results.title), *facts]), "1", colours)
    lines = [f"{head}   {painted(keepers(results), COLOURS[answer.tone], colours)}"]
    lines += [f"  {line}" for line in league(results, against_best=True).lines(LONGEST)]
    # That no policy keeps the constraints is said above the table, that one is best in it.
    kept, two = KEPT in set(results.ranked["group"]), len(answer.lines) > 2
    says = answer.lines[not kept :] if answer.tone == WARNING and (kept or two) else []
    says += [f"{text}." for text in uneven(results)]
    lines += [_filled(text, width) for text in says]
    return "\n".join(lines)


def keepers(results: Results) -> str:
    """Which policies keep the constraints, in a few words."""
    what = "the floor" if results.problem.goal.eta is not None else "the constraints"
    if not results.problem.feasible:
        return f"no mixture of arms keeps {what}"
    kept = int((results.ranked["group"] == KEPT).sum())
    every = counted(len(results.ranked), "policy")
    return f"{f'{kept} of {every}' if kept else 'no policy'} kept {what}"


def sweep(swept: Sweep, folder: Path, width: int = 100) -> str:
    """A sentence about a sweep, and the path of its table."""
    points, runs = counted(len(swept.states), "point"), counted(swept.last.runs, "run")
    lines = [f"{one_line(swept.title)}   {points}   {runs} each"]
    lines.append(_filled(sweep_finding(swept), width))
    return "\n".join([*lines, f"  {folder / 'tables' / swept.name / 'sweep.parquet'}"])


def _filled(text: str, width: int) -> str:
    return textwrap.fill(text, width, initial_indent="  ", subsequent_indent="  ")
