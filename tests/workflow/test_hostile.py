"""What a user writes is never run by a shell: quoting, and paths that would be read otherwise."""

import re

from tests.workflow.bench import OWN_ARMS, REPOSITORY, SMALL, Bench, arms_file, changed

# Numbers, and words that wildcard_constraints allow.
UNQUOTED = {
    *(f"wildcards.{key}" for key in ("engine", "horizon", "run", "seed")),
    *("params.code", "params.points", "params.source", "resources.limit"),
    "PYTHON",  # which common.smk has quoted
}


def shell_lines() -> list[tuple[str, str]]:
    """Every string after a `shell:` or in a `shell(...)`, with the file that it is in."""
    lines = []
    for path in [*(REPOSITORY / "workflow/rules").glob("*.smk"), REPOSITORY / "workflow/Snakefile"]:
        text = path.read_text(encoding="utf-8")
        for block in re.findall(r"shell(?::\n|\()((?:\s*f?[\"'].*\n?)+)", text):
            lines.append((path.name, block))
    return lines


def test_every_placeholder_of_every_shell_line_is_quoted():
    assert len(shell_lines()) == 2
    for name, line in shell_lines():
        for placeholder in re.findall(r"(?<!\{)\{([^{}]+)\}", line):
            quoted = placeholder.endswith(":q")
            assert quoted or placeholder in UNQUOTED, f"{name}: {{{placeholder}}} is not quoted"


NAMES = (
    "$(touch pwned) `touch pwned` $HOME.csv",
    "a|tee pwned>pwned;touch pwned;&b.csv",
    """it's "x" #1 a*b caf\u00e9.csv""",
)


def test_a_user_file_may_have_any_name(mine: Bench):
    """It is read, and nothing in its name is run."""
    datasets, experiments = {}, {}
    for k, name in enumerate(NAMES):
        (mine / name).write_text(OWN_ARMS)
        datasets[f"own{k}"] = {"label": name, "kind": "user", "path": name}
        experiments[f"own{k}"] = SMALL["experiments"]["own"] | {"dataset": f"own{k}"}
    added = {"datasets": datasets, "experiments": experiments, "only": list(experiments)}
    before = set(mine.folder.iterdir())
    config = changed(SMALL, added)
    mine.run(*(arms_file(config, name) for name in datasets), config=config)
    assert {path.name for path in set(mine.folder.iterdir()) - before} <= {"small.yaml"}


def test_a_label_is_no_markup_in_snakemakes_report(mine: Bench):
    """Which writes the params of rules into a script of its page."""
    label = "</script><script>evil()"
    config = changed(SMALL, {"only": ["own"], "datasets": {"own": {"label": label}}})
    mine.run(config=config)
    mine.run("--report", "report.html", config=config)
    text = (mine / "report.html").read_text()
    assert "evil()" in text and label not in text
