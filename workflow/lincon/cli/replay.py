"""`lincon replay`: what other policies would have done on logged traffic."""

import argparse
from pathlib import Path

import numpy as np

from lincon import online
from lincon.errors import UserError
from lincon.online import read_arms
from lincon.policies.online import replay
from lincon.policies.online.replay import Estimate, Log
from lincon.policies.online.rounds import checked_goal
from lincon.policies.online.service import OnlinePolicy
from lincon.problem.goal import Goal
from lincon.report.text import interval, number

# The two ways of asking, and what each has found of every policy.
PLACE, OWN = "in the log's place, round by round", "on its own, by replay"
Found = dict[str, list[tuple[str, Estimate]]]
POLICIES: dict[str, type[OnlinePolicy]] = {
    name: cls
    for name, cls in vars(online).items()
    if isinstance(cls, type) and issubclass(cls, OnlinePolicy)
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
    names = args.policy or [name for name, cls in POLICIES.items() if _plays(cls, goal)]
    found: Found = {PLACE: [], OWN: []}
    for name in names:
        made = [POLICIES[name]({}, args.seed, goal=goal) for _ in found]
        weighted = replay.by_propensity(log, made[0], args.resamples)
        replayed = replay.by_replay(log, made[1], np.random.default_rng(args.seed))
        for place, estimate in zip(found, (weighted, replayed), strict=True):
            found[place].append((name, estimate))
    itself = replay.logged(log, POLICIES[names[0]], goal)
    print("\n".join([*_heading(args.log, log), *_table(goal, itself, found)]))


def _plays(cls: type[OnlinePolicy], goal: Goal) -> bool:
    return cls.sampled or all(one.sense == "at_least" for one in goal.constraints)


def _heading(path: Path, log: Log) -> list[str]:
    said = [f"{path}: {len(log.plays):,} decisions"]
    if log.silent:
        said.append(f"{log.silent:,} of them have no event, which counts as none")
    if log.unreadable:
        said.append(f"{log.unreadable:,} lines could not be read and are left out")
    return ["; ".join(said) + ".", ""]


def _table(goal: Goal, itself: Estimate, found: Found) -> list[str]:
    bounds = [
        f"{one.name} ({one.sense.replace('_', ' ')} {one.bound:g})" for one in goal.constraints
    ]
    rows = [["", "reward per play (95%)", *bounds, "rounds"], _row("the log itself", itself, goal)]
    for place, estimates in found.items():
        rows += [[place, *[""] * (2 + len(bounds))]]
        rows += [_row(f"  {name}", one, goal) for name, one in estimates]
    # A heading may run over the cells beside it, which are empty.
    widths = [max(len(row[at]) for row in rows if at or row[1]) for at in range(len(rows[0]))]
    lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
    return [*lines, "", *_sentences(found)]


def _row(name: str, one: Estimate, goal: Goal) -> list[str]:
    if not one.tells:
        cells = ["the log cannot tell"] + [""] * len(goal.constraints)
        return [name, *cells, f"{one.rounds:,.0f}"]
    low, high = one.mean - one.half, one.mean + one.half
    reward, *amounts = (interval(*ends) for ends in zip(one.mean, low, high, strict=True))
    for j, bound in enumerate(goal.constraints):
        ends = sorted(bound.sign * (end - bound.bound) for end in (low[1 + j], high[1 + j]))
        verdict = "kept" if ends[0] >= 0 else "missed" if ends[1] < 0 else "open"
        amounts[j] += f" {verdict}"
    return [name, reward, *amounts, f"{one.rounds:,.0f}"]


def _sentences(found: Found) -> list[str]:
    """Where the log cannot tell, and why; rounds are effective ones, (sum w)^2 / sum w^2."""
    said = []
    for place, estimates in found.items():
        few = [name for name, one in estimates if one.rounds < replay.FEWEST]
        if few:
            why = f"fewer than {replay.FEWEST} effective rounds"
            said.append(f"Of {', '.join(few)} {place}, the log cannot tell: {why}.")
        for name, one in estimates:
            if name not in few and not one.tells:
                why = f"weights average {number(one.coverage)} instead of 1, as arms that it needs "
                why += "could not be chosen"
                said.append(f"Of {name} {place}, the log cannot tell: {why}.")
    if said:
        said.append("A log tells more if part of it is drawn uniformly: decide(uniform=0.05).")
    return said
