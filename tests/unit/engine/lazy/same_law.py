"""Decisions of a posterior state, lazy and dense, and whether they have one law."""

from __future__ import annotations

import numpy as np
from scipy import stats

from lincon.engine.lazy.thompson.decision import (
    NEXT_TUNING,
    WASTE,
    SamplingState,
    observe,
    sampled_decision,
    tune,
)
from lincon.jit import kernel, lean
from lincon.policies.estimators import BETA_SAMPLE, believe
from lincon.policies.selectors import ARGMAX, LP, PRIMAL_DUAL, QUEUE, Demand, draw, select

# What is asked for besides eta, by name.
DEMANDS = {
    "lp": lambda eta: Demand(LP, eta, False, 0.0, 0.0, 1.0),
    "paced": lambda eta: Demand(LP, eta, True, 0.0, 0.0, 1.0),
    "argmax": lambda eta: Demand(ARGMAX, eta, False, 0.0, 0.0, 1.0),
    "queue": lambda eta: Demand(QUEUE, eta, False, 0.3, 0.0, 1.0),
    "primal_dual": lambda eta: Demand(PRIMAL_DUAL, eta, False, 0.0, 0.4, 0.6 * (1.0 - eta)),
}


@kernel
def select_densely(plays, events, value, demand, rng, theta, picked, shares):
    for _ in range(picked[-1]):
        believe(BETA_SAMPLE, 0.0, plays, events, 1, value, rng, theta)
        low, high, share = select(demand, theta, value, theta * value)
        tell(low, high, share, rng.random(), picked, shares)


@lean
def select_lazily(first, last, demand, rng, state, picked, shares):
    """As an engine does, with the counts held; stops where it is time to tune."""
    for t in range(first, last + 1):
        if t >= state.schedule[NEXT_TUNING] or state.schedule[WASTE] > 500.0 + shares.size:
            return t
        low, high, share, _ = sampled_decision(state, t, demand, rng)
        tell(low, high, share, rng.random(), picked, shares)
    return last + 1


@lean
def tell(low, high, share, uniform, picked, shares):
    """Count the arm, or one more cell for an infeasible round, and the mixture's shares."""
    if low < 0:
        picked[shares.size] += 1
        return
    picked[draw(low, high, share, shares.size, uniform)] += 1
    shares[low] += share
    shares[high] += 1.0 - share


def state_of(seed):
    """(plays, events, value, eta): fresh, half-learned, converged, hopeless; binding or not."""
    rng = np.random.default_rng(seed)
    arms = int(rng.choice([2, 3, 5, 20, 100, 400], p=[0.2, 0.1, 0.2, 0.25, 0.15, 0.1]))
    mean = rng.beta(*rng.choice([(1, 1), (1, 6), (4, 4)]), arms)
    value = rng.random(arms) if rng.random() < 0.8 else np.round(rng.random(arms) * 4) / 4
    learned = rng.choice(["fresh", "half", "converged", "zero", "mixed"])
    plays = np.ones(arms, np.int64)
    if learned in ("half", "zero"):
        plays = rng.integers(1, 40, arms)
    elif learned in ("converged", "mixed"):
        best = np.argsort(mean * (value + rng.random()))[::-1][: max(arms // 5, 2)]
        plays = rng.integers(5, 200, arms)
        plays[best] = rng.integers(1_000, 100_000, best.size)
        if learned == "mixed":
            plays[rng.random(arms) < 0.3] = 1
    events = rng.binomial(plays, 0.0 if learned == "zero" else mean)
    theta = (1.0 + events) / (2.0 + plays)
    eta = float(rng.choice([0.0, 0.5, 0.9, 1.0, 1.1]) * min(theta.max(), 0.9))
    return plays, events, value, eta


def selections(seed, rounds, asked="lp"):
    """(cells, shares) of the lazy and of the dense way, from one posterior state."""
    plays, events, value, eta = state_of(seed)
    found, demand = [], DEMANDS[asked](eta)
    for way in ("lazy", "dense"):
        rng = np.random.default_rng([seed, way == "lazy"])
        picked, shares = np.zeros(value.size + 2, np.int64), np.zeros(value.size)
        if way == "dense":
            picked[-1] = rounds
            theta = np.empty(value.size)
            select_densely(plays, events, value, demand, rng, theta, picked, shares)
        else:
            state, first = SamplingState.new(value), value.size + 1
            last = value.size + rounds
            for arm in range(value.size):
                observe(state, arm, plays[arm], events[arm])
            while first <= last:
                first = select_lazily(first, last, demand, rng, state, picked, shares)
                if first <= last:
                    tune(state, first)
        found.append((picked[:-1], shares))
    return found


def p_value(first, second):
    """Chi-square of two samples; cells that are rare in both go together."""
    rare = first + second < 20
    table = np.array([np.append(cells[~rare], cells[rare].sum()) for cells in (first, second)])
    table = table[:, table.sum(axis=0) > 0]
    return stats.chi2_contingency(table, correction=False).pvalue if table.shape[1] > 1 else 1.0
