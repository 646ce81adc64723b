"""From an entry of the config to the rows of its Parquet files, worked out by hand."""

import math

import pyarrow.parquet as pq

from tests.workflow.bench import new_bench

# A play of `sure` always succeeds and costs 1; one of `idle` never does and is free. Half of the
# plays must succeed.
ARMS = "label,mean,value,cost\nsure,1,1,1\nidle,0,1,0\n"
CONFIG = {
    "study": "by_hand",
    "runs": 1,
    "only": ["hand"],
    "datasets": {"two": {"label": "Two arms", "kind": "user", "path": "two.csv"}},
    # It knows the means, and behind its floor it plays the arm of the optimal mixture that gives
    # most, otherwise the one that costs least.
    "policies": {"exact": {"estimator": "truth", "steering": "ledger", "reserve": 0}},
    "experiments": {
        "hand": {
            "dataset": "two",
            "objective": {"value": 0, "cost": "cost"},
            "constraints": [{"name": "success", "per_event": 1, "at_least": 0.5}],
            "horizon": 5,
            "policies": ["exact"],
        }
    },
}


def test_a_policy_that_plays_two_arms_in_turn(tmp_path):
    """Before round t, t / 2 successes are due: 0.5, 1, 1.5, 2 and 2.5, of which 0, 1, 1, 2 and 2
    are there. So `sure` is played in rounds 1, 3 and 5, when it is behind, and `idle` in 2 and 4.
    """
    bench = new_bench(tmp_path / "project")
    (bench / "two.csv").write_text(ARMS)
    bench.run("results/studies/by_hand/tables/hand", config=CONFIG)
    (file,) = (bench / "results/runs").rglob("run=0.parquet")
    runs = pq.ParquetFile(file).read().to_pydict()
    assert runs["t"] == [1, 2, 3, 4, 5]
    assert runs["reward"] == runs["expected_reward"] == [-1, -1, -2, -2, -3]
    assert runs["events"] == runs["amount_0"] == runs["expected_amount_0"] == [1, 1, 2, 2, 3]
    assert runs["infeasible"] == [0] * 5 and runs["worst_shortfall_0"] == [0] * 5
    (file,) = (bench / "results/plays").rglob("run=0.parquet")
    plays = pq.ParquetFile(file).read().to_pydict()
    assert plays["plays"] == plays["expected_plays"] == [3, 2] and plays["events"] == [3, 0]
    # The optimal mixture, half of each, would have paid 2.5 for 2.5 successes: it paid 0.5 too much
    # for half a success too many. A success costs 1, so both together are as good as optimal.
    (file,) = (bench / "results/studies").rglob("outcomes.parquet")
    (outcome,) = pq.ParquetFile(file).read().to_pylist()
    for basis in ("expected", "realised"):
        named = [f"{name}_{basis}" for name in ("regret", "shortfall_0", "joint", "composite")]
        assert [outcome[name] for name in named] == [0.5, -0.5, 0.5, 0]
    # One standard deviation of the successes of that mixture in 5 rounds.
    assert outcome["tolerance_0"] == math.sqrt(5 / 4) and outcome["kept"] and outcome["strict"]
