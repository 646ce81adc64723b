"""Curves over the rounds: the paper's regret, violation, reward and reward per violation."""

from collections.abc import Mapping, Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from lincon.analysis.measures import spends
from lincon.analysis.results import REWARDS, Results
from lincon.report.figures import parts
from lincon.report.figures.style import chosen, plt
from lincon.report.palette import INK, REFERENCE, Look
from lincon.report.text import counted, listed
from lincon.report.words import bounds, changes, earnings, label

TITLES = {
    "regret": "Regret",
    "violation": "Violation",
    "reward": "Reward",
    "ratio": "Reward per violation",
    "joint": "Joint regret",
    "composite": "Composite regret (signed)",
    "shortfall": "Shortfall (signed)",
}
OPTIMUM = Look("optimal mixture", INK, REFERENCE, reference=True)
ACROSS, DOWN = 4, 4  # panels of several experiments in one figure
LATE = 0.05  # of the rounds: before that a ratio divides by almost nothing
LITTLE = 0.05  # of the largest violation: a ratio to less would press all others flat


def panels(many: Sequence[Results]) -> Figure | None:
    """The panels that the style names: of one experiment, or a row for each of several.

    Rows of unlike panels, and more than a page of them, are no figure.
    """
    rows = [(one, shown) for one in many if (shown := _shown(one))]
    longest, alone = max((len(shown) for _, shown in rows), default=0), len(rows) == 1
    alike = longest <= ACROSS and all(len(shown) == longest for _, shown in rows)
    if not rows or not (alone or (alike and len(rows) <= DOWN)):
        return None
    columns = {1: 1, 2: 2, 4: 2}.get(longest, 3) if alone else longest
    count = longest if alone else columns * len(rows)
    figure, grid = parts.grid(count, columns, 1.75 if alone else 1.55)
    looks, places = parts.looks_of(*many), iter(grid.flat)
    for results, shown in rows:
        line = [next(places) for _ in shown]
        for axes, (metric, title) in zip(line, shown.items(), strict=True):
            axes.set_title(parts.wrapped(title, 80 // columns, 2))
            _draw(axes, results, metric, looks, across=4 if alone else 3)
        if not alone:
            line[0].set_ylabel(parts.wrapped(results.title, 22, 2), weight="bold")
    plt.setp(grid[-1], xlabel="round t")
    legend = parts.names(looks)
    if any("reward" in shown and _optimum_shown(one) for one, shown in rows):
        legend.append(Line2D([], [], label=OPTIMUM.label, **parts.line(OPTIMUM)))
    return parts.framed(figure, _finding([one for one, _ in rows]), many, legend)


def _shown(results: Results) -> dict[str, str]:
    """Metric -> title with its unit; one violation per constraint, a ratio where there is one."""
    every, spent, shown = bounds(results.problem), spends(results.problem), {}
    for name in chosen().panels:
        title = "Cost" if spent and name == "reward" else TITLES[name]
        if name in ("violation", "shortfall"):
            for bound in every:
                of = f"{title}: {bound.name}" if len(every) > 1 else title
                shown[f"{name}_{bound.j}"] = f"{of}, events" if bound.counts_events else of
        elif name != "ratio" or (len(every) == 1 and not spent):
            shown[name] = parts.in_unit(title, results.unit if name in REWARDS else "")
    return {name: title for name, title in shown.items() if _rows(results, name)["mean"].any()}


def _rows(results: Results, metric: str) -> pd.DataFrame:
    """The curves of a metric in the user's units; a negative reward is a cost."""
    sign = earnings(results.problem)[1] if metric == "reward" else 1.0
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
    axes: Axes, results: Results, metric: str, looks: Mapping[str, Look], across: int
) -> None:
    rows = _rows(results, metric)
    last = rows["t"].max()
    late = rows[rows["t"] > LATE * last] if metric == "ratio" else None
    parts.curves(axes, rows, looks, metric.split("_")[0], late=late)
    if metric == "reward" and _optimum_shown(results):
        best = (
            earnings(results.problem)[1] * (results.problem.optimum or 0.0) * results.scale * last
        )
        axes.plot((0, last), (0, best), **parts.line(OPTIMUM))
        axes.set_ylim(top=max(axes.get_ylim()[1], 1.05 * best))
    axes.set_xlim(0, last)
    parts.plain_numbers(axes, across, 4)


def _optimum_shown(results: Results) -> bool:
    """Whether the optimal mixture's reward is a line, which an oracle that played is otherwise."""
    return results.problem.feasible and results.one_problem and not results.references


def _finding(many: Sequence[Results]) -> str:
    """How the two compared policies differ, otherwise which policy has the lowest joint regret."""
    alone, count = len(many) == 1, len(many)
    title, all_of = (f"{many[0].title}: ", "") if alone else ("", f"all {count} experiments")
    all_of = "both experiments" if count == 2 else all_of
    pairs = {None if one.claims.empty or len(one.ranked) > 2 else tuple(one.compare)
             for one in many}  # fmt: skip
    if len(pairs) == 1 and (pair := pairs.pop()):
        texts = []
        for name, found in _changes(many, pair).items():
            word = "less" if (found < 0.0).all() else "more" if (found > 0.0).all() else "changed"
            parted = ", ".join(f"{x:+.0%}".replace("-", "\u2212") for x in found)
            texts.append(f"{word} {name} ({parted})")
        first, second = (parts.wrapped(label(many[0], policy), 32) for policy in pair)
        if texts:
            where = f" in {all_of}" if all_of else ""
            return f"{title}{first} has {listed(texts)} than {second}{where}"
    ranked = [one.ranked.dropna(subset="joint") for one in many]
    leads = pd.concat([each.nsmallest(1, "joint")["policy"] for each in ranked]).value_counts()
    if leads.empty:
        return f"{title}{chosen().basis} sums" if alone else counted(count, "experiment")
    name = parts.wrapped(parts.looks_of(*many)[str(leads.index[0])].label, 32)
    most = int(leads.iloc[0])
    where = "" if alone else f" in {all_of if most == count else f'{most} of {count} experiments'}"
    return f"{title}{name} has the lowest joint regret{where}"


def _changes(many: Sequence[Results], pair: Sequence[str]) -> pd.DataFrame:
    """Experiments x (regret, violation), relative to the baseline; defined ones only."""
    found = [changes(one, pair[0], pair[1], chosen().basis) for one in many]
    return pd.DataFrame(found).dropna(axis=1)
