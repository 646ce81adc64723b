"""The same bytes whatever is around a run: one second run, with everything else at once.

Each difference alone, and other versions of Python, are a kind of `make torture`.
"""

from __future__ import annotations

import os

from tests.torture.kills import Study
from tests.workflow.bench import SMALL, STUDY, Bench, checksums, new_bench

# Everything of one experiment.
TARGETS = (f"{STUDY}/figures/own/panels.png", f"{STUDY}/tables/own/league.md")
OF_IT = ("results/arms/own-", "dataset=own-", "/figures/own/", "/tables/own/")
# The page makes these, which is of all experiments.
OF_ALL = (".html",)
ELSEWHERE = {"TZ": "Pacific/Kiritimati", "LC_ALL": "C", "LANG": "C", "PYTHONHASHSEED": "4711"}


def test_other_cores_order_folder_time_language_umask_hash_seed_and_a_kill(
    finished: Bench, tmp_path
):
    expected = {
        name: sha256
        for name, sha256 in checksums(finished).items()
        if any(part in name for part in OF_IT) and not name.endswith(OF_ALL)
    }
    assert len(expected) > 30
    umask = os.umask(0o077)
    try:
        bench = new_bench(tmp_path / "another place" / "my project")
        options = ("--cores", "5", "--scheduler", "ilp")
        study = Study(bench, expected, SMALL, targets=(*TARGETS, *options), env=ELSEWHERE)
        # While its first jobs run, which go on.
        assert study.killed("SIGKILL to Snakemake alone", 4.0)
        study.finish()
    finally:
        os.umask(umask)
