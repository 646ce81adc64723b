"""Decisions of a posterior state, lazy and dense, and whether they have one law."""

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
from lincon.engine.tally import Tally
from lincon.jit import kernel
from lincon.policies.control import Control
from lincon.policies.estimators import Beliefs, believe
from lincon.policies.registry import make_policy
from lincon.policies.selectors import Mixture, Points, draw, set_points, solve_mixture
from tests.unit.engine.twin import paper

SPECS = {
    "lp": {},
    "greedy": {"fallback": "greedy"},
    "argmax": {"target": "none"},
}


TS = make_policy("p", {"estimator": "beta_sample"})


def tally_of(program, plays, events):
    """A tally, since a type of the tests' own would be in the cache of kernels that jobs load."""
    return Tally.new(np.zeros(plays.size), program)._replace(plays=plays, events=events)


def control_of(asked, program, **more):
    """A policy with the target of a round."""
    policy = make_policy("p", {"estimator": "beta_sample", **SPECS[asked], **more})
    control = Control.new(policy, program, 1_000)
    control.target[:] = control.lowest if asked == "argmax" else program.e
    return control


@kernel
def select_densely(plays, events, program, control, rng, beliefs, points, mixture, picked, shares):
    for _ in range(picked[-1]):
        believe(control, plays, events, 1, shares, rng, beliefs)
        set_points(program, beliefs.upper, beliefs.lower, points)
        size, _ = solve_mixture(control, points, mixture)
        tell(mixture, size, rng.random(), picked, shares)


@kernel
def select_lazily(first, last, control, program, rng, state, mixture, picked, shares):
    """As an engine does, with the counts held; stops where it is time to tune."""
    for t in range(first, last + 1):
        if t >= state.schedule[NEXT_TUNING] or state.schedule[WASTE] > 500.0 + shares.size:
            return t
        size = sampled_decision(state, program, t, control, rng, mixture)
        tell(mixture, size, rng.random(), picked, shares)
    return last + 1


@kernel
def tell(mixture, size, uniform, picked, shares):
    """Count the arm, or one more cell for an infeasible round, and the mixture's shares."""
    if size < 1:
        picked[shares.size] += 1
        return
    picked[draw(mixture, size, shares.size, uniform)] += 1
    for k in range(size):
        shares[mixture.arm[k]] += mixture.share[k]


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


def selections(seed, rounds, asked="lp", **more):
    """(cells, shares) of the lazy and of the dense way, from one posterior state."""
    plays, events, value, eta = state_of(seed)
    program = paper(value, eta)
    return both_ways(seed, rounds, control_of(asked, program, **more), program, plays, events)


def both_ways(seed, rounds, control, program, plays, events):
    arms, found = plays.size, []
    for way in ("lazy", "dense"):
        rng, mixture = np.random.default_rng([seed, way == "lazy"]), Mixture.new(1)
        picked, shares = np.zeros(arms + 2, np.int64), np.zeros(arms)
        if way == "dense":
            picked[-1] = rounds
            beliefs, points = Beliefs.new(TS, program), Points.new(program)
            counts = plays, events, program, control, rng
            select_densely(*counts, beliefs, points, mixture, picked, shares)
        else:
            state, first, last = SamplingState.new(program), arms + 1, arms + rounds
            tally = tally_of(program, plays, events)
            for arm in range(arms):
                observe(state, arm, plays[arm], events[arm], control.prior)
            while first <= last:
                first = select_lazily(
                    first, last, control, program, rng, state, mixture, picked, shares
                )
                if first <= last:
                    tune(state, control, tally, first)
        found.append((picked[:-1], shares))
    return found


def p_value(first, second):
    """Chi-square of two samples; cells that are rare in both go together."""
    rare = first + second < 20
    table = np.array([np.append(cells[~rare], cells[rare].sum()) for cells in (first, second)])
    table = table[:, table.sum(axis=0) > 0]
    return stats.chi2_contingency(table, correction=False).pvalue if table.shape[1] > 1 else 1.0
