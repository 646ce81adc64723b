"""Feedback: what a policy learns of its plays, at once, late or never.

With delay, what round t gave is known after round t + d, d = rounds + a geometric law of a given
mean; with probability `lost` it never is. With a `timeout`, what is not known after so many rounds
is reported as no event, and what comes later is ignored. All draws are keyed, so that feedback is
as late for every policy of a run.
"""

import json
import math
from typing import NamedTuple, Self

import numpy as np

from lincon.engine.inputs import RunInputs
from lincon.engine.randomness import luck, luck_key
from lincon.jit import entry, lean

NEVER = 1 << 62


class Feedback(NamedTuple):
    """The counts that a policy knows.

    plays, events int[N] include those of a warm start; amounts float[m] and rounds int[1] are of
    the run's own rounds.
    """

    plays: np.ndarray
    events: np.ndarray
    amounts: np.ndarray
    rounds: np.ndarray

    @classmethod
    def new(cls, inputs: RunInputs) -> Self:
        constraints, arms = inputs.program.a.shape
        history = np.zeros((2, arms)) if inputs.history is None else inputs.history
        events, plays = history.astype(np.int64)
        return cls(plays, events, amounts=np.zeros(constraints), rounds=np.zeros(1, np.int64))


class Delay(NamedTuple):
    """How late feedback is, and what is on its way.

    `geometric` is log(1 - p). Feedback that is due after the same round is a list, int[T + 1] each:
    `first` and `last` of a round, `following` of each; `arm` and `event` are what it says.
    """

    late: bool
    rounds: int
    geometric: float
    lost: float
    timeout: int
    key: np.ndarray
    first: np.ndarray
    last: np.ndarray
    following: np.ndarray
    arm: np.ndarray
    event: np.ndarray

    @classmethod
    def new(cls, inputs: RunInputs) -> Self:
        delay = json.loads(inputs.surroundings or "{}").get("delay", {})
        mean, length = delay.get("mean", 0.0), inputs.horizon + 1 if delay else 0
        first, last, following = np.zeros((3, length), np.int64)
        return cls(
            late=bool(delay),
            rounds=int(delay.get("rounds", 0)),
            geometric=math.log(mean / (1.0 + mean)) if mean > 0.0 else -math.inf,
            lost=float(delay.get("lost", 0.0)),
            timeout=int(delay.get("timeout", NEVER)),
            key=luck_key(inputs.seed, f"{inputs.dataset}: delay"),
            first=first,
            last=last,
            following=following,
            arm=np.zeros(length, np.int32),
            event=np.zeros(length, np.bool_),
        )


@lean
def observe(feedback, program, arm, event):
    """Count a play of which the policy learns."""
    feedback.rounds[0] += 1
    feedback.plays[arm] += 1
    feedback.events[arm] += event
    for j in range(program.e.size):
        feedback.amounts[j] += program.a[j, arm] * event + program.b[j, arm]


@lean
def update(feedback, delay, program, run, t, arm, event):
    """Let the policy learn what is known after round t, in which `arm` was played."""
    if not delay.late:
        observe(feedback, program, arm, event)
        return
    send(delay, run, t, arm, event)
    s = delay.first[t]
    while s > 0:  # oldest first
        observe(feedback, program, delay.arm[s], delay.event[s])
        s = delay.following[s]


@lean
def send(delay, run, t, arm, event):
    """Put the feedback of round t on its way; what would arrive after the last round is lost."""
    due, true = arrival(delay, run, t, arm)
    if due >= delay.first.size:
        return
    delay.arm[t], delay.event[t] = arm, event and true
    if delay.first[due] == 0:
        delay.first[due] = t
    else:
        delay.following[delay.last[due]] = t
    delay.last[due] = t


@entry
def arrival(delay, run, t, arm):
    """(the round after which the feedback of round t is known, whether it tells what happened)."""
    uniform, wait = luck(delay.key, run, t, arm), NEVER
    if uniform >= delay.lost:
        uniform = (uniform - delay.lost) / (1.0 - delay.lost)
        wait = delay.rounds + int(math.log1p(-uniform) / delay.geometric)
    if wait > delay.timeout:
        return t + delay.timeout, False
    return t + wait, True
