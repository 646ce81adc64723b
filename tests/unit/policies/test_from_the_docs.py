"""Both ledgers written anew from docs/policies.md alone, for one floor: the engine's law.

Nothing here comes from the code. A number that the page gives is a default of its function.
"""

import numpy as np
import pytest
from scipy.optimize import brentq, minimize
from scipy.special import betainc, betaln
from scipy.stats import ks_2samp

import lincon

MEAN, VALUE = np.array([0.15, 0.35, 0.5, 0.62, 0.8]), np.array([1.0, 0.9, 0.55, 0.5, 0.2])
ETA, T, N = 0.55, 200, len(MEAN)


def optimum(theta: np.ndarray, target: float) -> dict[int, float]:
    """LP(theta): the best arm or pair of arms whose mixture has the target; empty if infeasible."""
    best, mixture = -np.inf, {}
    for i in range(N):
        if theta[i] >= target and VALUE[i] * theta[i] > best:
            best, mixture = VALUE[i] * theta[i], {i: 1.0}
        for j in np.flatnonzero(theta < target) if theta[i] > target else ():
            x = (target - theta[j]) / (theta[i] - theta[j])
            reward = x * VALUE[i] * theta[i] + (1.0 - x) * VALUE[j] * theta[j]
            if reward > best:
                best, mixture = reward, {i: x, int(j): 1.0 - x}
    return mixture


def learned_prior(s: np.ndarray, n: np.ndarray, spread: float) -> np.ndarray:
    """The Beta prior that maximises the penalised likelihood of the counts."""
    s, n = s[n > 0], n[n > 0]

    def loss(logs: np.ndarray) -> float:
        a, b = np.exp(logs)
        return np.sum(logs**2) / (2.0 * spread**2) - np.sum(betaln(a + s, b + n - s) - betaln(a, b))

    return np.exp(minimize(loss, np.zeros(2), method="Nelder-Mead", tol=1e-7).x)


def gittins(t: int, a: np.ndarray, b: np.ndarray, reach: float = 0.3) -> np.ndarray:
    """The root of q - E theta = (H - 1) E(theta - q)^+ for every arm."""
    horizon = max(1.0, 1.02 ** np.floor(np.log(reach * (T - t + 1)) / np.log(1.02)))
    mean = a / (a + b)

    def above(q: float, i: int) -> float:
        gain = mean[i] * (1.0 - betainc(a[i] + 1.0, b[i], q))
        return q - mean[i] - (horizon - 1.0) * (gain - q * (1.0 - betainc(a[i], b[i], q)))

    return np.array([brentq(above, mean[i], 1.0, (i,)) for i in range(N)])


def play(
    kind: str, run: int, ramp: float, spread: float, reserve: float, allowance: float
) -> tuple[float, float, float]:
    """Reward, events and plays of the fourth arm after T rounds."""
    rng, n, s = np.random.default_rng(1000 + run), np.zeros(N), np.zeros(N)
    prior, c, fitted = np.ones(2), 1.0, 0
    forced, first = (0, 20) if kind == "gittins_ledger" else (N, N + 1)
    for t in range(1, T + 1):
        if (not fitted and t == first) or (fitted and t >= 1.3 * fitted):
            prior, c, fitted = learned_prior(s, n, spread), t / (t + ramp * N**2), t
        if t <= forced:
            arm = t - 1
        else:
            a, b = prior[0] + s / c, prior[1] + (n - s) / c
            if kind == "ts_ledger":
                theta, target = rng.beta(a, b), ETA
            else:
                left = (ETA * T - s.sum()) / (T - t + 1)
                theta, target = gittins(t, a, b), min(max(left, 0.0), 1.0)
            mixture = optimum(theta, target)
            behind = allowance * np.sqrt(ETA * (1.0 - ETA) * t) * (1.0 - t / T)
            owed = ETA * t + reserve * np.log(t) - behind - s.sum()
            if not mixture:
                arm = int(np.argmax(theta))
            elif owed > 0.0:
                arm = max(mixture, key=lambda i: theta[i])
            else:
                arm = max(mixture, key=lambda i: VALUE[i] * theta[i])
        n[arm] += 1
        s[arm] += rng.random() < MEAN[arm]
    return float(VALUE @ s), float(s.sum()), float(n[3])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("policy", "numbers"),
    [("ts_ledger", (3.0, 2.0, 1.0, 0.0)), ("gittins_ledger", (0.5, 1.0, 0.5, 4.0))],
)
def test_the_page_suffices_to_reimplement(policy, numbers):
    ours = np.array([play(policy, run, *numbers) for run in range(80)])
    arms = lincon.Arms.from_arrays(MEAN, VALUE)
    played = lincon.simulate(arms, policy, floor=ETA, horizon=T, runs=400, points=2, processes=1)
    last = played.series[played.series["t"] == T]
    fourth = played.plays[played.plays["arm"] == 3]["plays"]
    for k, theirs in enumerate((last["reward"], last["events"], fourth)):
        assert ks_2samp(ours[:, k], theirs).pvalue > 1e-3
