"""What a sweep says: who keeps the bounds where, at what rates, and what is earned or spent."""

import pandas as pd

from lincon.analysis.league import KEPT
from lincon.analysis.sweeps import Sweep
from lincon.problem.goal import Constraint
from lincon.report import view
from lincon.report.sentences import GOOD, WARNING, Answer
from lincon.report.table import Interval, Shown, Table
from lincon.report.text import SOURCES, counted, listed, number, one_line, percent

# So many points have a sentence each; of more, the ends and the middle.
FEW = 5


def answer_of_sweep(sweep: Sweep) -> Answer:
    source = SOURCES.get(sweep.problem.source, sweep.problem.source)
    heading = (
        f"{one_line(sweep.title)}: {counted(len(sweep.states), 'point')}, "
        f"{counted(sweep.runs, 'run')} each, {source}."
    )
    best = sweep.points[sweep.points["best"]]
    if best.empty:
        return Answer(heading, WARNING, binding(sweep.states))
    keepers = best[best["group"] == KEPT]
    tone = GOOD if len(keepers) == len(best) else WARNING
    chosen = sorted({0, len(best) // 2, len(best) - 1}) if len(best) > FEW else range(len(best))
    said = [_who(sweep, best, keepers), *(_at(sweep, best.iloc[place]) for place in chosen)]
    return Answer(heading, tone, [*said, *binding(sweep.states)])


def _who(sweep: Sweep, best: pd.DataFrame, keepers: pd.DataFrame) -> str:
    """At how many points somebody keeps the bounds, and who does so at the lowest joint regret."""
    feasible = counted(len(best), "feasible point")
    counts = (best if keepers.empty else keepers)["policy"].value_counts()
    leads = listed([f"{_label(sweep, policy)} at {count:,}" for policy, count in counts.items()])
    if keepers.empty:
        return f"No policy keeps the bounds at any of {feasible}; lowest joint regret: {leads}."
    where = "every one" if len(keepers) == len(best) else f"{len(keepers):,}"
    return (
        f"The bounds are kept at {where} of {feasible}; lowest joint regret among those that keep "
        f"them: {leads}."
    )


def _at(sweep: Sweep, row: pd.Series) -> str:
    """One point: its bounds, the policy, its rates, its runs that kept them, its reward."""
    place = ", ".join(f"{axis} {number(row[axis])}" for axis in sweep.axes)
    said = []
    for bound, one in zip(view.bounds(sweep.problem), sweep.problem.goal.constraints, strict=True):
        asked = f"{bound.sign} {_level(one, row[f'bound_{bound.j}'])}"
        said.append(f"{one_line(bound.amount)} {_level(one, row[f'rate_{bound.j}'])} ({asked})")
    earned = view.counted_in(sweep.problem)[0]
    said.append(f"{earned} {_interval(sweep, row, 'reward')} {sweep.unit}".rstrip())
    verb = "" if row["group"] == KEPT else "nobody keeps the bounds; closest: "
    kept = f"kept in {round(row['kept'] * sweep.runs)} of {counted(sweep.runs, 'run')}"
    return f"At {place}: {verb}{_label(sweep, row['policy'])} ({kept}), {listed(said)}."


def points_table(sweep: Sweep) -> Table:
    """One row per point: the policy to take there, and what it reached, in the user's units."""
    names = [f"{one_line(bound.amount)} reached" for bound in view.bounds(sweep.problem)]
    unit = f", {sweep.unit}" if sweep.unit else ""
    headings = [*sweep.axes, "policy", "kept", *names]
    headings += [f"joint regret{unit}", f"{view.counted_in(sweep.problem)[0]}{unit}"]
    rows = []
    for _, row in sweep.points[sweep.points["best"]].iterrows():
        kept = Shown(f"{round(row['kept'] * sweep.runs)} of {sweep.runs}", row["kept"])
        cells = [*(row[axis] for axis in sweep.axes), _label(sweep, row["policy"]), kept]
        for j, one in enumerate(sweep.problem.goal.constraints):
            cells.append(Shown(_level(one, row[f"rate_{j}"]), row[f"rate_{j}"]))
        rows.append([*cells, *(_interval(sweep, row, name) for name in ("joint", "reward"))])
    return Table(headings, rows, "Best at every point", "points", frame=sweep.points)


def binding(states: pd.DataFrame) -> list[str]:
    """In words: at how many points the goal is infeasible, or no bound binds."""
    feasible = states["feasible"].astype(bool)
    counts = {
        "The goal is infeasible": int((~feasible).sum()),
        "No bound binds": int((feasible & ~states["binding"].astype(bool)).sum()),
    }
    of = f"of {counted(len(states), 'point')}."
    return [f"{what} at {count:,} {of}" for what, count in counts.items() if count]


def _interval(sweep: Sweep, row: pd.Series, name: str) -> Interval:
    sign = view.counted_in(sweep.problem)[1] if name == "reward" else 1.0
    return Interval.of(row, name, sign * sweep.scale)


def _label(sweep: Sweep, policy: object) -> str:
    return one_line(str(sweep.policies.get(str(policy), {}).get("label", policy)))


def _level(one: Constraint, x: float) -> str:
    """Per cent where it is a share of the rounds: of events, or of plays of a group of arms."""
    group = one.per_event == 0.0 and "=" in str(one.per_play)
    return percent(x) if group or (one.per_event, one.per_play) == (1.0, 0.0) else number(x)
