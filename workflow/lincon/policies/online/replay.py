"""What other policies would have done on logged traffic: by replay, and by inverse propensities.

By inverse propensity a policy is put in the log's place round by round: it knows the events that
the log knew, and the logged plays are weighted by w = its probability of the arm / the log's.
Averages are self-normalised, sum(w x) / sum(w). Its account with the constraints is such an
average, too: it owes what it would have missed itself, not what the log has missed.

By replay (Li, Chu, Langford, Wang, WSDM 2011) it learns on its own: the log is first thinned to
plays drawn uniformly, and of these it sees those that it would have chosen itself.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from lincon.errors import UserError
from lincon.policies.online.arms import Given, Name
from lincon.policies.online.service import OnlinePolicy
from lincon.problem.goal import Goal

# Fewer effective rounds than this cannot tell; nor can weights whose mean is not about 1.
FEWEST = 100
COVERED = (0.8, 1.25)
HALF = 1.96


class Play(NamedTuple):
    """A logged decision; `among` None: all arms were available."""

    arm: Name
    event: bool
    propensity: float | None
    among: list[Name] | None = None


class Arm(NamedTuple):
    """An arm that comes or has new numbers, or, with None, goes."""

    name: Name
    given: Given | None


@dataclass
class Log:
    steps: list[Play | Arm] = field(default_factory=list)
    goal: Goal | None = None
    silent: int = 0
    unreadable: int = 0

    @property
    def plays(self) -> list[Play]:
        return [step for step in self.steps if isinstance(step, Play)]


@dataclass(frozen=True)
class Estimate:
    """Averages per play of the reward and of each constraint's amount, with 95% intervals.

    `rounds` is the effective sample size; `coverage` is about 1 where the log gave every arm that
    was wanted a chance.
    """

    mean: np.ndarray
    half: np.ndarray
    rounds: float
    coverage: float

    @classmethod
    def of(cls, outcomes: np.ndarray, weights: np.ndarray, coverage: float) -> Estimate:
        total = weights.sum()
        if not total:
            nothing = np.full(outcomes.shape[1], np.nan)
            return cls(nothing, nothing, 0.0, coverage)
        mean = weights @ outcomes / total
        spread = np.sqrt((weights**2) @ (outcomes - mean) ** 2) / total
        return cls(mean, HALF * spread, float(total**2 / (weights**2).sum()), coverage)

    @property
    def tells(self) -> bool:
        return self.rounds >= FEWEST and COVERED[0] <= self.coverage <= COVERED[1]


# --- the estimates


def logged(log: Log, cls: type[OnlinePolicy], goal: Goal) -> Estimate:
    """What the log itself has earned."""
    outcomes = [_outcome(policy, play) for policy, play in _rounds(log, cls({}, 0, goal=goal))]
    return Estimate.of(np.array(outcomes), np.ones(len(outcomes)), 1.0)


def by_propensity(log: Log, policy: OnlinePolicy, resamples: int) -> Estimate:
    weights, outcomes, own = [], [], np.zeros(len(policy.bound))
    signs = np.array([one.sign for one in policy.goal.constraints])
    for at_work, play in _rounds(log, policy):
        chance = at_work.probability(play.arm, among=play.among, resamples=resamples)
        weights.append(chance / _propensity(play))
        outcomes.append(_outcome(at_work, play))
        at_work.update(play.arm, play.event)
        own += weights[-1] * signs * outcomes[-1][1:]
        if total := math.fsum(weights):
            at_work.amounts = own * (at_work.counted / total)
    return Estimate.of(np.array(outcomes), np.array(weights), float(np.mean(weights)))


def by_replay(log: Log, policy: OnlinePolicy, rng: np.random.Generator) -> Estimate:
    least = min(_propensity(play) for play in log.plays)
    outcomes, chances = [], []
    for at_work, play in _rounds(log, policy):
        available = len(at_work.arms if play.among is None else play.among)
        chances.append(1.0 / (_propensity(play) * available))
        kept = rng.random() < least / _propensity(play)
        if kept and at_work.would_choose(among=play.among) == play.arm:
            outcomes.append(_outcome(at_work, play))
            at_work.update(play.arm, play.event)
    shape = (len(outcomes), 1 + len(policy.bound))
    found = np.array(outcomes).reshape(shape)
    return Estimate.of(found, np.ones(len(found)), float(np.mean(chances)))


def _rounds(log: Log, policy: OnlinePolicy) -> Iterator[tuple[OnlinePolicy, Play]]:
    """The policy before each logged decision, with the arms that there were."""
    for step in log.steps:
        if isinstance(step, Play):
            policy.arms.position(step.arm)
            yield policy, step
        elif step.given is None:
            if step.name in policy.arms:
                policy.remove_arm(step.name)
        elif step.name in policy.arms:
            policy.change_arm(step.name, step.given)
        else:
            policy.add_arm(step.name, step.given)


def _outcome(policy: OnlinePolicy, play: Play) -> list[float]:
    """Reward, and amounts as their constraints state them."""
    m, row = len(policy.bound), policy.arms.terms[policy.arms.position(play.arm)]
    signs = np.array([one.sign for one in policy.goal.constraints])
    amounts = signs * (row[2 : 2 + m] * play.event + row[2 + m :])
    return [row[0] * play.event - row[1], *amounts]


def _propensity(play: Play) -> float:
    if play.propensity is None:
        raise UserError(
            "the log has decisions without a propensity; log them with decide(resamples=15), or "
            "say --uniform if every arm was equally likely"
        )
    return play.propensity


# --- reading a log


def read_log(path: Path, arms: Mapping[Name, Given] | None, uniform: bool) -> Log:
    """A decision log (.jsonl), or a CSV with the columns arm, event and propensity."""
    try:
        log = _read_csv(path, arms) if path.suffix == ".csv" else _read_lines(path, arms)
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}") from None
    if not log.plays:
        raise UserError(f"{path} has no decisions; needed: JSON lines of a decision log, or a CSV")
    return _uniformly(log) if uniform else log


def _uniformly(log: Log) -> Log:
    live: set[Name] = set()
    steps: list[Play | Arm] = []
    for step in log.steps:
        if isinstance(step, Arm):
            (live.discard if step.given is None else live.add)(step.name)
            steps.append(step)
        else:
            steps.append(step._replace(propensity=1.0 / len(step.among or live)))
    return Log(steps, log.goal, log.silent, log.unreadable)


def _read_lines(path: Path, arms: Mapping[Name, Given] | None) -> Log:
    log, ids, events = Log(_added(arms or {})), [], {}
    text = path.read_text(encoding="utf-8", errors="replace")
    for line in filter(None, text.splitlines()):
        try:
            entry = json.loads(line)
            if "goal" in entry and log.goal is None:
                log.goal = Goal.from_dict(entry["goal"])
            if "arm" in entry:
                propensity = entry["propensity"]
                if propensity is not None and not 0.0 < propensity <= 1.0:
                    raise ValueError(f"{propensity!r} is not a probability")
                log.steps.append(Play(entry["arm"], False, propensity, entry.get("among")))
                ids.append((len(log.steps) - 1, entry["id"]))
            elif "event" in entry:
                events[entry["id"]] = bool(entry["event"])
            elif "gone" in entry:
                log.steps.append(Arm(entry["gone"], None))
            elif arms is None:
                log.steps += _added(entry["arms"])
        except (ValueError, KeyError, TypeError, AttributeError):
            log.unreadable += 1
    for at, id in ids:
        log.silent += id not in events
        log.steps[at] = log.steps[at]._replace(event=events.get(id, False))  # type: ignore[call-arg]
    return log


def _read_csv(path: Path, arms: Mapping[Name, Given] | None) -> Log:
    """A row per decision; without `arms`, further columns of numbers are the arms'."""
    import pandas as pd

    try:
        table = pd.read_csv(path, dtype={"arm": str})
    except ValueError as error:
        raise UserError(f"{path} is not a CSV file: {error}") from None
    missing = [name for name in ("arm", "event") if name not in table]
    if missing:
        raise UserError(f"{path} has no column {missing[0]}; needed: arm, event and propensity")
    event = pd.to_numeric(table["event"], errors="coerce")
    chance = pd.to_numeric(table.get("propensity", pd.Series(np.nan, table.index)), errors="coerce")
    further = table.drop(columns=["event", "propensity"], errors="ignore").select_dtypes("number")
    known = arms or further.groupby(table["arm"]).first().to_dict("index")
    names = {str(name): name for name in known}
    log = Log(_added(known), None, int(event.isna().sum()))
    for arm, hit, share in zip(table["arm"], event, chance, strict=True):
        if share <= 0.0 or share > 1.0:
            log.unreadable += 1
        else:
            propensity = None if np.isnan(share) else share
            log.steps.append(Play(names.get(arm, arm), bool(hit > 0.0), propensity))
    return log


def _added(arms: Any) -> list[Play | Arm]:
    return [Arm(name, given) for name, given in dict(arms).items()]
