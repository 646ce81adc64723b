"""The tables of an experiment: league, claims, growth, values at T, arms; and their texts."""

from __future__ import annotations

import math

import pandas as pd

from lincon.analysis.claims import COLUMNS, COMPARISON, MEASUREMENT
from lincon.analysis.results import POINTWISE, REWARDS, Results
from lincon.report.sentences import answer_of, label
from lincon.report.table import Interval, Shown, Table, latex_file
from lincon.report.text import banner, counted, markdown_text, number, one_line, p_value, percent

LEAGUE_NOTE = (
    "{runs}. Policies that keep every constraint in at least 80% of their runs come first, then "
    "those that sometimes do, then those that never do; inside a group by joint regret, the regret "
    "plus the violations at their prices (expected basis, at T). `kept`: the shortfall at T is at "
    "most {tolerance}. Differences are of paired runs, to the best of the group; p-values are "
    "corrected over all pairs (Holm), and policies that are not significantly different share a "
    "rank. The worst shortfall is that of all runs."
)
CLAIMS_NOTE = """\
`runs` and `time`: the share of runs, and of the rounds after the first N, in which it is so.
`alone` is the verdict of the row's own 95% interval (paired t; bootstrap-t for ratios), `verdict`
what is left of it when the number of claims is corrected for (Holm). A claim "holds" or "fails"
only when its whole interval lies on one side of zero; otherwise it is "undecided"."""
BOUNDS_NOTE = """\
The growing terms of the paper's bounds, measured, not tested: asymptotic bounds cannot be refuted
at a finite T. A bound above what uniform play does says nothing at this T."""
SHARPNESS_NOTE = """\
A true difference of this size is found, at the 5% level and alone, in four experiments of five
(from the spread of these runs). The last column is what common random numbers leave of the variance
of a difference: 0.5 means that unpaired runs would have to be twice as many."""
GROWTH_NOTE = """\
Joint regret over C log t, the lower bound on what any policy that is good on every problem must
have in the long run (docs/theory.md); means over runs with 95% t intervals."""
NO_CLAIMS = "None are checked here: the two policies that `compare` names do not both play."
NO_GROWTH = "The lower bound is zero here, or there is no optimum."


def league(results: Results) -> Table:
    """One row per policy, in the user's units."""
    unit = f", {results.unit}" if results.unit else ""
    headings = ["rank", "policy", "kept", f"joint regret{unit}", f"behind{unit}", "p (Holm)"]
    headings += [f"regret{unit}"]
    for j, one in enumerate(results.names):
        name = "" if len(results.names) == 1 else f"{one_line(one)}: "
        what = "event rate" if results.is_rate(j) else "average"
        short = "missing events" if results.is_rate(j) else "shortfall"
        headings += [f"{name}{what}", f"{name}{short}", f"{name}worst", f"{name}held from round"]
    headings += [f"reward{unit}", "of optimum"]
    plain = {name: name.removesuffix("_low").removesuffix("_high") for name in results.league}
    numbers = [name for name in plain if plain[name] in REWARDS]
    frame = results.league.assign(**(results.league[numbers] * results.scale))
    rows = [_league_row(results, row) for _, row in frame.iterrows()]
    return Table(headings, rows, "League", "league", frame=_labelled(results, frame))


def _league_row(results: Results, row: pd.Series) -> list[object]:
    cells: list[object] = [
        row["rank"] or ("reference" if row["group"] == "reference" else ""),
        label(results, row["policy"]),
        Shown(f"{row['kept_runs']} of {row['runs']}", row["kept_runs"]),
        _interval(row, "joint"),
        _interval(row, "behind") if math.isfinite(row["behind"]) else None,
        Shown(p_value(row["p_holm"]), row["p_holm"]) if math.isfinite(row["p_holm"]) else None,
        _interval(row, "regret"),
    ]
    for j in range(len(results.names)):
        rate, since = row[f"rate_{j}"], row[f"kept_from_{j}"]
        cells += [
            Shown(f"{100.0 * rate:.4g}%", rate) if results.is_share(j) else rate,
            _interval(row, f"violation_{j}"),
            row[f"worst_shortfall_{j}"],
            since if math.isfinite(since) else Shown("not by T", math.inf),
        ]
    share = row["share_of_optimum"]
    return [*cells, _interval(row, "reward"), Shown(percent(share), share)]


def _interval(row: pd.Series, name: str) -> Interval:
    return Interval(*(row[f"{name}{end}"] for end in ("", "_low", "_high")))


def claims(results: Results) -> Table:
    headings = ["claim", "policy", "basis", "value", "against", "difference", "95% interval"]
    headings += ["runs", "time", "alone", "verdict"]
    frame = _claims(results, COMPARISON)
    rows = [
        [
            row["claim"],
            label(results, row["policy"]),
            row["basis"],
            *(row[name] for name in ("value", "reference", "difference")),
            _ends(row),
            percent(row["share_of_runs"]),
            percent(row["share_of_time"]),
            row["verdict_alone"],
            row["verdict"],
        ]
        for _, row in frame.iterrows()
    ]
    whole = _labelled(results, _claims(results))
    return Table(
        headings, rows, "Claims", "claims", "" if rows else NO_CLAIMS, len(headings) - 1, whole
    )


def bounds(results: Results) -> Table:
    """What the paper's theorems bound, beside the bounds."""
    rows = [
        [
            row["claim"],
            label(results, row["policy"]),
            row["value"],
            row["reference"],
            row["verdict"],
        ]
        for _, row in _claims(results, MEASUREMENT).iterrows()
    ]
    headings = ("what", "policy", "value", "bound", "it is")
    return Table(headings, rows, "The paper's bounds", "bounds")


def sharpness(results: Results) -> Table:
    frame = _claims(results, COMPARISON)
    rows = [
        [row["quantity"], row["basis"], row["detectable"], row["variance_ratio"]]
        for _, row in frame[frame["detectable"].notna()].iterrows()
    ]
    headings = ("quantity", "basis", "smallest difference found", "variance, paired / unpaired")
    return Table(headings, rows, f"What {counted(results.runs, 'run')} can detect", "detectable")


def growth(results: Results) -> Table:
    """Policies below each other, rounds beside each other."""
    frame = results.growth
    rounds = sorted(set(frame["t"]))
    cells = {(row["policy"], row["t"]): _interval(row, "ratio") for _, row in frame.iterrows()}
    rows = [
        [label(results, policy), *(cells.get((policy, t)) for t in rounds)]
        for policy in dict.fromkeys(frame["policy"])
    ]
    headings = ["policy", *(f"t = {t:,}" for t in rounds)]
    caption = GROWTH_NOTE if rows else NO_GROWTH
    return Table(headings, rows, "Joint regret / (C log t)", "growth", caption, frame=frame)


def values(results: Results) -> Table:
    """Every metric at the last round, constraints by their names, in the user's units."""
    last = results.summary[results.summary["t"] == results.horizon]
    factors = last["metric"].map(results.factor)
    numbers = ["mean", "ci_low", "ci_high", "std"]
    scaled = last.assign(**{name: last[name] * factors for name in numbers})
    frame = _labelled(
        results, scaled.assign(metric=last["metric"].map(lambda m: named(results, m)))
    )
    caption = "Every metric at the last round."
    if results.bands != POINTWISE:
        caption += " The intervals are those of bands for whole curves."
    names = {"ci_low": "95% low", "ci_high": "95% high", "n_runs": "runs"}
    shown = ("policy", "metric", "basis", *numbers, "n_runs")
    rest = {"title": "Values at T", "key": "values", "caption": caption, "folded": True}
    return Table.of(frame, names, shown, **rest)


def arms(results: Results) -> Table:
    table = results.theory.drop(columns="arm")
    table = table.sort_values(["optimal", "share"], ascending=False, kind="stable")
    table = table.loc[:, table.notna().any()]
    names = {"mean": "μ", "value": "r", "xi": "ξ", "kl": "d(μ, ξ)", "gap": "D"}
    names |= {f"amount_{j}": one_line(name) for j, name in enumerate(results.names)}
    rest = {"title": "Arms", "key": "arms", "caption": "The optimal arms first."}
    return Table.of(table, names, limit=300, folded=True, **rest)


def named(results: Results, metric: str) -> str:
    """A metric with the constraint's name in place of its number."""
    what, _, place = metric.rpartition("_")
    if not what or not place.isdigit():
        return metric
    return what if len(results.names) == 1 else f"{what}, {one_line(results.names[int(place)])}"


def texts(results: Results) -> dict[str, str]:
    """File name -> its text: the tables as Markdown and as LaTeX."""
    warning = banner([results.problem])
    compared = [claims(results), bounds(results), sharpness(results)]
    notes = [CLAIMS_NOTE, BOUNDS_NOTE, SHARPNESS_NOTE]
    if results.claims is None:
        compared, notes = compared[:1], [NO_CLAIMS]
    made = {"league": [league(results)], "claims": compared, "growth": [growth(results)]}
    under = {
        "league": [_league_note(results)],
        "claims": notes,
        "growth": [made["growth"][0].caption],
    }
    found = {f"{name}.tex": latex_file(tables, warning) for name, tables in made.items()}
    for name, tables in made.items():
        parts = [f"# {tables[0].title}: {markdown_text(results.title)}, T = {results.horizon:,}"]
        parts += [f"**{warning}**"] if warning else []
        parts += ["\n".join(map(markdown_text, answer_of(results).advice))] * (name == "league")
        for table, note in zip(tables, under[name], strict=True):
            parts += [f"## {table.title}"] if table is not tables[0] else []
            parts += [table.markdown().rstrip(), note] if table.rows else [note]
        found[f"{name}.md"] = "\n\n".join(parts) + "\n"
    return found


def _league_note(results: Results) -> str:
    tolerance = [
        f"{number(x)} ({one_line(n)})"
        for n, x in zip(results.names, results.tolerances, strict=True)
    ]
    return LEAGUE_NOTE.format(runs=counted(results.runs, "run"), tolerance=", ".join(tolerance))


def _claims(results: Results, kind: str = "") -> pd.DataFrame:
    """The claims of one kind, or all, in the user's units."""
    if results.claims is None:
        return pd.DataFrame(columns=list(COLUMNS))
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
