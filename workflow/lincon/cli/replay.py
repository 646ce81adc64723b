"""`lincon replay`: what other policies would have done on logged traffic."""

import argparse
from pathlib import Path

import numpy as np

from lincon.errors import UserError
from lincon.online import LearnedLedger, Ledger, LinConKLUCB, LinConTS, read_arms
from lincon.policies.online import replay
from lincon.policies.online.replay import Estimate
from lincon.policies.online.rounds import checked_goal
from lincon.policies.online.service import OnlinePolicy
from lincon.problem.goal import Goal
from lincon.report.text import interval

POLICIES: dict[str, type[OnlinePolicy]] = {
    cls.__name__: cls for cls in (LearnedLedger, Ledger, LinConKLUCB, LinConTS)
}


def arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("log", type=Path, help="decisions.jsonl of a policy, or a CSV: arm, event, propensity")
    add("--policy", action="append", choices=sorted(POLICIES), help="default: all of them")
    add("--arms", type=Path, help="a CSV with label, value, cost ...; default: those of the log")
    add("--floor", type=float, help="the event rate to keep; default: the log's own goal")
    add("--uniform", action="store_true", help="every arm was equally likely in every round")
    add("--resamples", type=int, default=8, help="beliefs that are drawn per round (default 8)")
    add("--seed", type=int, default=0)


def run(args: argparse.Namespace) -> None:
    arms = None if args.arms is None else read_arms(args.arms)[0]
    log = replay.read_log(args.log, arms, args.uniform)
    goal = log.goal if args.floor is None else checked_goal(args.floor, None)
    if goal is None:
        raise UserError(f"{args.log} does not say which rate is to be kept; give it with --floor")
    capped = any(one.sense == "at_most" for one in goal.constraints)
    names = args.policy or [name for name, cls in POLICIES.items() if cls.sampled or not capped]

    def policy(name: str) -> OnlinePolicy:
        return POLICIES[name]({}, args.seed, goal=goal)

    said = [f"{args.log}: {len(log.plays):,} decisions"]
    if silent := sum(play["event"] is None for play in log.plays):
        said.append(f"{silent:,} of them have no event, which counts as none")
    if log.unreadable:
        said.append(f"{log.unreadable:,} lines could not be read and are left out")
    print("; ".join(said) + ".\n")
    rows = [_heading(goal), _row("the log itself", replay.logged(log, policy(names[0])), goal)]
    rows += [["in the log's place, round by round"]]
    for name in names:
        weighted = replay.by_propensity(log, policy(name), args.resamples)
        rows += [_row(f"  {name}", weighted, goal)]
    rows += [["on its own, by replay"]]
    for name in names:
        replayed = replay.by_replay(log, policy(name), np.random.default_rng(args.seed))
        rows += [_row(f"  {name}", replayed, goal)]
    # Shorter rows may run over the columns to their right.
    full = [row for row in rows if len(row) == len(rows[0])]
    widths = [max(map(len, column)) for column in zip(*full, strict=True)]
    print("\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows))
    if any(len(row) == 2 for row in rows):
        print("\nA log tells more if part of it is drawn uniformly: decide(uniform=0.05).")


def _heading(goal: Goal) -> list[str]:
    bounds = [
        f"{one.name} ({one.sense.replace('_', ' ')} {one.bound:g})" for one in goal.constraints
    ]
    return ["", "reward per play (95%)", *bounds, "rounds"]


def _row(name: str, one: Estimate, goal: Goal) -> list[str]:
    if one.doubt:
        return [name, f"the log cannot tell: {one.doubt}"]
    low, high = one.mean - one.half, one.mean + one.half
    reward, *amounts = (interval(*ends) for ends in zip(one.mean, low, high, strict=True))
    for j, bound in enumerate(goal.constraints):
        ends = sorted(bound.sign * (end - bound.bound) for end in (low[1 + j], high[1 + j]))
        verdict = "kept" if ends[0] >= 0 else "missed" if ends[1] < 0 else "open"
        amounts[j] += f" {verdict}"
    return [name, reward, *amounts, f"{one.rounds:,.0f}"]
