"""What other policies would have done on logged traffic: by replay, and by inverse propensities.

By inverse propensity a policy is put in the log's place round by round: it knows the events that
the log knew, and the logged plays are weighted by w = its probability of the arm / the log's.
Averages are self-normalised, sum(w x) / sum(w). Its account with the constraints is such an
average, too: it owes what it would have missed itself, not what the log has missed.

By replay (Li, Chu, Langford, Wang, WSDM 2011) it learns on its own: the log is first thinned to
plays drawn uniformly, and of these it sees those that it would have chosen itself.
"""

import csv
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np

from lincon.errors import UserError
from lincon.policies.online.arms import Given, Name, numbers_of
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
    def of(cls, outcomes: np.ndarray, weights: np.ndarray, coverage: float) -> Self:
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
    policy = cls({}, 0, goal=goal)
    outcomes = [_outcome(policy, play) for play in _rounds(log, policy)]
    return _estimate(policy, outcomes, [1.0] * len(outcomes), 1.0)


def by_propensity(log: Log, policy: OnlinePolicy, resamples: int) -> Estimate:
    weights, outcomes, own = [], [], np.zeros(len(policy.bound))
    for play in _rounds(log, policy):
        chance = policy.probability(play.arm, among=play.among, resamples=resamples)
        weights.append(chance / _propensity(play))
        outcomes.append(_outcome(policy, play))
        policy.update(play.arm, play.event)
        own += weights[-1] * outcomes[-1][1:]
        if total := math.fsum(weights):
            policy.amounts = own * (policy.counted / total)
    return _estimate(policy, outcomes, weights, float(np.mean(weights)))


def by_replay(log: Log, policy: OnlinePolicy, rng: np.random.Generator) -> Estimate:
    least = min(_propensity(play) for play in log.plays)
    outcomes, chances = [], []
    for play in _rounds(log, policy):
        available = len(policy.arms if play.among is None else play.among)
        chances.append(1.0 / (_propensity(play) * available))
        kept = rng.random() < least / _propensity(play)
        if kept and policy.would_choose(among=play.among) == play.arm:
            outcomes.append(_outcome(policy, play))
            policy.update(play.arm, play.event)
    return _estimate(policy, outcomes, [1.0] * len(outcomes), float(np.mean(chances)))


def _rounds(log: Log, policy: OnlinePolicy) -> Iterator[Play]:
    """Each logged decision, while the policy has the arms that there were."""
    for step in log.steps:
        if isinstance(step, Play):
            yield step
        elif step.given is None:
            if step.name in policy.arms:
                policy.remove_arm(step.name)
        else:
            change = policy.change_arm if step.name in policy.arms else policy.add_arm
            change(step.name, step.given)


def _outcome(policy: OnlinePolicy, play: Play) -> np.ndarray:
    """Reward, and amounts in their at_least form."""
    value, cost, per_event, per_play = policy.arms.terms_of(policy.arms.position(play.arm))
    return np.array([value * play.event - cost, *(per_event * play.event + per_play)])


def _estimate(
    policy: OnlinePolicy, outcomes: Sequence[Any], weights: Sequence[float], coverage: float
) -> Estimate:
    signs = np.array([1.0, *(one.sign for one in policy.goal.constraints)])
    found = np.array(outcomes).reshape(len(outcomes), len(signs)) * signs
    return Estimate.of(found, np.array(weights), coverage)


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
        entries = list(_csv_entries(path, arms) if path.suffix == ".csv" else _entries(path))
    except (OSError, ValueError) as error:
        raise UserError(f"{path} cannot be read: {error}") from None
    log = _parsed(entries, arms)
    if not log.plays:
        raise UserError(f"{path} has no decisions; needed: JSON lines of a decision log, or a CSV")
    live: dict[Name, bool] = {}
    for at, step in enumerate(log.steps if uniform else ()):
        if isinstance(step, Arm):
            live[step.name] = step.given is not None
        else:
            chance = 1.0 / (len(step.among or ()) or sum(live.values()))
            log.steps[at] = step._replace(propensity=chance)
    return log


def _parsed(entries: list[Any], arms: Mapping[Name, Given] | None) -> Log:
    log, ids, events = Log([Arm(*one) for one in (arms or {}).items()]), [], {}
    for entry in entries:
        try:
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
                log.steps += [Arm(name, given) for name, given in entry["arms"]]
        except (ValueError, KeyError, TypeError, AttributeError):
            log.unreadable += 1
    for at, id in ids:
        log.silent += id not in events
        log.steps[at] = log.steps[at]._replace(event=events.get(id, False))  # type: ignore[call-arg]
    return log


def _entries(path: Path) -> Iterator[Any]:
    for line in filter(None, path.read_text(encoding="utf-8", errors="replace").splitlines()):
        try:
            yield json.loads(line)
        except ValueError:
            yield None


def _csv_entries(path: Path, arms: Mapping[Name, Given] | None) -> Iterator[dict[str, Any]]:
    """A row per decision; without `arms`, further columns of numbers are the arms'."""
    with open(path, newline="", encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file))
    for column in ("arm", "event"):
        if rows and column not in rows[0]:
            raise UserError(f"{path} has no column {column}; needed: arm, event and propensity")
    names = {str(name): name for name in arms or ()}
    own: dict[str, dict[str, float]] = {}
    for row in rows:
        others = {key: row[key] for key in row if key not in ("arm", "event", "propensity")}
        own.setdefault(row["arm"], numbers_of(others))
    yield {"arms": list(own.items())}
    for id, row in enumerate(rows):
        held = numbers_of(row)
        arm = names.get(row["arm"], row["arm"])
        yield {"id": id, "arm": arm, "propensity": held.get("propensity")}
        if "event" in held:
            yield {"id": id, "event": held["event"] > 0.0}
