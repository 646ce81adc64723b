"""The tables of an experiment, and those over all settings of a study; and their texts."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace

import pandas as pd

from lincon.analysis.claims import COMPARISON, MEASUREMENT
from lincon.analysis.comparison import Comparison, at_horizon
from lincon.analysis.inference import ALPHA
from lincon.analysis.results import REWARDS, Results
from lincon.problem.record import Problem
from lincon.report import view
from lincon.report.sentences import answer_of
from lincon.report.table import Interval, Shown, Table, document, latex_file
from lincon.report.text import banner, counted, markdown_text, number, one_line, p_value, percent
from lincon.report.view import label

LEAGUE_NOTE = (
    "{runs}. Policies that keep every constraint in at least 80% of their runs come first, then "
    "those that sometimes do, then those that never do; inside a group by joint regret, the regret "
    "plus the violations at their prices (expected basis, at T). `kept`: the shortfall at T is at "
    "most {tolerance}. Differences are of paired runs, to the best of the group; p-values are "
    "corrected over all pairs (Holm), and policies that are not significantly different share a "
    "rank. `of suboptimal arms`: the part of the joint regret that is paid for arms outside the "
    "optimum, to learn or to repay a shortfall (composite regret); the rest is surplus, which "
    "counts for nothing. The worst shortfall is that of all runs."
)
CLAIMS_NOTE = """\
`runs`: the share of runs in which it is so. `detectable`: a true difference of this size is found,
at the 5% level and alone, in four experiments of five. `alone` is the verdict of the row's own 95%
interval (paired t), `verdict` what is left of it when the number of claims is corrected for (Holm).
A claim "holds" or "fails" only when its whole interval lies on one side of zero; otherwise it is
"undecided"."""
BOUNDS_NOTE = """\
The growing terms of the paper's bounds, measured, not tested: asymptotic bounds cannot be refuted
at a finite T. A bound above what uniform play does says nothing at this T."""
GROWTH_NOTE = """\
Joint regret over C log t, the lower bound on what any policy that is good on every problem must
have in the long run (docs/theory.md); means over runs with 95% t intervals."""
NO_CLAIMS = (
    "None are checked here: the two policies that `compare` names do not both play, or every run "
    "has its own problem, late feedback or drift."
)
NO_GROWTH = (
    "The lower bound is zero here, or there is no optimum, or every run has its own, late feedback "
    "or drift."
)
PUBLISHED_NOTE = """\
Realised rewards and events; both sides are held against the optimum and the floor of our arms.
`difference` is ours minus theirs at T, with its 95% interval and the p-value of Welch's t test: the
runs are not paired. `p rounds` is the smallest p-value of that test over all recorded rounds,
corrected for their number (Holm), `p table` the same corrected for the number of rows of this table
as well. Ratios are compared by the delta method. Few runs detect only large differences: finding
none does not prove that there is none."""


def league(results: Results) -> Table:
    """One row per policy, in the user's units."""
    plain = {name: name.removesuffix("_low").removesuffix("_high") for name in results.league}
    numbers = [name for name in plain if plain[name] in REWARDS]
    origin = [results.policies[policy].get("standing", "") for policy in results.league["policy"]]
    frame = results.league.assign(**(results.league[numbers] * results.scale), origin=origin)
    frame = _labelled(results, frame)
    rows = [_league_row(results, row) for _, row in frame.iterrows()]
    return Table.of_pairs(rows, title="League", key="league", frame=frame)


def _league_row(results: Results, row: pd.Series) -> list[tuple[str, object]]:
    unit = f", {results.unit}" if results.unit else ""
    behind, p, share = row["behind"], row["p_holm"], row["share_of_optimum"]
    cells: list[tuple[str, object]] = [
        ("rank", row["rank"] or ("reference" if row["group"] == "reference" else "")),
        ("policy", one_line(row["policy"])),
        ("origin", one_line(row["origin"])),
        ("kept", Shown(f"{row['kept_runs']} of {row['runs']}", row["kept_runs"])),
        (f"joint regret{unit}", Interval.of(row, "joint")),
        (f"behind{unit}", Interval.of(row, "behind") if math.isfinite(behind) else None),
        ("p (Holm)", Shown(p_value(p), p) if math.isfinite(p) else None),
        (f"regret{unit}", Interval.of(row, "regret")),
        (f"of suboptimal arms{unit}", row["composite"]),
    ]
    for bound in view.bounds(results.problem):
        j, rate, since = bound.j, row[f"rate_{bound.j}"], row[f"kept_from_{bound.j}"]
        name = "" if len(results.names) == 1 else f"{one_line(bound.name)}: "
        short = "missing events" if results.is_rate(j) else "shortfall"
        reached = Shown(f"{100.0 * rate:.4g}%", rate) if results.is_share(j) else rate
        held = since if math.isfinite(since) else Shown("not by T", math.inf)
        cells += [
            (one_line(bound.amount), reached),
            (f"{name}{short}", Interval.of(row, f"violation_{j}")),
            (f"{name}worst", row[f"worst_shortfall_{j}"]),
            (f"{name}held from round", held),
        ]
    what, sign = view.counted_in(results.problem)
    cells.append((f"{what}{unit}", Interval.of(row, "reward", sign)))
    return [*cells, ("of optimum", Shown(percent(share), share))]


def claims(results: Results) -> Table:
    frame = _labelled(results, _claims(results, COMPARISON))
    ends, runs = [_ends(row) for _, row in frame.iterrows()], frame["share_of_runs"].map(percent)
    names = {"reference": "against", "ends": "95% interval", "verdict_alone": "alone"}
    shown = ["claim", "policy", "basis", "value", "reference", "difference", "ends"]
    shown += ["runs", "detectable", "verdict_alone", "verdict"]
    rest = {"title": "Claims", "key": "claims", "caption": "" if len(frame) else NO_CLAIMS}
    made = Table.of(frame.assign(ends=ends, runs=runs), names, shown, strong=len(shown) - 1, **rest)
    return replace(made, frame=_labelled(results, _claims(results)))


def bounds(results: Results) -> Table:
    """What the paper's theorems bound, beside the bounds."""
    names = {"claim": "what", "reference": "bound", "verdict": "it is"}
    frame = _labelled(results, _claims(results, MEASUREMENT))
    shown = ("claim", "policy", "value", "reference", "verdict")
    return Table.of(frame, names, shown, title="The paper's bounds", key="bounds")


def growth(results: Results) -> Table:
    """Policies below each other, rounds beside each other."""
    frame = results.growth
    rounds = sorted(set(frame["t"]))
    cells = {(row["policy"], row["t"]): Interval.of(row, "ratio") for _, row in frame.iterrows()}
    rows = [
        [label(results, policy), *(cells.get((policy, t)) for t in rounds)]
        for policy in dict.fromkeys(frame["policy"])
    ]
    headings = ["policy", *(f"t = {t:,}" for t in rounds)]
    caption = GROWTH_NOTE if rows else NO_GROWTH
    return Table(headings, rows, "Joint regret / (C log t)", "growth", caption, frame=frame)


def arms(results: Results) -> Table:
    """The theory table in the user's units."""
    what, sign = view.counted_in(results.problem)
    table = results.theory.drop(columns="arm")
    scaled = ["value", "reward", "gap", "lower_bound", "delta_reward", "regret_coefficient"]
    table[scaled] *= results.scale
    table["reward"] *= sign
    table = table.sort_values(["optimal", "share"], ascending=False, kind="stable")
    table = table.loc[:, table.notna().any()]
    names = {"mean": "μ", "value": "r", "xi": "ξ", "kl": "d(μ, ξ)", "gap": "D", "reward": what}
    names |= {f"amount_{j}": one_line(name) for j, name in enumerate(results.names)}
    rest = {"title": "Arms", "key": "arms", "caption": "The optimal arms first."}
    return Table.of(table, names, limit=300, folded=True, **rest)


def texts(results: Results) -> dict[str, str]:
    """File name -> its text: the tables as Markdown and as LaTeX."""
    warning, found = banner([results.problem]), {}
    tolerances = zip(results.names, results.tolerances, strict=True)
    allowed = ", ".join(f"{number(x)} ({one_line(name)})" for name, x in tolerances)
    note = LEAGUE_NOTE.format(runs=counted(results.runs, "run"), tolerance=allowed)
    made = {
        "league": [(league(results), note)],
        "claims": [(claims(results), CLAIMS_NOTE if len(results.claims) else NO_CLAIMS)],
        "growth": [(growth(results), growth(results).caption)],
    }
    if (theorems := bounds(results)).rows:
        made["claims"].append((theorems, BOUNDS_NOTE))
    said = {"league": "\n".join(map(markdown_text, answer_of(results).advice))}
    for name, pairs in made.items():
        found[f"{name}.tex"] = latex_file([table for table, _ in pairs], warning)
        parts = [said.get(name, "")]
        for table, about in pairs:
            parts += ["" if table is pairs[0][0] else f"## {table.title}"]
            parts += [table.markdown() if table.rows else "", about]
        title = f"{pairs[0][0].title}: {markdown_text(results.title)}, T = {results.horizon:,}"
        found[f"{name}.md"] = document(title, warning, *parts)
    return found


def published(comparison: Comparison, labels: Mapping[str, str]) -> Table:
    """Our runs beside those that somebody published."""
    headings = ["policy", "metric", "ours", "theirs", "difference", "95% interval", "p at T"]
    headings += ["p rounds", "rounds that differ", "p table", "verdict"]
    rows = []
    for _, row in at_horizon(comparison).iterrows():
        verdict = "differs" if row["p_table"] < ALPHA else "no difference found"
        rows.append(
            [
                labels[row["policy"]],
                row["metric"].removesuffix("_0"),
                *(row[name] for name in ("ours", "theirs", "difference")),
                _ends(row),
                *(p_value(row[name]) for name in ("p", "p_rounds")),
                f"{row['differing']} of {row['tested']}",
                p_value(row["p_table"]),
                "not tested" if math.isnan(row["p_table"]) else verdict,
            ]
        )
    return Table(headings, rows, "Published runs", "published", strong=len(headings) - 1)


def published_text(
    comparison: Comparison, problem: Problem, labels: Mapping[str, str], file: str, optimum: float
) -> str:
    """`file` is what their runs were read from, `optimum` what it says of r*."""
    ours, theirs = comparison.runs
    title = f"Published runs: {markdown_text(problem.dataset)}, T = {int(comparison.t[-1]):,}"
    about = (
        f"{ours} runs of ours against the {theirs} in `{file}`. "
        f"r* is {problem.optimum:.6f} here and {optimum:.6f} there."
    )
    table = published(comparison, labels).markdown()
    return document(title, banner([problem]), about, table, PUBLISHED_NOTE)


def _claims(results: Results, kind: str = "") -> pd.DataFrame:
    """The claims of one kind, or all, in the user's units."""
    numbers = ["value", "reference", "difference", "ci_low", "ci_high", "detectable"]
    factors = results.claims["quantity"].map(results.factor)
    frame = results.claims.assign(**results.claims[numbers].mul(factors, axis=0))
    return frame[frame["kind"] == kind] if kind else frame


def _ends(row: pd.Series) -> str:
    low, high = row["ci_low"], row["ci_high"]
    return "none" if math.isnan(low) or math.isnan(high) else f"{number(low)} to {number(high)}"


def _labelled(results: Results, frame: pd.DataFrame) -> pd.DataFrame:
    """The columns that hold ids of policies, with labels in their place."""
    columns = [column for column in ("policy", "against") if column in frame]
    return frame.assign(**{c: [results.labels.get(x, x) for x in frame[c]] for c in columns})


def assumptions(problems: Iterable[Problem]) -> pd.DataFrame:
    """One row per problem and constraint: what is assumed, checked, and the prices."""
    rows = []
    for problem in problems:
        missing = (None,) * len(problem.goal.constraints)
        for j, one in enumerate(problem.goal.constraints):
            rows.append(
                {
                    "dataset": problem.dataset,
                    "source": problem.source,
                    "arms": problem.arms,
                    "constraint": one.name,
                    "sense": one.sense.replace("_", " "),
                    "bound": one.bound,
                    "feasible": problem.feasible,
                    "slater_gap": problem.slater_gaps[j],
                    "binding": problem.binding[j],
                    "unique_optimum": problem.unique,
                    "arms_in_optimum": len(problem.support),
                    "optimum": problem.optimum,
                    "amount": (problem.amounts or missing)[j],
                    "price": (problem.prices or missing)[j],
                    "price_below": problem.prices_left[j],
                    "price_above": problem.prices_right[j],
                    "remark": problem.note,
                }
            )
    return pd.DataFrame(rows)


def assumptions_table(frame: pd.DataFrame) -> Table:
    shown = [name for name in frame.columns if name not in ("source", "remark")]
    marked = frame.assign(dataset=_marked(frame))
    return Table.of(marked, shown=shown, title="Problems and assumptions", key="assumptions")


def final_table(frame: pd.DataFrame, labels: Mapping[str, str]) -> Table:
    """The metrics at the horizon on the expected basis: one row per policy, one column each."""
    chosen = _in_units(frame.assign(dataset=_marked(frame))[frame["basis"] == "expected"])
    known = list(dict.fromkeys(chosen["metric"]))
    violations = [name for name in known if name.startswith("violation")]
    metrics = ["joint", "regret", *violations, "reward", "cost", "ratio", "composite"]
    metrics = [name for name in metrics if name in known]
    settings = ["dataset", "constraints", "horizon", "policy", "unit"]
    rows = []
    for (dataset, constraints, horizon, policy, unit), part in chosen.groupby(settings, sort=False):
        found = part.dropna(subset="mean").set_index("metric")[["mean", "ci_low", "ci_high"]]
        cells = [Interval(*found.loc[m]) if m in found.index else None for m in metrics]
        rows.append(
            [dataset, constraints, f"{horizon:,}", labels.get(policy, policy), unit, *cells]
        )
    # Only where a setting has several constraints does a number say which.
    names = [m.removesuffix("_0") if len(violations) == 1 else m.replace("_", " ") for m in metrics]
    headings = ["dataset", "constraints", "T", "policy", "unit", *names]
    title = "Values at the horizon, expected basis, with 95% intervals"
    return Table(headings, rows, title, "final", frame=frame)


def _in_units(frame: pd.DataFrame) -> pd.DataFrame:
    """With rewards in the user's unit, and as costs where the goal is to spend little."""
    frame = frame[~(frame["spends"] & (frame["metric"] == "ratio"))]
    cost = frame["spends"] & (frame["metric"] == "reward")
    factor = frame["scale"].where(frame["metric"].isin(REWARDS), 1.0).mask(cost, -frame["scale"])
    return view.times(frame, factor).assign(metric=frame["metric"].mask(cost, "cost"))


def _marked(frame: pd.DataFrame) -> pd.Series:
    """The names of datasets, stand-ins marked."""
    return frame["dataset"] + (frame["source"] == "standin").map({True: " (stand-in)", False: ""})
