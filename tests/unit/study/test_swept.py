"""Every key that can be swept: planned, read from the files of its cells, drawn."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

from lincon.analysis.measures import measured
from lincon.analysis.sweeps import read
from lincon.data import arms, kinds
from lincon.data.raw import file_sha256
from lincon.files import write_frame, write_text
from lincon.report.figures import draw
from lincon.report.tables import write_tables
from lincon.study.config import validate
from lincon.study.plan import plan
from tests.real_data import CONFIG
from tests.unit.analysis.made_runs import runs_of, small, small_problem
from tests.workflow.bench import SMALL, changed

DRIFT = {"drift": {"at": 5, "size": 1}}
RADIO = SMALL["datasets"]["radio"] | DRIFT
BASE = changed(CONFIG, SMALL | {"datasets": {"radio": RADIO}})
# Two values of every number of a dataset.
PAIRS = """
delay.rounds 2 3, delay.mean 0 5, delay.lost .1 .2, delay.timeout 2 3, drift.at 2 3, drift.size 1 2,
drift.walk 0 1, snr 5 10, rates.low .5 1, rates.high 5 6, rates.count 6 8
"""
VALUES = {key: [float(low), float(high)] for key, low, high in map(str.split, PAIRS.split(","))}
BOUNDS = [{"name": name, "per_event": 1, "at_least": [0.5, 0.6]} for name in ("clicks", "regret")]
PLAIN: dict[str, Any] = {"dataset": "radio", "eta": 0.5, "horizon": 300}
EXPERIMENTS = {
    "eta": {"eta": [0.5, 0.6]},
    "horizon": {"horizon": [300, 400]},
    "horizon and eta": {"horizon": [300, 400], "eta": [0.5, 0.6]},
    "a parameter": {"parameters": {"lincon_kl_ucb": {"c": [0, 1]}}},
    "two bounds": {"constraints": BOUNDS},
    **{key: {key: VALUES.get(key)} for key in kinds.all_swept()},
}


SMALL_FLOOR = small_problem().goal.text


def write_cell(cell: dict[str, Any], folder: Path) -> dict[str, Path]:
    """The files of a cell, of runs that are made up."""
    rounds, rates = np.array([1, cell["horizon"]]), np.array([0.15, 0.16])
    series = {policy: runs_of(rounds, rates, rates + 0.3) for policy in cell["policies"]}
    files = {name: folder / name for name in ("outcomes", "curves", "problems", "arms")}
    write_text(files["problems"], small_problem().to_json())
    arms.write(small(), files["arms"])
    known = {"dataset": "small", "constraints": SMALL_FLOOR, "horizon": str(cell["horizon"])}
    known["arms_sha256"] = file_sha256(files["arms"])
    ended, means = measured(series, small(), small_problem())
    write_frame(files["outcomes"], ended, known)
    write_frame(files["curves"], means, known)
    return files


@pytest.mark.slow
@pytest.mark.parametrize("name", EXPERIMENTS)
def test_any_key_is_planned_read_and_drawn(name, tmp_path, monkeypatch):
    swept = EXPERIMENTS[name]
    entry = PLAIN | {"policies": ["lincon_ts", "lincon_kl_ucb"]} | swept
    if "constraints" in swept:
        del entry["eta"]
    result = plan(validate(BASE | {"only": ["it"], "experiments": {"it": entry}}))
    spec = result.experiment("it")
    files = []
    for number, cell in enumerate(spec["cells"]):
        cell["constraints"] = SMALL_FLOOR  # those of the problem that is made up
        (tmp_path / str(number)).mkdir()
        files.append(write_cell(cell, tmp_path / str(number)))
    sweep = read(spec, **{kind: [str(one[kind]) for one in files] for kind in files[0]})
    saved = []  # not as files, which take the longest
    monkeypatch.setattr(Figure, "savefig", lambda _, path, **__: saved.append(path.name))
    draw(sweep, tmp_path / "figures")
    write_tables(sweep, tmp_path / "tables")
    table = sweep.table()
    assert table.columns.is_unique and len(sweep.axes) == len(spec["axes"])
    for axis, shown in zip(spec["axes"], sweep.axes, strict=True):
        assert sorted(set(table[shown])) == sorted({c["coordinates"][axis] for c in spec["cells"]})
    name = "map" if len(sweep.axes) == 2 else "sweep"
    assert f"{name}.png" in saved
