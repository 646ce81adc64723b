"""The numbers of the documents, from studies that have run: docs/numbers/ and the tables of it.

    python -m benchmarks.docs_numbers claims reached bounds bench findings

Each is read from the study of its config, which must have been played on real data; statistics.md's
come from benchmarks/coverage.py, those of other problems from benchmarks/atlas.py and limit.py.
"""

import argparse
import csv
import datetime
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from lincon.analysis.inference import mean_of
from lincon.analysis.league import REFERENCE, scores
from lincon.analysis.results import Results
from lincon.errors import UserError
from lincon.report.answer import best_single_arm
from lincon.report.study import opened, read_record
from lincon.report.table import interval_of
from lincon.report.text import banner, interval, number, percent
from lincon.report.words import bounds as bounds_of
from lincon.report.words import reached as reached_by
from tools.fill_numbers import NUMBERS, fill_documents, write_table, write_text

STUDIES = Path(__file__).resolve().parents[1] / "results" / "studies"
SENTENCES = {
    "regret": "lower regret (hence higher reward)",
    "violation": "less violation",
    "ratio": "a higher ratio of reward to violation",
    "joint": "both at once: lower joint regret",
}
GROWTH = (10**5, 10**7)  # rounds
PROBLEMS = "1,000 generated problems"
Rows = list[list[str]]


def claims(results: Sequence[Results]) -> Rows:
    """The paper's claims on the expected basis, one row per claim and experiment."""
    names = [results[0].labels[policy] for policy in results[0].compare]
    rows = [[f"claim: {names[0]} has", "dataset", *names, "difference", ""]]
    for quantity, sentence in SENTENCES.items():
        for one in results:
            frame = one.claims[one.claims["basis"] == "expected"].set_index("quantity")
            row = frame.loc[quantity]
            cells = [f"{x:,.3g}" if x < 1000 else f"{x:,.0f}" for x in row[["value", "reference"]]]
            gap = interval(row["difference"], row["ci_low"], row["ci_high"])
            part = "" if quantity == "ratio" else f", {change(row)}"
            rows.append([sentence, one.title, *cells, gap, row["verdict"] + part])
    return rows


def change(row: pd.Series) -> str:
    """The difference of a claim in per cent of the baseline."""
    half = (row["ci_high"] - row["ci_low"]) / 2 / abs(row["reference"])
    return percent(row["value"] / row["reference"] - 1, half)


def reached(results: Sequence[Results]) -> Rows:
    """What the challenger of the claims reaches of each constraint."""
    rows = [["dataset", "policy", "floor", "event rate at T", "runs that kept the floor"]]
    for one in results:
        table = one.league.set_index("policy")
        for policy in one.compare:
            row, (floor,) = table.loc[policy], one.problem.goal.constraints
            cells = [percent(floor.bound), percent(row["rate_0"])]
            kept = f"{row['kept_runs']} of {row['runs']}"
            rows.append([one.title, one.labels[policy], *cells, kept])
    return rows


def bounds(results: Sequence[Results]) -> Rows:
    """The paper's three bounds beside what was reached, and what uniform play does."""
    rows = [["dataset", "bound of", "measured", "bound", "uniform play"]]
    for one in results:
        for _, row in one.bounds.iterrows():
            cells = [number(round(x)) for x in row[["bound", "uniform"]]]
            rows.append([one.title, row["statement"], str(interval_of(row, "value")), *cells])
    return rows


def leagues(results: Sequence[Results]) -> Rows:
    """One row per experiment and policy: joint regret, how far from the lowest, runs that kept."""
    unit = f" ({results[0].unit})" if results[0].unit else ""
    head = [f"joint regret J{unit}", "J minus the lowest", "median J (quartiles)"]
    rows = [["experiment", "policy", "kept", "strictly", *head]]
    for one in results:
        by_run = one.scale * scores(one.outcomes, one.problem)
        lowest = one.ranked.loc[one.ranked["joint"].idxmin(), "policy"]
        ordered = one.league.sort_values("joint", kind="stable")
        for place, (_, row) in enumerate(ordered.iterrows()):
            policy = row["policy"]
            behind = mean_of("x", (by_run[policy] - by_run[lowest]).to_numpy())
            extra = "" if policy == lowest else interval(*behind.values())
            extra = "reference" if row["group"] == REFERENCE else extra
            quantiles = one.scale * row[["joint_median", "joint_q25", "joint_q75"]]
            middle = "{} ({} to {})".format(*map(number, quantiles.astype(float).round()))
            runs = [f"{row[f'{word}_runs']} of {row['runs']}" for word in ("kept", "strict")]
            cells = [one.labels[policy], *runs, str(interval_of(row, "joint", one.scale)), extra]
            rows.append([one.title if not place else "", *cells, middle if row["uneven"] else ""])
    return rows


def routing(results: Sequence[Results]) -> Rows:
    """What every policy keeps and costs per request, in the order of the league."""
    per = f"{results[0].unit} per {results[0].arms.per:,} requests"
    rows = [["experiment", "policy", "kept", "reached", f"cost, {per}", f"joint regret, {per}"]]
    for one in results:
        average, every = one.arms.scale / one.horizon, bounds_of(one.problem)
        best = number(-one.arms.scale * (one.problem.optimum or math.nan))
        rows.append([one.title, "*lowest possible*", "", "", best, ""])
        if (arm := best_single_arm(one)) is not None:
            cost = number(-one.arms.scale * arm["reward"])
            amounts = " / ".join(bound.amount(arm[f"amount_{bound.j}"]) for bound in every)
            rows.append(["", f"*best single model: {arm['label']}*", "", amounts, cost, ""])
        for _, row in one.league.iterrows():
            spent = average * -row[["reward", "reward_high", "reward_low"]].to_numpy(dtype=float)
            kept = f"{row['kept_runs']} of {row['runs']}"
            amounts = " / ".join(reached_by(one, bound, row) for bound in every)
            cells = [kept, amounts, interval(*spent), str(interval_of(row, "joint", average))]
            rows.append(["", one.labels[row["policy"]], *cells])
    return rows


def growth(results: Sequence[Results]) -> Rows:
    """Joint regret over C log t, at two rounds."""
    heads = [
        f"{one.title} (C = {one.lower_bound:.1f}): t = {t:,}" for one in results for t in GROWTH
    ]
    rows = [["policy", *heads]]
    for policy, label in results[0].labels.items():
        cells = [over_bound(one, policy, t) for one in results for t in GROWTH]
        rows.append([label, *cells])
    return rows


def over_bound(one: Results, policy: str, t: int) -> str:
    curve = one.rows("joint", "expected")
    curve = curve[curve["policy"] == policy]
    row: pd.Series = curve.loc[(curve["t"] - t).abs().idxmin()]
    unit = (one.lower_bound or math.nan) * math.log(row["t"])
    return interval(row["mean"] / unit, row["ci_low"] / unit, row["ci_high"] / unit)


def findings(results: Sequence[Results]) -> str:
    """The README's findings, each with its range over the paper's datasets."""
    two = [one for one in results if one.title in ("Coupon-Purchase", "edX-Course")]
    by_claim = [one.claims[one.claims["basis"] == "expected"].set_index("quantity") for one in two]
    tables = [one.league.set_index("policy") for one in two]

    over = atlas_row("TS ledger")

    def each(text: Callable[[int], str]) -> str:
        return " and ".join(text(k) for k in range(len(two)))

    def less(quantity: str) -> str:
        changes = [change(one.loc[quantity]).lstrip("\u2212") for one in by_claim]
        return each(lambda k: f"{changes[k]} on {two[k].title}")

    def kept(policy: str, k: int) -> str:
        row = tables[k].loc[policy]
        return f"in {row['kept_runs']} of {row['runs']} runs on {two[k].title}"

    def missed(k: int) -> str:
        rate, (bound,) = tables[k].loc["lincon_ts", "rate_0"], two[k].problem.goal.constraints
        return f"{kept('lincon_ts', k)} (event rate {rate:.0%}, floor {percent(bound.bound)})"

    def ledger(k: int) -> str:
        ratio = tables[k].loc["ts_ledger", "joint"] / tables[k].loc["lincon_ts", "joint"]
        return f"{kept('ts_ledger', k)}, at {ratio:.2f} times the joint regret of LinConTS"

    rarely, often = sorted(range(2), key=lambda k: tables[k].loc["ts_ledger", "kept_runs"])
    return f"""\
1. **The paper reproduces.** LinConTS has less regret than LinCon-KL-UCB, by {less("regret")}, and
   less violation, by {less("violation")} ([claim by claim](docs/reproduction.md)).
2. **LinConTS misses the floor.** It keeps it {each(missed)}.
3. **A ledger with a learned prior, `ts_ledger`, keeps the floor where the best arm is well above
   it**: {ledger(often)}; but {ledger(rarely)}. Over {PROBLEMS} the ratio is {over["mean"]} on
   average, and above {over["99th percentile"]} on one in a hundred. Joint regret is regret plus
   violation at its price ([which policy](docs/which_policy.md)).
"""


def atlas_row(label: str) -> dict[str, str]:
    """What docs/numbers/atlas.csv says of a policy, by column."""
    with (NUMBERS / "atlas.csv").open(encoding="utf-8", newline="") as file:
        next(file)
        return next(row for row in csv.DictReader(file) if label in row.values())


class Table(NamedTuple):
    study: str
    command: str
    made: Callable[[Sequence[Results]], Rows | str]


PAPER, BENCH = "make real", "make real CONFIG=config/bench.yaml"
TABLES = {
    "claims": Table("paper", PAPER, claims),
    "reached": Table("paper", PAPER, reached),
    "bounds": Table("paper", PAPER, bounds),
    "bench": Table("bench", BENCH, leagues),
    "findings": Table("bench", BENCH, findings),
    "routing": Table("llm_routing", "make CONFIG=config/llm_routing.yaml", routing),
    "service": Table("service", "make CONFIG=config/service.yaml", leagues),
    "growth": Table("long", "make real CONFIG=config/long.yaml", growth),
}


def write(name: str, studies: Path, command: str = "") -> None:
    table = TABLES[name]
    record = read_record(studies / table.study / "study.json")
    results, _ = opened(record)
    if missing := banner([one.problem for one in results]):
        raise UserError(f"{table.study}: {missing} Numbers in documents are of the real data")
    date = datetime.datetime.fromisoformat(record["time"])
    made, when = table.made(results), (command or f"`{table.command}`", f"{date.day} {date:%B %Y}")
    (write_text if isinstance(made, str) else write_table)(name, *when, made)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="+", choices=TABLES)
    parser.add_argument("--studies", type=Path, default=STUDIES)
    parser.add_argument("--command", default="", help="what made the study, if it was another")
    args = parser.parse_args()
    for name in args.names:
        write(name, args.studies, args.command)
    fill_documents()


if __name__ == "__main__":
    main()
