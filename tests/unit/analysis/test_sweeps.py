"""Sweeps: the leagues of the points, with coordinates in columns, whatever is swept."""

import numpy as np
import pytest

from lincon.analysis.measures import curves, outcomes
from lincon.analysis.sweeps import Sweep
from lincon.errors import UserError
from lincon.files import write_frame, write_text
from lincon.problem.solve import solve_problem
from tests.unit.analysis.made_runs import runs_of, small

SPREAD = np.linspace(-0.001, 0.001, 4)
LOOKS = {"bold": {"label": "Bold"}, "safe": {}, "oracle": {"reference": True}}


def point(folder, eta: float, horizon: int, /, **coordinates: float) -> dict:
    """Files of a point: `bold` meets 0.5 and no more, `safe` 0.6 at less reward."""
    place, table = folder / f"{eta}-{horizon}", small()
    problem, t = solve_problem(table, eta), np.array([1, horizon])
    rates = {"bold": (0.16, 0.5), "safe": (0.12, 0.6), "oracle": (0.175, 0.5)}
    series = {
        f"{name}@{eta}": runs_of(t, reward + SPREAD, np.full(4, events), eta=eta)
        for name, (reward, events) in rates.items()
    }
    files = {name: place / f"{name}.parquet" for name in ("outcomes", "curves")}
    known = {"constraints": problem.goal.text, "code": "c0de", "unit": "EUR", "scale": "10.0"}
    write_frame(files["outcomes"], outcomes(series, table, problem), known)
    write_frame(files["curves"], curves(series, table, problem), known)
    write_text(place / "problem.json", problem.to_json())
    policies = {policy: policy.partition("@")[0] for policy in series}
    return files | {
        "problem": place / "problem.json",
        "coordinates": coordinates,
        "policies": policies,
    }


def sweep_of(points: list[dict]) -> Sweep:
    axes = list(points[0]["coordinates"])
    return Sweep.read(points, name="s", title="A sweep", axes=axes, looks=LOOKS)


def test_the_best_of_every_point_keeps_the_constraint_there(tmp_path):
    swept = sweep_of([point(tmp_path, eta, 1_000, eta=eta) for eta in (0.45, 0.55, 0.9)])
    assert swept.best[["eta", "policy", "kept_runs"]].to_numpy().tolist() == [
        [0.45, "bold", 4],
        [0.55, "safe", 4],
    ], "nothing is feasible at 0.9"
    assert swept.points["policy"].nunique() == 2 and swept.leagues["policy"].nunique() == 3
    assert swept.states["feasible"].tolist() == [True, True, False]
    assert (swept.runs, swept.rounds, swept.unit, swept.code) == (4, 1_000, "EUR", "c0de")
    table = swept.table().set_index(["eta", "policy"])
    assert len(table) == 9
    assert table.loc[(0.45, "safe"), "reward"] == pytest.approx(1_200.0), "in the user's unit"
    assert table.loc[(0.45, "bold"), "label"] == "Bold" and table.loc[(0.45, "safe"), "price_0"] > 0


@pytest.mark.parametrize("axis", ["eta", "horizon", "reward", "policy", "lincon_ts.prior"])
def test_any_key_can_be_swept(tmp_path, axis):
    """One whose name a column of the tables already has, too."""
    swept = sweep_of([point(tmp_path, 0.5, T, **{axis: T}) for T in (100, 1_000)])
    (name,) = swept.axes
    assert swept.states[name].tolist() == [100, 1_000]
    table = swept.table()
    assert table.columns.is_unique and sorted(set(table[name])) == [100, 1_000]
    assert table["horizon"].tolist() == [100] * 3 + [1_000] * 3
    rows = swept.rows("regret")
    assert rows.columns.is_unique and set(rows[name]) == {100, 1_000}


def test_two_axes(tmp_path):
    grid = [(eta, T) for eta in (0.45, 0.55) for T in (100, 1_000)]
    swept = sweep_of([point(tmp_path, eta, T, eta=eta, horizon=T) for eta, T in grid])
    assert swept.best[["eta", "horizon"]].to_numpy().tolist() == [list(cell) for cell in grid]


def test_files_of_another_point_are_refused(tmp_path):
    one, other = (point(tmp_path, eta, 100, eta=eta) for eta in (0.45, 0.55))
    with pytest.raises(UserError, match=r"is of the constraints eta_0\.45, but its problem"):
        sweep_of([one | {"problem": other["problem"]}])
