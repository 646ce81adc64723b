"""The default engine: it does no work that cannot change a decision.

Posterior sampling is exact in law (lincon.engine.lazy.thompson); index policies take the dense
engine's decisions bit for bit (lincon.engine.lazy.index). With known means the LP is solved again
only when its target moves.
"""

import math

from lincon.engine.inputs import RunInputs
from lincon.engine.lazy.decision_line import (
    Working,
    choose,
    include,
    put_alone,
    put_places,
)
from lincon.engine.lazy.index.decision import IndexState, advance_index
from lincon.engine.lazy.thompson.decision import SamplingState, advance_sampling, tune
from lincon.engine.tally import AMOUNT, Tally, count
from lincon.jit import borrowed, entry, lean
from lincon.policies.control import Control, set_targets
from lincon.policies.parts import Estimator
from lincon.policies.selectors import Mixture, draw, missed_target, steer


@lean
def known_rounds(first, last, mean, program, key, run, rng, tally, control, mixture, working):
    """Play rounds first..last with known means, as `advance_dense` does to the last bit."""
    arms = mean.size
    low, high, share, solved = -1, -1, 0.0, math.nan
    for t in range(first, last + 1):
        infeasible = False
        if t <= arms:
            arm, size = t - 1, put_alone(mixture, t - 1)
            include(working, arm, arm, mean[arm], program)
        else:
            set_targets(control, tally.amounts[AMOUNT], t)
            if control.target[0] != solved:
                low, high, share = choose(control, working, arms)
                solved = control.target[0]
            size = put_places(mixture, working, low, high, share)
            infeasible = missed_target(control, mixture, size)
            size = steer(control, mixture, size)
            arm = draw(mixture, size, arms, rng.random())
        count(tally, t, arm, mixture, size, infeasible, mean, program, key, run)


@entry
def advance_known(first, last, mean, program, key, run, rng, tally, control, mixture, working):
    play = borrowed((mean, program, key, run, rng, tally, control, mixture, working))
    known_rounds(first, last, *play)
    return last + 1


class LazyEngine:
    """Plays one run from its first round on, a block of rounds at a time."""

    def __init__(self, inputs: RunInputs):
        program, mean, rng = inputs.program, inputs.mean, inputs.rng
        self.tally: Tally = inputs.tally()
        self.control = Control.new(inputs.policy, program, inputs.horizon)
        arguments = (mean, program, inputs.key, inputs.run, rng, self.tally, self.control)
        estimator = self.control.estimator
        if estimator == Estimator.TRUTH:
            self.kernel, self.state = advance_known, Working.new(mean.size)
        elif estimator == Estimator.BETA_SAMPLE:
            self.kernel, self.state = advance_sampling, SamplingState.new(program)
        else:
            self.kernel, self.state = advance_index, IndexState.new(program)
        self._arguments = (*arguments, Mixture.new(1), self.state)

    def advance(self, first: int, last: int) -> None:
        while first <= last:
            first = self.kernel(first, last, *self._arguments)
            if first <= last:  # only sampling stops on the way
                tune(self.state, self.control, self.tally, first)
