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
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np

from lincon.errors import UserError
from lincon.policies.online.arms import Given, Name
from lincon.policies.online.service import OnlinePolicy
from lincon.problem.goal import Goal

# Fewer effective rounds than this cannot tell; nor can weights whose mean is not about 1.
FEWEST = 100
COVERED = (0.8, 1.25)
HALF = 1.96


class Log(NamedTuple):
    """The lines of a log, as `OnlinePolicy.note` writes them: arms that come, change or are gone,
    and decisions. A decision also has its `event`, None where none was logged, and how many arms
    were `available`."""

    lines: list[dict[str, Any]]
    goal: Goal | None = None
    unreadable: int = 0

    @property
    def plays(self) -> list[dict[str, Any]]:
        return [line for line in self.lines if "arm" in line]


@dataclass(frozen=True)
class Estimate:
    """Averages per play of the reward and of each constraint's amount, with 95% intervals.

    `rounds` is the effective sample size, (sum w)^2 / sum w^2; `coverage` is about 1 where the log
    gave every arm that was wanted a chance.
    """

    mean: np.ndarray
    half: np.ndarray
    rounds: float
    coverage: float

    @classmethod
    def of(
        cls, goal: Goal, outcomes: Sequence[Any], weights: Sequence[float], coverage: float
    ) -> Self:
        signs = np.array([1.0, *(one.sign for one in goal.constraints)])
        found, w = np.reshape(outcomes, (-1, len(signs))) * signs, np.array(weights)
        total = max(w.sum(), 1e-300)
        mean = w @ found / total
        spread = np.sqrt((w**2) @ (found - mean) ** 2) / total
        rounds = total**2 / max((w**2).sum(), 1e-300)
        return cls(mean, HALF * spread, float(rounds), coverage)

    @property
    def doubt(self) -> str:
        """Why the log cannot tell; empty where it can."""
        if self.rounds < FEWEST:
            return f"it has {self.rounds:,.0f} effective rounds, of {FEWEST} needed"
        if COVERED[0] <= self.coverage <= COVERED[1]:
            return ""
        return f"some arms had no chance (weights average {self.coverage:.2g}, not 1)"


# --- the estimates


def logged(log: Log, policy: OnlinePolicy) -> Estimate:
    """What the log itself has earned."""
    outcomes = [_outcome(policy, play) for play in _rounds(log, policy)]
    return Estimate.of(policy.goal, outcomes, [1.0] * len(outcomes), 1.0)


def by_propensity(log: Log, policy: OnlinePolicy, resamples: int) -> Estimate:
    weights, outcomes, own = [], [], np.zeros(len(policy.bound))
    for play in _rounds(log, policy):
        chance = policy.probability(play["arm"], among=play.get("among"), resamples=resamples)
        weights.append(chance / play["propensity"])
        outcomes.append(_outcome(policy, play))
        policy.update(play["arm"], bool(play["event"]))
        own += weights[-1] * outcomes[-1][1:]
        if total := math.fsum(weights):
            policy.amounts = own * (policy.counted / total)
    return Estimate.of(policy.goal, outcomes, weights, float(np.mean(weights)))


def by_replay(log: Log, policy: OnlinePolicy, rng: np.random.Generator) -> Estimate:
    chances = [1.0 / (play["propensity"] * play["available"]) for play in log.plays]
    outcomes, most = [], max(chances)
    for play, chance in zip(_rounds(log, policy), chances, strict=True):
        kept = rng.random() < chance / most
        if kept and policy.would_choose(among=play.get("among")) == play["arm"]:
            outcomes.append(_outcome(policy, play))
            policy.update(play["arm"], bool(play["event"]))
    return Estimate.of(policy.goal, outcomes, [1.0] * len(outcomes), float(np.mean(chances)))


def _rounds(log: Log, policy: OnlinePolicy) -> Iterator[dict[str, Any]]:
    """Each logged decision, while the policy has the arms that there were."""
    for line in log.lines:
        for name, given in line.get("arms", ()):
            change = policy.change_arm if name in policy.arms else policy.add_arm
            change(name, given)
        if line.get("gone") in policy.arms:
            policy.remove_arm(line["gone"])
        if "arm" in line:
            yield line


def _outcome(policy: OnlinePolicy, play: Mapping[str, Any]) -> np.ndarray:
    """Reward, and amounts in their at_least form."""
    value, cost, per_event, per_play = policy.arms.terms_of(policy.arms.position(play["arm"]))
    event = bool(play["event"])
    return np.array([value * event - cost, *(per_event * event + per_play)])


# --- reading a log


def read_log(path: Path, arms: Mapping[Name, Given] | None, uniform: bool) -> Log:
    """A decision log (.jsonl), or a CSV with the columns arm, event and propensity.

    The arms are the log's own, unless they are given.
    """
    try:
        lines = _csv_lines(path, arms or {}) if path.suffix == ".csv" else _json_lines(path)
        return _log(lines, arms, uniform)
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise UserError(
            f"{path} cannot be read: {error}; needed: JSON lines of a decision log, or a CSV with "
            "the columns arm, event and propensity"
        ) from None


def _log(lines: list[Any], arms: Mapping[Name, Given] | None, uniform: bool) -> Log:
    known = [line for line in lines if isinstance(line, dict)]
    goals = [Goal.from_dict(line["goal"]) for line in known if "goal" in line]
    log = Log(known, goals[0] if goals else None, len(lines) - len(known))
    if arms is not None:
        known[:] = [{key: line[key] for key in line if key != "arms"} for line in known]
        known.insert(0, {"arms": list(arms.items())})
    # Of several workers' logs in one file, an event may stand above its decision.
    events = {line["id"]: line["event"] for line in known if "event" in line and "id" in line}
    live: set[Name] = set()
    for line in known:
        live |= dict(line.get("arms", ())).keys()
        live.discard(line.get("gone", ""))
        if "arm" in line:
            line.setdefault("event", events.get(line.get("id")))
            line["available"] = len(line.get("among") or live)
            if line["arm"] not in live:
                raise UserError(f"the log does not say what arm {line['arm']!r} pays; give --arms")
            if uniform:
                line["propensity"] = 1.0 / line["available"]
            if not 0.0 < (line["propensity"] or 0.0) <= 1.0:
                raise UserError(
                    "the log has decisions without a propensity in (0, 1]; log them with "
                    "decide(resamples=15), or say --uniform if every arm was equally likely"
                )
    if not log.plays:
        raise ValueError("it has no decisions")
    return log


def _json_lines(path: Path) -> list[Any]:
    """What each line says; None where it was cut short."""
    lines: list[Any] = []
    for text in filter(None, path.read_text(encoding="utf-8", errors="replace").splitlines()):
        try:
            lines.append(json.loads(text))
        except ValueError:
            lines.append(None)
    return lines


def _csv_lines(path: Path, arms: Mapping[Name, Given]) -> list[Any]:
    names = {str(name): name for name in arms}
    with open(path, newline="", encoding="utf-8-sig") as file:
        return [
            {
                "arm": names.get(row["arm"], row["arm"]),
                "event": float(row["event"]) > 0.0 if row["event"] else None,
                "propensity": float(row.get("propensity") or 0.0),
            }
            for row in csv.DictReader(file)
        ]
