"""The world around the arms: feedback that comes late or never, and means that drift.

    delay   what round t gave is known after round t + d, d = rounds + a geometric law of a given
            mean; with probability `lost` it never is. With a `timeout`, what is not known after so
            many rounds is reported as no event, and what comes later is ignored.
    drift   logit(mean) moves by a normal step of standard deviation `walk` in every round after the
            first, and of `size` in round `at`.

All of it is keyed draws, so that every policy of a run meets the same world. A policy believes what
it was told: `seen` counts a play when its feedback arrives. Without delay and drift nothing of this
is looked at, and the dense engine's numbers are what they are without it.
"""

import json
import math
from typing import NamedTuple, Self

import numpy as np

from lincon.engine.game import Game
from lincon.engine.randomness import luck, luck_key
from lincon.engine.tally import AMOUNT, Tally, add
from lincon.jit import entry, lean
from lincon.policies.control import Control, ask, remember_event
from lincon.policies.registry import make_policy
from lincon.policies.selectors import Mixture, Points, select

NEVER = 1 << 62


class World(NamedTuple):
    """`start`: the means of the first round; `shift`: how far each has moved, as a logit.

    Feedback that is due after the same round is a list: `first` and `last` of a round, `following`
    of each; `arm` and `event` are what it says, `told` of how many rounds the policy knows. `seen`
    is what it was told so far; `warm`: counts of before the first round are among it.
    """

    late: bool
    warm: bool
    drifts: bool
    rounds: int
    geometric: float  # log(1 - p)
    lost: float
    timeout: int
    at: int
    size: float
    walk: float
    delay_key: np.ndarray
    drift_key: np.ndarray
    start: np.ndarray
    shift: np.ndarray
    first: np.ndarray
    last: np.ndarray
    following: np.ndarray
    arm: np.ndarray
    event: np.ndarray
    told: np.ndarray
    seen: Tally

    @classmethod
    def new(cls, game: Game, tally: Tally) -> Self:
        delay, drift = described(game.world)
        mean, late = delay.get("mean", 0.0), bool(delay)
        queue = np.zeros((3, game.horizon + 1 if late else 0), np.int64)
        seen = game.tally() if late else tally
        if game.history is not None:  # its counts are known, its amounts are not the run's
            events, plays = game.history.astype(np.int64)
            seen = seen._replace(plays=plays, events=events)
        return cls(
            late=late,
            warm=game.history is not None,
            drifts=bool(drift),
            rounds=int(delay.get("rounds", 0)),
            geometric=math.log(mean / (1.0 + mean)) if mean > 0.0 else -math.inf,
            lost=float(delay.get("lost", 0.0)),
            timeout=int(delay.get("timeout", NEVER)),
            at=int(drift.get("at", 0)),
            size=float(drift.get("size", 0.0)),
            walk=float(drift.get("walk", 0.0)),
            delay_key=luck_key(game.seed, f"{game.dataset}: delay"),
            drift_key=luck_key(game.seed, f"{game.dataset}: drift"),
            start=game.mean.copy(),
            shift=np.zeros(game.mean.size),
            first=queue[0],
            last=queue[1],
            following=queue[2],
            arm=np.zeros(queue.shape[1], np.int32),
            event=np.zeros(queue.shape[1], np.bool_),
            told=np.zeros(1, np.int64),
            seen=seen,
        )


def described(world: str) -> tuple[dict[str, float], dict[str, float]]:
    """(delay, drift) of the text that arms carry; empty where there is none."""
    given = json.loads(world or "{}")
    return given.get("delay", {}), given.get("drift", {})


# --- drift


@lean
def normal(key, run, t, arm):
    """A standard normal by Box and Muller, keyed as events are."""
    radius = math.sqrt(-2.0 * math.log(1.0 - luck(key, run, t, 2 * arm)))
    return radius * math.cos(2.0 * math.pi * luck(key, run, t, 2 * arm + 1))


@lean
def drift(world, run, t, mean):
    """Bring the means to round t; whether they have moved."""
    spread = math.hypot(world.walk, world.size) if t == world.at else world.walk
    if t == 1 or spread == 0.0:
        return False
    for i in range(mean.size):
        world.shift[i] += spread * normal(world.drift_key, run, t, i)
        start = world.start[i]
        mean[i] = start / (start + (1.0 - start) * math.exp(-world.shift[i]))
    return True


@lean
def expect_uniform(tally, program, mean):
    """What a uniform round is expected to give, after the means have moved."""
    tally.uniform[:] = 0.0
    for i in range(mean.size):
        tally.uniform[0] += (mean[i] * program.value[i] - program.cost[i]) / mean.size
        tally.uniform[1] += mean[i] / mean.size
        for j in range(program.e.size):
            amount = program.a[j, i] * mean[i] + program.b[j, i]
            tally.uniform[2 + j] += amount / mean.size


@entry
def drift_round(world, run, t, mean, program, tally):
    if drift(world, run, t, mean):
        expect_uniform(tally, program, mean)


@entry
def sum_optima(mean, program, run, world, control, points, mixture, sums):
    """sums[t - 1]: what the optimal mixtures of the means of rounds 1..t earn in expectation."""
    best, total = 0.0, 0.0
    for t in range(1, sums.size + 1):
        if drift(world, run, t, mean) or t == 1:
            ask(control, control.bound, t)
            points.upper[:] = mean
            size, best = select(control, program, mean, mean, points, mixture), 0.0
            for k in range(size):
                best += mixture.share[k] * mixture.gain[k]
        total += best
        sums[t - 1] = total


def cumulative_optimum(game: Game) -> np.ndarray | None:
    """The sum of each round's optimum, where means drift; otherwise it is t times the first.

    In a round in which no mixture is feasible it is what the arm closest to the constraints earns.
    """
    if not described(game.world)[1]:
        return None
    oracle = {"estimator": "truth", "selector": "lp", "fallback": "greedy"}
    (m, arms), sums = game.program.a.shape, np.zeros(game.horizon)
    control = Control.new(make_policy("oracle", oracle), game.program, game.horizon)
    points, mixture = Points.new(arms, m, False), Mixture.new(m)
    world, mean = World.new(game, game.tally()), game.mean.copy()
    sum_optima(mean, game.program, game.run, world, control, points, mixture, sums)
    return sums


# --- delay


@lean
def arrival(world, run, t, arm):
    """(the round after which the feedback of round t is known, whether it tells what happened)."""
    uniform, wait = luck(world.delay_key, run, t, arm), NEVER
    if uniform >= world.lost:
        uniform = (uniform - world.lost) / (1.0 - world.lost)
        wait = world.rounds + int(math.log1p(-uniform) / world.geometric)
    if wait > world.timeout:
        return t + world.timeout, False
    return t + wait, True


@entry
def arrival_of(world, run, t, arm):
    return arrival(world, run, t, arm)


@lean
def send(world, run, t, arm, event):
    """Put the feedback of round t on its way; what would arrive after the last round is lost."""
    due, true = arrival(world, run, t, arm)
    if due >= world.first.size:
        return
    world.arm[t], world.event[t] = arm, event and true
    if world.first[due] == 0:
        world.first[due] = t
    else:
        world.following[world.last[due]] = t
    world.last[due] = t


@lean
def receive(world, program, control, t):
    """Tell the policy what is due after round t, oldest first."""
    seen, s = world.seen, world.first[t]
    while s > 0:
        arm, event = world.arm[s], world.event[s]
        world.told[0] += 1
        seen.plays[arm] += 1
        seen.events[arm] += event
        for j in range(program.e.size):
            amount = program.a[j, arm] * event + program.b[j, arm]
            add(seen.amounts[AMOUNT], seen.lost_amounts[AMOUNT], j, amount)
        remember_event(control, program, s, arm, event)
        s = world.following[s]
