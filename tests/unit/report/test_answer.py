"""The answer: feasibility first, its price beside it, and when that is good news."""

import numpy as np
import pytest

from lincon.analysis.results import Results
from lincon.problem.solve import solve_problem
from lincon.report.answer import BAD, GOOD, WARNING, answer_of
from tests.unit.analysis.made_runs import runs_of, small

# On the small problem the optimum is 0.175 per round; its best single arm that keeps earns 0.15.
CHEAP, DEAR, POOR = (0.163, 0.5), (0.160, 0.5), (0.14, 0.5)  # J = 12, 15 and 35 at T = 1,000
SHORT = (0.174, 0.46)  # J = 1 + 40 * 0.25 = 11
OTHER_END, ARM = "Policy 1 reaches 46%", "The best single arm"


@pytest.mark.parametrize(
    ("rates", "eta", "tone", "named"),
    [
        ([CHEAP, SHORT], 0.5, GOOD, []),
        # More than 1.25 times the lowest joint regret: both ends of the trade.
        ([DEAR, SHORT], 0.5, WARNING, [OTHER_END, ARM]),
        ([DEAR], 0.5, GOOD, []),
        # The lowest joint regret, but no better than one arm.
        ([POOR], 0.5, WARNING, [ARM]),
        ([SHORT, SHORT], 0.5, WARNING, []),
        ([CHEAP], 0.9, BAD, []),
    ],
)
def test_feasibility_comes_first_and_its_price_beside_it(rates, eta, tone, named):
    looks = {f"p{k}": {"label": f"Policy {k}"} for k in range(len(rates))}
    wobble = np.linspace(-0.001, 0.001, 4)
    series = {
        policy: runs_of(np.array([1, 1_000]), reward + wobble, np.full(4, events), eta=eta)
        for policy, (reward, events) in zip(looks, rates, strict=True)
    }
    answer = answer_of(Results.of_series(series, small(), solve_problem(small(), eta), looks=looks))
    text = " ".join(answer.lines)
    assert answer.tone == tone
    assert [each for each in (OTHER_END, ARM) if each in text] == named
    keeps = tone != BAD and rates[0] != SHORT
    assert text.startswith("Policy 0 keeps the floor of 50% in 4/4 runs") == keeps
