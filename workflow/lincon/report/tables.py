"""The tables of an experiment and of a sweep: five columns to read, all columns as Parquet."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from lincon.analysis.league import REFERENCE
from lincon.analysis.measures import spends
from lincon.analysis.results import Results, in_users_unit
from lincon.analysis.sweeps import Sweep
from lincon.files import write_frame, write_text
from lincon.problem.record import Problem
from lincon.report.answer import KEPT_MEANS, answer_of
from lincon.report.facts import facts_of
from lincon.report.table import Number, Table, digits_of, interval_of
from lincon.report.text import (
    banner,
    counted,
    latex_text,
    markdown_text,
    one_line,
    p_value,
    share,
)
from lincon.report.words import bounds, earned, label, reached

LEAGUE_NOTE = (
    "{kept} Within a group policies are ranked by joint regret: regret plus violations at their "
    "prices, expected basis, mean over {runs} with its 95% interval. {what}"
)
CLAIMS_NOTE = (
    "Differences of paired runs at T with their 95% t intervals; p-values are corrected for the "
    'number of claims (Holm). A claim "holds" or "fails" only when its whole interval lies on one '
    'side of zero; otherwise it is "undecided".'
)
BOUNDS_NOTE = (
    "The growing terms of the paper's bounds with gamma = 0.1. Asymptotic bounds cannot be refuted "
    "at a finite T; one that is above what uniform play does is vacuous at this T."
)
STARS = {0.001: "***", 0.01: "**", 0.05: "*"}


def write_tables(shown: Results | Sweep, folder: str | Path) -> None:
    """League and claims of an experiment, or the table of a sweep.

    .md and .tex have five columns to read, .parquet has all.
    """
    if isinstance(shown, Sweep):
        table = best_of_sweep(shown)
        parts = [table.markdown() if table.rows else "No point is feasible.", KEPT_MEANS]
        _write(folder, "sweep", one_line(shown.title), [table], parts, shown.problem)
        write_frame(Path(folder, "sweep.parquet"), shown.table(), {"code": shown.last.code})
    else:
        _write_experiment(shown, folder)


def _write_experiment(results: Results, folder: str | Path) -> None:
    title, problem = f"{one_line(results.title)}, T = {results.horizon:,}", results.problem
    first, facts = league(results), Table("Facts", ("what", "value"), facts_of(results))
    says = " ".join(map(markdown_text, answer_of(results).lines))
    parts = [says, first.markdown(), first.note, "## Facts", facts.markdown()]
    _write(folder, "league", f"League: {title}", [first], parts, problem)
    checked = [table for table in (claims(results), paper_bounds(results)) if table.rows]
    parts = [f"## {markdown_text(t.title)}\n\n{t.markdown()}\n{t.note}" for t in checked]
    parts = parts or ["There are no claims here."]
    _write(folder, "claims", f"Claims: {title}", checked, parts, problem)
    for name, frame in (("league", results.league), ("claims", results.claims)):
        write_frame(Path(folder, f"{name}.parquet"), wide(results, frame), results.metadata)


def _write(
    folder: str | Path,
    name: str,
    title: str,
    tables: Sequence[Table],
    parts: Sequence[str],
    problem: Problem,
) -> None:
    """`parts` as a Markdown document, and the tables in LaTeX; both say if arms are stand-ins."""
    warning = banner([problem])
    lines = [f"# {markdown_text(title)}", f"**{warning}**" if warning else "", *parts]
    text = "\n\n".join(part.rstrip() for part in lines if part) + "\n"
    write_text(Path(folder, f"{name}.md"), text)
    comment = f"% {warning}\n" if warning else ""
    latex = (f"% {latex_text(table.title)}\n{comment}{table.latex()}" for table in tables)
    write_text(Path(folder, f"{name}.tex"), "\n".join(latex))


def league(results: Results, against_best: bool = False) -> Table:
    """One row per policy: what it reached, in how many runs it kept the constraints, its cost."""
    every, frame = bounds(results.problem), results.league
    unit = f" ({results.unit})" if results.unit else ""
    headings = ["policy", " / ".join(bound.name for bound in every), "kept",
                "extra cost" if spends(results.problem) else "reward",
                f"joint regret{unit}"]  # fmt: skip
    rows = [
        [
            label(results, row["policy"]),
            Number(row["rate_0"], " / ".join(reached(results, bound, row) for bound in every)),
            Number(row["kept_runs"], share(row["kept_runs"], row["runs"])),
            earned(results, row),
            interval_of(row, "joint", results.scale),
            *([_behind(results, row)] if against_best else []),
        ]
        for _, row in frame.iterrows()
    ]
    what = "Rewards are in per cent of the optimal mixture's."
    what = "Extra cost is beyond that of the optimal mixture." if spends(results.problem) else what
    note = LEAGUE_NOTE.format(kept=KEPT_MEANS, runs=counted(results.runs, "run"), what=what)
    headings += ["vs best"] * against_best
    return Table("League", headings, rows, note, list(frame["policy"]))


def _behind(results: Results, row: pd.Series) -> str:
    """The paired difference to the best of the group, with stars for the corrected p-value.

    The first of the league is "best"; the first of a lower group has nothing to be compared with.
    """
    if row["group"] == REFERENCE:
        return "reference"
    if not row["behind"] > 0.0:
        return "best" if row["policy"] == results.ranked["policy"].iloc[0] else ""
    stars = next((star for p, star in STARS.items() if row["p_holm"] < p), "")
    return f"+{digits_of(row, 'behind', results.scale)} {stars}".rstrip()


def claims(results: Results) -> Table:
    """One row per claim and basis: its difference, its corrected p-value, its verdict."""
    rows = [
        [
            row["claim"],
            row["basis"],
            interval_of(
                {"gap": row["difference"], "gap_low": row["ci_low"], "gap_high": row["ci_high"]},
                "gap",
                results.factor(row["quantity"]),
            ),
            Number(row["p_holm"], p_value(row["p_holm"])),
            row["verdict"],
        ]
        for _, row in results.claims.iterrows()
    ]
    names = " against ".join(label(results, policy) for policy in results.compare)
    headings = ("claim", "basis", "difference", "p (Holm)", "verdict")
    return Table(f"Claims: {names}", headings, rows, CLAIMS_NOTE)


def paper_bounds(results: Results) -> Table:
    """The paper's three bounds beside what was measured and what uniform play does."""
    rows = []
    for _, row in results.bounds.iterrows():
        factor = results.factor(row["quantity"])
        limits = [Number(round(factor * row[name])) for name in ("bound", "uniform")]
        says = "vacuous at this T" if row["vacuous"] else "informative"
        rows.append([row["statement"], interval_of(row, "value", factor), *limits, says])
    headings = ("quantity", "measured", "bound", "uniform play", "bound is")
    return Table("The paper's bounds", headings, rows, BOUNDS_NOTE)


def best_of_sweep(sweep: Sweep) -> Table:
    """One row per feasible point: the policy to take there, and what it reached."""
    every, unit = bounds(sweep.problem), f" ({sweep.last.unit})" if sweep.last.unit else ""
    headings = [*sweep.axes, "policy", " / ".join(bound.name for bound in every), "kept",
                f"joint regret{unit}"]  # fmt: skip
    rows = [
        [
            *(Number(row[axis]) for axis in sweep.axes),
            label(sweep, row["policy"]),
            Number(row["rate_0"], " / ".join(b.amount(row[f"rate_{b.j}"]) for b in every)),
            Number(row["kept_runs"], share(row["kept_runs"], row["runs"])),
            interval_of(row, "joint", sweep.last.scale),
        ]
        for _, row in sweep.best.iterrows()
    ]
    return Table("Best policy at every point", headings, rows)


def wide(results: Results, frame: pd.DataFrame) -> pd.DataFrame:
    """All columns, rewards in the user's unit, labels beside the policies' ids."""
    frame = in_users_unit(frame, results.scale)
    if "quantity" in frame:
        values = ["value", "reference", "difference", "ci_low", "ci_high"]
        factors = frame["quantity"].map(results.factor)
        frame = frame.assign(**{c: frame[c].astype(float) * factors for c in values})
    for column in ("policy", "against"):
        if column in frame:
            labels = [results.labels.get(policy, policy) for policy in frame[column]]
            frame = frame.assign(**{f"{column}_label": labels})
    return frame.assign(unit=results.unit)
