"""The default engine: it does no work that cannot alter a decision."""

from __future__ import annotations

from lincon.estimators import BETA_SAMPLE
from lincon.lazy_sampling import Sampling, advance_sampling
from lincon.tally import Tally


class LazyEngine:
    """Plays one run from its first round on, a block of rounds at a time."""

    def __init__(self, estimator, selector, parameter, mean, value, eta, key, run, rng):
        self.tally: Tally = Tally.new(mean, value)
        shared = (mean, value, eta, key, run, rng, self.tally)
        self.state = Sampling.new(value)
        self._advance, self._arguments = advance_sampling, (selector, *shared, self.state)

    def advance(self, first: int, last: int) -> None:
        self._advance(first, last, *self._arguments)
