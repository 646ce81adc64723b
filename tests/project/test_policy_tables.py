"""The pages on policies: tables are made from the declarations, snippets run."""

import ast
import re
from pathlib import Path

from lincon.data.arms import make
from lincon.engine.simulate import Setting, simulate
from lincon.online import LearnedLedger
from lincon.policies.registry import make_policy
from lincon.problem.solve import solve_problem
from tools import policy_tables as tables

REPOSITORY = Path(__file__).parents[2]
DOCS = REPOSITORY / "docs"


def test_the_tables_are_made_from_the_declarations():
    page = tables.TARGET.read_text(encoding="utf-8")
    assert tables.text(page) == page, "docs/policies.md is due: make docs"


def snippet(page: str) -> str:
    """The one block of Python on a page."""
    text = (DOCS / page).read_text(encoding="utf-8")
    (block,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    return block


def test_the_skeleton_of_a_user_defined_policy_plays(tmp_path):
    (tmp_path / "my_policy.py").write_text(snippet("your_policy.md"))
    spec = {"python": f"{tmp_path / 'my_policy.py'}:MyPolicy", "rate": 0.1}
    arms = make([0.3, 0.9], [1.0, 0.2])
    setting = Setting("d", 0.5, 20, make_policy("mine", spec), 0, 1, 20, "python")
    run = simulate(setting, arms, solve_problem(arms, 0.5))
    assert run.plays["plays"].to_pylist() == [20, 0]


def test_the_snippet_for_production_runs():
    names: dict = {}
    exec(compile(snippet("production.md"), "production.md", "exec"), names)
    assert (names["link"], names["policy"].round) == ("basic", 2)


def test_the_goal_on_the_page_is_one():
    text = (DOCS / "production.md").read_text(encoding="utf-8")
    (arms,) = re.findall(r"columns: `(\{.*?\})`", text)
    (goal,) = re.findall(r"`goal=(\{.*?\})`", text, re.DOTALL)
    policy = LearnedLedger(ast.literal_eval(arms), eta=None, goal=ast.literal_eval(goal))
    assert policy.arms.terms.T.tolist() == [[0.0, 0.1, 1.0, 0.0], [0.0, 0.9, 1.0, 0.0]]
