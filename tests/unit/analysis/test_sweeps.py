"""A sweep: the results of its cells side by side, whatever its axes are called."""

import numpy as np
import pandas as pd
import pytest

from lincon.analysis.results import Results
from lincon.analysis.sweeps import Sweep
from lincon.data import arms
from lincon.problem.solve import solve_problem
from tests.unit.analysis.made_runs import runs_of

LOOKS = {"good": {"label": "Good"}, "bad": {"label": "Bad"}, "oracle": {"reference": True}}
RATES = {"good": (0.15, 0.5), "bad": (0.10, 0.5), "oracle": (0.175, 0.5)}
# A measure, and a column of a league, of its cells and of a problem.
TAKEN = ["mean", "metric", "joint", "group", "best", "optimum", "feasible"]


def cell(eta: float = 0.5, horizon: int = 100) -> Results:
    made = arms.make([0.4, 0.6, 0.5], [0.5, 0.25, 0.3], unit="EUR", scale=10.0)
    t, wobble = np.array([1, horizon]), np.linspace(-0.004, 0.004, 4)
    series = {n: runs_of(t, r + wobble, np.full(4, e), eta=eta) for n, (r, e) in RATES.items()}
    return Results.of_series(series, made, solve_problem(made, eta), looks=LOOKS)


def sweep(axes: dict[str, list[float]], cells: list[Results]) -> Sweep:
    names = {name: name for name in LOOKS}
    coordinates = pd.DataFrame(axes).to_dict("records")
    return Sweep([{"coordinates": at, "policies": names} for at in coordinates], cells, LOOKS)


def test_a_row_for_each_cell_and_policy_in_the_users_unit():
    made = sweep({"eta": [0.4, 0.5]}, [cell(0.4), cell(0.5)])
    assert made.states["optimum"].tolist() == pytest.approx([0.2, 0.175])
    assert made.best["policy"].tolist() == ["good", "good"], "a reference is never the best"
    table = made.table().set_index(["eta", "policy"])
    assert len(table) == 6 and set(table["unit"]) == {"EUR"}
    # 0.025 of 100 rounds at a scale of 10.
    assert table.loc[(0.5, "good"), "regret"] == pytest.approx(25.0)
    assert made.rows("regret").set_index(["eta", "policy"]).loc[(0.5, "good"), "mean"] == 2.5


@pytest.mark.parametrize("name", ["horizon", "arms", "rates.high", *TAKEN])
def test_any_key_can_be_an_axis_alone_or_with_another(name):
    cells = [cell(horizon=100), cell(horizon=200)]
    for axes in ({name: [100.0, 200.0]}, {name: [100.0, 200.0], "eta": [0.5, 0.5]}):
        made = sweep(axes, cells)
        for frame in (made.values, made.states, made.leagues, made.table()):
            assert frame.columns.is_unique
            assert list(pd.unique(frame[made.axes[0]])) == [100.0, 200.0]
