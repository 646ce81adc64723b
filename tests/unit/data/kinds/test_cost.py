"""Problems with a cost per play: the cheapest mixture that keeps a success rate."""

from __future__ import annotations

import numpy as np
import pytest

from lincon.data.sources import extract
from lincon.errors import UserError
from lincon.problem.goal import Constraint, Goal
from lincon.problem.solve import solve_problem
from tests.real_data import REPOSITORY, folder

SUCCESS = "success"
FILES = {
    "movie_lens": "51b1db6f20c04af6a6178064427e9c441283dff024cce465e229d5ab62812a61",
    "good_reads": "5ee1ea9d0d0433db0b962323eac93293186f3b103e3e7c17e8fd90d38bc66b10",
}


def cheapest(eta: float, *further: Constraint) -> Goal:
    return Goal((Constraint(SUCCESS, per_event=1.0, bound=eta), *further), value=0.0, cost="cost")


def models(benchmark: str):
    path = REPOSITORY / "config" / "llm_routing.csv"
    entry = {"kind": "user", "path": str(path), "where": {"benchmark": benchmark}}
    return extract(entry, [path], "models")


TERMINUS, QWEN = "DeepSeek-V3.1-Terminus", "Qwen3-Thinking"


@pytest.mark.parametrize(
    ("benchmark", "eta", "cost", "mixture", "price"),
    [
        ("LiveCodeBench", 0.75, 10.598, {TERMINUS: 0.3057, QWEN: 0.6943}, 122.182),
        ("LiveCodeBench", 0.80, 22.766, {"GPT-5": 0.1998, QWEN: 0.8002}, 498.511),
        ("MMLU-Pro", 0.86, 22.0188, {TERMINUS: 0.4102, "GPT-5": 0.5898}, 1032.934),
        ("GPQA", 0.80, 2.2589, {TERMINUS: 0.0743, QWEN: 0.9257}, 53.713),
    ],
)
def test_the_cheapest_mixture_of_language_models(benchmark, eta, cost, mixture, price):
    arms = models(benchmark)
    problem = solve_problem(arms, cheapest(eta))
    assert len(arms) == 13
    assert problem.optimum == pytest.approx(-cost, abs=5e-4)
    shares = {arms.label[i]: s for i, s in zip(problem.support, problem.shares, strict=True)}
    assert shares == pytest.approx(mixture, abs=5e-5)
    assert problem.prices[0] == pytest.approx(price, abs=5e-4)


def test_a_share_of_the_plays_for_a_group_of_models():
    arms = models("LiveCodeBench")
    assert arms.columns["supplier=DeepSeek"].sum() == 3
    share = Constraint("deepseek", per_play="supplier=DeepSeek", sense="at_most", bound=0.2)
    problem = solve_problem(arms, cheapest(0.75, share))
    assert problem.optimum == pytest.approx(-10.8823, abs=5e-5)
    shares = {arms.label[i]: s for i, s in zip(problem.support, problem.shares, strict=True)}
    known = {TERMINUS: 0.2, "Kimi-K2": 0.1057, QWEN: 0.6943}
    assert shares == pytest.approx(known, abs=5e-5)
    assert problem.prices == pytest.approx((97.926, 2.69), abs=5e-4)


@pytest.mark.parametrize(
    ("name", "arms", "eta", "cost", "mixture", "price"),
    [
        ("movie_lens", 20, 0.74575, 0.237113, {1: 0.7696, 14: 0.2304}, 14.1373),
        ("good_reads", 8, 0.6764, 0.279, {0: 1.0}, 0),
    ],
)
def test_published_problems_with_cost_subsidy(name, arms, eta, cost, mixture, price):
    file = f"{name}_instance.txt"
    if not (folder() / file).is_file():
        pytest.skip(f"no {file} in {folder()}; set LINCON_MIRROR to a folder that has it")
    entry = {"kind": "cost_subsidy", "files": {file: {"sha256": FILES[name]}}}
    made = extract(entry, [folder() / file], name)
    assert len(made) == arms and (made.value == 0).all()
    assert 0.95 * made.mean.max() == pytest.approx(eta)
    problem = solve_problem(made, cheapest(eta))
    assert problem.optimum == pytest.approx(-cost, abs=5e-7)
    shares = dict(zip(problem.support, problem.shares, strict=True))
    assert shares == pytest.approx(mixture, abs=5e-5)
    assert problem.prices[0] == pytest.approx(price, abs=5e-5)


INSTANCE = """instance_id: X
arm_reward_array: 0.5, 0.25
subsidy_factor: 0.1
arm_cost_array: 2, 1
"""


def test_an_instance_is_read(tmp_path):
    path = tmp_path / "x.txt"
    path.write_text(INSTANCE)
    made = extract({"kind": "cost_subsidy", "files": {"x.txt": {}}}, [path], "x")
    assert made.mean.tolist() == [0.5, 0.25]
    np.testing.assert_array_equal(made.columns["cost"], [2, 1])
    assert made.note == "the published floor is 0.45"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("arm_cost_array: 2, 1", "", "a line `arm_cost_array: ` with numbers is needed"),
        ("0.25", "many", "a line `arm_reward_array: ` with numbers"),
        ("2, 1", "2, 1, 3", "2 means and 3 costs"),
        ("0.25", "1.25", "row 1: mean is 1.25"),
    ],
)
def test_other_files_are_refused(tmp_path, old, new, message):
    path = tmp_path / "x.txt"
    path.write_text(INSTANCE.replace(old, new))
    with pytest.raises(UserError, match=message):
        extract({"kind": "cost_subsidy", "files": {"x.txt": {}}}, [path], "x")
