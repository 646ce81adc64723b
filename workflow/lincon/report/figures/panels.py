"""Curves over the rounds: the paper's regret, violation, reward and reward per violation."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lincon.analysis.results import REWARDS, Results
from lincon.report import view
from lincon.report.figures import parts
from lincon.report.figures.style import chosen, narrow, plt
from lincon.report.palette import Look
from lincon.report.text import counted, listed

HEIGHT = 1.75  # inches of a panel with its labels
TITLES = {
    "regret": "Regret",
    "violation": "Violation",
    "reward": "Reward",
    "ratio": "Reward per violation",
    "joint": "Joint regret",
    "composite": "Composite regret (signed)",
    "shortfall": "Shortfall (signed)",
}
LATE = 0.05  # of the rounds: before that a ratio divides by almost nothing
LITTLE = 0.05  # of the largest violation: a ratio to less would press all others flat


class Panel(NamedTuple):
    """One metric of the curves, and its title with the unit."""

    metric: str
    title: str


def panels(results: Results) -> Figure | None:
    """The panels that the style names, of one experiment."""
    shown = _shown(results)
    if not shown:
        return None
    columns = 1 if narrow() else {1: 1, 2: 2, 4: 2}.get(len(shown), 3)
    high = 1.3 if narrow() else HEIGHT
    figure, grid = parts.grid(len(shown), columns, high)
    looks = parts.looks_of(results)
    for panel, axes in zip(shown, grid.flat, strict=False):
        axes.set_title(panel.title)
        _draw(axes, results, panel.metric, looks)
    plt.setp(grid[-1], xlabel="round t")
    return parts.framed(figure, _finding(results), [results], parts.names(looks))


def study(many: Sequence[Results]) -> Figure | None:
    """The same panels of several experiments, a row for each."""
    rows = [(results, shown) for results in many if (shown := _shown(results))]
    if not rows:
        return None
    columns = max(len(shown) for _, shown in rows)
    figure, grid = parts.grid(columns * len(rows), columns, 1.55)
    looks = parts.looks_of(*many)
    for line, (results, shown) in zip(grid, rows, strict=True):
        for panel, axes in zip(shown, line, strict=False):
            axes.set_title(panel.title)
            _draw(axes, results, panel.metric, looks, bins=3)
        plt.setp(line[len(shown) :], visible=False)
        line[0].set_ylabel(parts.wrapped(results.title, 22), weight="bold")
    plt.setp(grid[-1], xlabel="round t")
    return parts.framed(figure, _study_finding([r for r, _ in rows]), many, parts.names(looks))


def _shown(results: Results) -> list[Panel]:
    """One violation per constraint; a ratio needs one constraint, a reward and a violation."""
    kept, spent = view.bounds(results.problem), view.counted_in(results.problem)[0] == "cost"
    shown = []
    for name in chosen().panels:
        title = "Cost" if spent and name == "reward" else TITLES[name]
        if name in ("violation", "shortfall"):
            for bound in kept:
                of = f"{title}: {bound.name}" if len(kept) > 1 else title
                of = f"{of}, events" if results.is_rate(bound.j) else of
                shown.append(Panel(f"{name}_{bound.j}", of))
        elif name != "ratio" or (len(kept) == 1 and not spent):
            unit = results.unit if name in REWARDS else ""
            shown.append(Panel(name, parts.in_unit(title, unit)))
    return [panel for panel in shown if _rows(results, panel.metric)["mean"].notna().any()]


def _rows(results: Results, metric: str) -> pd.DataFrame:
    """The curves of a metric in the user's units; a negative reward is a cost."""
    sign = view.counted_in(results.problem)[1] if metric == "reward" else 1.0
    rows, factor = results.rows(metric, chosen().basis), sign * results.factor(metric)
    ends = rows[["ci_low", "ci_high"]] * factor
    ends = {"ci_low": ends.min(axis=1), "ci_high": ends.max(axis=1)}
    rows = rows.assign(mean=rows["mean"] * factor, **ends)
    if metric == "ratio":
        violating = comparable(results.rows("violation_0", chosen().basis))
        rows = rows[rows["policy"].isin(violating)]
    return rows


def comparable(violation: pd.DataFrame) -> list[str]:
    """The policies whose violation stays well above zero, so that a ratio to it is a number."""
    late = violation[violation["t"] > LATE * violation["t"].max()]
    ended = late[late["t"] == late["t"].max()].set_index("policy")["mean"]
    lowest = late.groupby("policy")["mean"].min()
    return [str(p) for p in ended.index if lowest[p] > 0.0 and ended[p] > LITTLE * ended.max()]


def _draw(
    axes: Axes, results: Results, metric: str, looks: Mapping[str, Look], bins: int = 4
) -> None:
    rows = _rows(results, metric)
    late = rows[rows["t"] > LATE * rows["t"].max()] if metric == "ratio" else None
    parts.curves(axes, rows, looks, metric.split("_")[0], late=late)
    parts.over_rounds(axes, rows["t"].max())
    parts.plain_numbers(axes, bins)


def pair(results: Results) -> tuple[str, str] | None:
    """Challenger and baseline of the claims, where only these two were played."""
    if results.claims.empty or len(results.ranked) > 2:
        return None
    first, second = results.compare
    return first, second


def _finding(results: Results) -> str:
    """How the two compared policies differ, otherwise who has the lowest joint regret."""
    ranked = results.ranked.dropna(subset="joint")
    if compared := pair(results):
        changes = view.changes(results, *compared, chosen().basis)
        found = [f"{abs(x):.0%} {'more' if x > 0.0 else 'less'} {n}" for n, x in changes.items()]
        if found:
            first, second = (parts.wrapped(results.labels[p], 32, 1) for p in compared)
            return f"{results.title}: {first} has {listed(found)} than {second}"
    if ranked.empty:
        return f"{results.title}: {chosen().basis} over {results.horizon:,} rounds"
    best = parts.wrapped(results.labels[ranked.loc[ranked["joint"].idxmin(), "policy"]], 32, 1)
    return f"{results.title}: {best} has the lowest joint regret"


def _study_finding(many: Sequence[Results]) -> str:
    """Whether the challenger does better in every experiment, otherwise who leads in most."""
    if len(many) == 1:
        return _finding(many[0])
    pairs = {pair(results) for results in many}
    where = "both experiments" if len(many) == 2 else f"all {len(many)} experiments"
    if len(pairs) > 1 or None in pairs:
        lowest = [r.ranked.dropna(subset="joint").nsmallest(1, "joint")["policy"] for r in many]
        leads = pd.concat(lowest).value_counts()
        if leads.empty:
            return counted(len(many), "experiment")
        name = parts.short(parts.looks_of(*many)[str(leads.index[0])], 32)
        most = int(leads.iloc[0])
        where = where if most == len(many) else f"{most} of {len(many)} experiments"
        return f"{name} has the lowest joint regret in {where}"
    ((first, second),) = pairs  # type: ignore[misc]
    basis = chosen().basis
    changes = pd.DataFrame([view.changes(results, first, second, basis) for results in many])
    less = [name for name in changes if (changes[name] < 0.0).all()]
    names = [parts.wrapped(many[0].labels[policy], 32, 1) for policy in (first, second)]
    if not less:
        return f"{names[0]} beside {names[1]} in {counted(len(many), 'experiment')}"
    shares = [", ".join(f"{x:+.0%}".replace("-", "\u2212") for x in changes[n]) for n in less]
    found = [f"less {name} ({share})" for name, share in zip(less, shares, strict=True)]
    return f"{names[0]} has {listed(found)} than {names[1]} in {where}"
