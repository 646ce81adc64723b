"""Problems with a cost per play: the cheapest mixture that keeps a success rate."""

import pytest

from lincon.data.sources import extract
from lincon.errors import UserError
from lincon.problem.goal import Constraint, Goal
from lincon.problem.solve import solve_problem
from tests.real_data import REPOSITORY, folder

FILES = {
    "movie_lens": "51b1db6f20c04af6a6178064427e9c441283dff024cce465e229d5ab62812a61",
    "good_reads": "5ee1ea9d0d0433db0b962323eac93293186f3b103e3e7c17e8fd90d38bc66b10",
}
TERMINUS, QWEN = "DeepSeek-V3.1-Terminus", "Qwen3-Thinking"
SHARE = Constraint("deepseek", per_play="supplier=DeepSeek", sense="at_most", bound=0.2)


def cheapest(arms, eta, *further):
    """The cheapest mixture with that success rate: cost, shares by label, prices."""
    success = Constraint("success", per_event=1.0, bound=eta)
    problem = solve_problem(arms, Goal((success, *further), value=0.0, cost="cost"))
    shares = {arms.label[i]: s for i, s in zip(problem.support, problem.shares, strict=True)}
    return -problem.optimum, shares, problem.prices


# The number of questions of each benchmark, by which its costs were divided.
QUESTIONS = {"LiveCodeBench": 1055, "MMLU-Pro": 3000, "GPQA": 198}


def models(benchmark):
    path = REPOSITORY / "config" / "llm_routing.csv"
    entry = {"kind": "user", "path": str(path), "where": {"benchmark": benchmark}}
    return extract(entry, [path], "models")


@pytest.mark.parametrize(
    ("benchmark", "eta", "further", "cost", "mixture", "prices"),
    [
        ("LiveCodeBench", 0.75, (), 10.598, {TERMINUS: 0.3057, QWEN: 0.6943}, (122.182,)),
        ("LiveCodeBench", 0.80, (), 22.766, {"GPT-5": 0.1998, QWEN: 0.8002}, (498.511,)),
        ("MMLU-Pro", 0.86, (), 22.0188, {TERMINUS: 0.4102, "GPT-5": 0.5898}, (1032.934,)),
        ("GPQA", 0.80, (), 2.2589, {TERMINUS: 0.0743, QWEN: 0.9257}, (53.713,)),
        (
            *("LiveCodeBench", 0.75, (SHARE,), 10.8823),
            *({TERMINUS: 0.2, "Kimi-K2": 0.1057, QWEN: 0.6943}, (97.926, 2.69)),
        ),
    ],
)
def test_the_cheapest_mixture_of_language_models(benchmark, eta, further, cost, mixture, prices):
    """In dollars for the whole benchmark, as published; the table has them per 1,000 requests."""
    arms, unit = models(benchmark), QUESTIONS[benchmark] / 1000
    assert len(arms) == 13 and arms.columns["supplier=DeepSeek"].sum() == 3
    optimum, shares, per_success = cheapest(arms, eta, *further)
    assert optimum * unit == pytest.approx(cost, abs=5e-4)
    assert shares == pytest.approx(mixture, abs=5e-5)
    assert [price * unit for price in per_success] == pytest.approx(prices, abs=5e-4)


@pytest.mark.parametrize("benchmark", QUESTIONS)
def test_success_rates_and_costs_are_as_printed(benchmark):
    """Rates are whole numbers of questions to four digits, costs whole cents."""
    arms, questions = models(benchmark), QUESTIONS[benchmark]
    right = (arms.mean * questions).round()
    assert arms.mean == pytest.approx(right / questions, abs=5.1e-5)
    cents = arms.columns["cost"] * questions / 10
    assert cents == pytest.approx(cents.round(), abs=1e-4)


@pytest.mark.parametrize(
    ("name", "arms", "eta", "cost", "mixture", "price"),
    [
        ("movie_lens", 20, 0.74575, 0.237113, {"arm 1": 0.7696, "arm 14": 0.2304}, 14.1373),
        ("good_reads", 8, 0.6764, 0.279, {"arm 0": 1.0}, 0),
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
    found = cheapest(made, eta)
    assert found[0] == pytest.approx(cost, abs=5e-7)
    assert found[1] == pytest.approx(mixture, abs=5e-5)
    assert found[2] == pytest.approx((price,), abs=5e-5)


def instance(folder, old="", new=""):
    text = "id: X\narm_reward_array: 0.5, 0.25\nsubsidy_factor: 0.1\narm_cost_array: 2, 1\n"
    path = folder / "x.txt"
    path.write_text(text.replace(old, new) if old else text)
    return extract({"kind": "cost_subsidy", "files": {"x.txt": {}}}, [path], "x")


def test_an_instance_is_read(tmp_path):
    made = instance(tmp_path)
    assert made.mean.tolist() == [0.5, 0.25] and made.columns["cost"].tolist() == [2, 1]
    assert made.note == "the published floor is 0.45"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("arm_cost_array: 2, 1", "", "a line `arm_cost_array: ` with numbers is needed"),
        ("0.25", "many", "a line `arm_reward_array: ` with numbers"),
        ("2, 1", "2, 1, 3", "x.txt: column cost must hold one finite number per arm"),
    ],
)
def test_other_files_are_refused(tmp_path, old, new, message):
    with pytest.raises(UserError, match=message):
        instance(tmp_path, old, new)
