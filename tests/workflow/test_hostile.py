"""Users' texts are never run by a shell, nor interpreted as markup."""

from tests.workflow.bench import OWN_ARMS, SMALL, Bench, changed, run_file

NAMES = (
    "$(touch pwned) `touch pwned` $HOME",
    "a|tee pwned>pwned;touch pwned;&b",
    """it's "x" #1 a*b caf\u00e9""",
)


def test_a_user_file_may_have_any_name(mine: Bench, monkeypatch):
    """Arms and policies are read, and nothing in their names is run."""
    policy = (mine / "config/examples/epsilon_first.py").read_text()
    datasets, policies, experiments = {}, {}, {}
    for k, name in enumerate(NAMES):
        (mine / f"{name}.csv").write_text(OWN_ARMS)
        (mine / f"{name}.py").write_text(policy)
        datasets[f"own{k}"] = {"label": name, "kind": "user", "path": f"{name}.csv"}
        policies[f"mine{k}"] = {"label": name, "python": f"{name}.py:EpsilonFirst"}
        experiments[f"own{k}"] = SMALL["experiments"]["own"] | {
            "dataset": f"own{k}",
            "policies": [f"mine{k}"],
        }
    added = {"datasets": datasets, "policies": policies, "experiments": experiments}
    config = changed(SMALL, added | {"only": list(experiments)})
    before = set(mine.folder.iterdir())
    monkeypatch.chdir(mine.folder)  # where paths start
    runs = [run_file(config, f"own{k}/0.8/300/mine{k}/0") for k in range(len(NAMES))]
    mine.run(*runs, config=config)
    assert {path.name for path in set(mine.folder.iterdir()) - before} <= {"small.yaml"}


def test_a_label_is_no_markup_in_snakemakes_report(mine: Bench):
    """Which writes the params of rules into a script of its page."""
    label = "</script><script>evil()"
    config = changed(SMALL, {"only": ["own"], "datasets": {"own": {"label": label}}})
    mine.run(config=config)
    mine.run("--report", "report.html", config=config)
    text = (mine / "report.html").read_text()
    assert "evil()" in text and label not in text
