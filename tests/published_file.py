"""Runs in exactly the form in which the authors published theirs, played by the dense engine."""

import io

import numpy as np

from lincon.data.arms import Arms
from lincon.engine.simulate import Setting, simulate
from lincon.policies.registry import make_policy
from lincon.problem.solve import solve_problem

ESTIMATORS = {"lincon_ts": "beta_sample", "lincon_kl_ucb": "kl_ucb"}


def published_content(arms: Arms, eta: float, rounds: int, runs: int, seed: int = 1) -> dict:
    """What the authors' code would have saved."""
    problem = solve_problem(arms, eta)
    result = {"T": rounds, "N": runs, "constraint": eta}
    result["stationary_opt_reward"] = np.float64(problem.optimum)
    for name, estimator in ESTIMATORS.items():
        policy = make_policy(name, {"estimator": estimator, "selector": "lp"})
        events, values = np.zeros((runs, rounds)), np.zeros((runs, rounds))
        for run in range(runs):
            setting = Setting("made", eta, rounds, policy, run, seed, points=rounds, engine="dense")
            series = simulate(setting, arms, problem).series
            events[run] = np.diff(series["events"].to_numpy(), prepend=0)
            values[run] = np.diff(series["reward"].to_numpy(), prepend=0)
        # A difference of sums is off by rounding; what an event pays is one of the values.
        nearest = np.abs(values[..., None] - arms.value).argmin(axis=-1)
        result[f"{name}_reward_events"] = events
        result[f"{name}_reward_values"] = np.where(events > 0, arms.value[nearest], 0.0)
    return result


def saved_bytes(content: object) -> bytes:
    stream = io.BytesIO()
    np.save(stream, np.array(content, dtype=object))
    return stream.getvalue()
