"""The tables of an experiment and of a sweep: five columns to read, all columns as Parquet."""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from lincon.analysis.measures import spends
from lincon.analysis.results import REWARDS, Results
from lincon.analysis.sweeps import Sweep
from lincon.files import write_frame, write_text
from lincon.problem.record import Problem
from lincon.report import view
from lincon.report.answer import Answer, answer_of, kept_means, uneven_text
from lincon.report.table import Interval, Shown, Table, document, latex_file
from lincon.report.text import (
    banner,
    counted,
    markdown_text,
    number,
    one_line,
    p_value,
    percent,
    share,
    supported_percent,
)
from lincon.report.view import label

LEAGUE_NOTE = """\
{kept} Within a group policies are ranked by joint regret: regret plus violations at their prices,
expected basis, mean over {runs} with its 95% interval. {what}"""
CLAIMS_NOTE = """\
Differences of paired runs at T with their 95% t intervals; p-values are corrected for the number of
claims (Holm). A claim "holds" or "fails" only when its whole interval lies on one side of zero;
otherwise it is "undecided"."""
BOUNDS_NOTE = """\
The growing terms of the paper's bounds with gamma = 0.1. Asymptotic bounds cannot be refuted at a
finite T; one that is above what uniform play does is vacuous at this T."""


def write_tables(results: Results, folder: str | Path) -> None:
    """League and claims of an experiment: .md and .tex with five columns, .parquet with all."""
    folder, warning = Path(folder), banner([results.problem])
    answer, metadata = answer_of(results), results.metadata
    what = "Rewards are in per cent of the optimal mixture's."
    what = "Extra cost is beyond that of the optimal mixture." if spends(results.problem) else what
    runs = counted(results.runs, "run")
    note = LEAGUE_NOTE.format(kept=kept_means(), runs=runs, what=what)
    first = league(results)
    parts = [_answer_text(answer), first.markdown(), note, *_uneven(results), _facts_text(answer)]
    _write(folder / "league", results, [first], parts, warning)
    write_frame(folder / "league.parquet", _wide(results, results.league), metadata)
    shown = [table for table in (claims(results), bounds(results)) if table.rows]
    parts = [text for table in shown for text in (f"## {table.title}", table.markdown(),
                                                  table.caption)]  # fmt: skip
    _write(folder / "claims", results, shown, parts or ["There are no claims here."], warning)
    write_frame(folder / "claims.parquet", _wide(results, results.claims), metadata)


def write_sweep_table(sweep: Sweep, folder: str | Path) -> None:
    """The table of a sweep: sweep.md and .tex with the best at every point, .parquet with all."""
    folder, warning = Path(folder), banner([sweep.problem])
    table = sweep_table(sweep)
    parts = [table.markdown() if table.rows else "No point is feasible.", kept_means()]
    write_text(folder / "sweep.md", document(markdown_text(sweep.title), warning, *parts))
    write_text(folder / "sweep.tex", latex_file([table], warning))
    write_frame(folder / "sweep.parquet", sweep.table(), {"code": sweep.code})


def league(results: Results) -> Table:
    """One row per policy: what it reached, in how many runs it kept the constraints, its cost."""
    rows = [_league_row(results, row) for _, row in results.league.iterrows()]
    rest = {"ids": list(results.league["policy"]), "frame": _wide(results, results.league)}
    return Table.of_pairs(rows, title="League", key="league", **rest)


def _league_row(results: Results, row: pd.Series) -> list[tuple[str, object]]:
    unit = f" ({results.unit})" if results.unit else ""
    heading, earned = reward_cell(results, row)
    amounts, text = amount_cell(results, row)
    return [
        ("policy", label(results, row["policy"])),
        (amounts, text),
        ("kept", Shown(share(row["kept_runs"], row["runs"]), row["kept_runs"])),
        (heading, earned),
        (f"joint regret{unit}", Interval.of(row, "joint", results.scale)),
    ]


def amount_cell(results: Results, row: pd.Series) -> tuple[str, Shown]:
    """The average amounts that a policy reached, all in one cell, under their names."""
    bounds = view.bounds(results.problem)
    texts = [view.reached(results, bound.j, row) for bound in bounds]
    return " / ".join(one_line(b.amount) for b in bounds), Shown(" / ".join(texts), row["rate_0"])


def reward_cell(results: Results, row: pd.Series) -> tuple[str, Shown]:
    """The reward in per cent of the optimal one, or by how much the cost is above the lowest."""
    part, half = row["share_of_optimum"], (row["reward_high"] - row["reward_low"]) / 2.0
    half = abs(half / results.possible) if results.possible else half
    if not spends(results.problem):
        return "reward", Shown(supported_percent(part, half), part)
    sign = "+" if part > 1.0 else ""
    return "extra cost", Shown(f"{sign}{supported_percent(part - 1.0, half)}", part)


def claims(results: Results) -> Table:
    """One row per claim and basis: its difference, its corrected p-value, its verdict."""
    frame = _wide(results, results.claims)
    rows = [
        [
            row["claim"],
            row["basis"],
            Interval(row["difference"], row["ci_low"], row["ci_high"]),
            Shown(p_value(row["p_holm"]), row["p_holm"]),
            row["verdict"],
        ]
        for _, row in frame.iterrows()
    ]
    names = " against ".join(label(results, policy) for policy in results.compare)
    headings = ["claim", "basis", "difference", "p (Holm)", "verdict"]
    return Table(headings, rows, f"Claims: {names}", "claims", CLAIMS_NOTE, 4, frame)


def bounds(results: Results) -> Table:
    """The paper's three bounds beside what was measured and what uniform play does."""
    headings = ["quantity", "measured", "bound", "uniform play", "bound is"]
    rows = []
    for _, row in results.bounds.iterrows():
        factor = results.factor(row["quantity"])
        cells = [row["statement"], Interval.of(row, "value", factor)]
        cells += [round(factor * row[name]) for name in ("bound", "uniform")]
        rows.append([*cells, "vacuous at this T" if row["vacuous"] else "informative"])
    return Table(headings, rows, "The paper's bounds", "bounds", BOUNDS_NOTE)


def arms(results: Results) -> Table:
    """The arms that matter: the optimum's first, then by their gap."""
    what, sign = view.counted_in(results.problem)
    table = results.theory.sort_values(["share", "gap"], ascending=[False, True], kind="stable")
    wide = table.drop(columns="arm").loc[:, lambda frame: frame.notna().any()]
    amounts = [f"amount_{j}" for j in range(len(results.names))]
    reward = sign * results.scale * table["reward"]
    shown = table[["label", "mean", *amounts, "share"]].assign(
        reward=reward, gap=results.scale * table["gap"]
    )
    names = {"label": "arm", "mean": "event probability", "share": "share of optimum"}
    names |= {"reward": f"{what} per play", "gap": "gap"}
    names |= {f"amount_{j}": one_line(name) for j, name in enumerate(results.names)}
    columns = ["label", "mean", *(amounts if results.problem.goal.eta is None else [])]
    made = Table.of(shown, names, [*columns, "reward", "share", "gap"], title="Arms", key="arms")
    return Table(made.headings, made.rows, "Arms", "arms", frame=wide, limit=300)


def sweep_table(sweep: Sweep) -> Table:
    """One row per feasible point: the policy to take there, and what it reached."""
    unit = f" ({sweep.unit})" if sweep.unit else ""
    amounts = " / ".join(one_line(bound.amount) for bound in view.bounds(sweep.problem))
    headings = [*sweep.axes, "policy", amounts, "kept", f"joint regret{unit}"]
    rows = []
    for _, row in sweep.best.iterrows():
        pairs = enumerate(sweep.problem.goal.constraints)
        texts = [
            percent(row[f"rate_{j}"]) if view.counts_rounds(one) else number(row[f"rate_{j}"])
            for j, one in pairs
        ]
        cells = [*(row[axis] for axis in sweep.axes), sweep_label(sweep, row["policy"])]
        cells += [Shown(" / ".join(texts), row["rate_0"])]
        cells += [Shown(share(row["kept_runs"], row["runs"]), row["kept_runs"])]
        rows.append([*cells, Interval.of(row, "joint", sweep.scale)])
    return Table(headings, rows, "Best policy at every point", "sweep", frame=sweep.table())


def sweep_label(sweep: Sweep, policy: str) -> str:
    return one_line(str(sweep.policies.get(policy, {}).get("label", policy)))


def assumptions(problem: Problem) -> Table:
    """What is assumed of a problem, and checked: one row per constraint."""
    rows = []
    for j, one in enumerate(problem.goal.constraints):
        price = problem.prices[j] if problem.feasible else None
        bound = f"{one.sense.replace('_', ' ')} {number(one.bound)}"
        binding = problem.binding[j] if problem.feasible else None
        rows.append([one_line(one.name), bound, problem.slater_gaps[j], binding, price])
    headings = ["constraint", "threshold", "room of the best arm", "binding", "price"]
    return Table(headings, rows, "Problem", "problem")


def _wide(results: Results, frame: pd.DataFrame) -> pd.DataFrame:
    """All columns, rewards in the user's unit, labels beside the policies' ids."""
    plain = {c: c.removesuffix("_low").removesuffix("_high") for c in frame}
    numbers = [c for c, name in plain.items() if name.partition("_")[0] in REWARDS]
    numbers = [c for c in numbers if frame[c].dtype.kind == "f"]
    frame = frame.assign(**{c: frame[c] * results.scale for c in numbers})
    if "quantity" in frame:
        values = ["value", "reference", "difference", "ci_low", "ci_high", "detectable"]
        factors = frame["quantity"].map(results.factor)
        frame = frame.assign(**{c: frame[c].astype(float) * factors for c in values})
    for column in ("policy", "against"):
        if column in frame:
            labels = [results.labels.get(policy, policy) for policy in frame[column]]
            frame = frame.assign(**{f"{column}_label": labels})
    return frame.assign(unit=results.unit)


def _write(
    path: Path, results: Results, tables: list[Table], parts: list[str], warning: str
) -> None:
    title = f"{path.stem.capitalize()}: {markdown_text(results.title)}, T = {results.horizon:,}"
    write_text(path.with_suffix(".md"), document(title, warning, *parts))
    write_text(path.with_suffix(".tex"), latex_file(tables, warning))


def _answer_text(answer: Answer) -> str:
    return " ".join(map(markdown_text, answer.lines))


def _facts_text(answer: Answer) -> str:
    if not answer.facts:
        return ""
    return "## Facts\n\n" + Table(["what", "value"], answer.facts).markdown()


def _uneven(results: Results) -> list[str]:
    """The medians and quartiles of policies whose runs end in very different ways."""
    rows: Mapping[str, pd.Series] = {
        row["policy"]: row for _, row in results.league.iterrows() if row["uneven"]
    }
    return [
        f"- {markdown_text(label(results, policy))}: {uneven_text(results, row)}."
        for policy, row in rows.items()
    ]
