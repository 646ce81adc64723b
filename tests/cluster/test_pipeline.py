"""The pipeline on a real Slurm: same bytes as here, and it survives what clusters do to jobs."""

import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.cluster.experiment import ROOT, SLURM, Experiment
from tests.cluster.lab import wait_until

# The profile as it is, but impatient: the tests' jobs take seconds, and there are few of them.
ON_SLURM = [*SLURM, "--slurm-init-seconds-before-status-checks", "2", "--latency-wait", "10"]
PAIRS = [*ON_SLURM, "--group-components", "simulate=2"]


@pytest.fixture(scope="module")
def warm(tmp_path_factory):
    """A folder in which everything is ready but the runs."""
    experiment = Experiment(tmp_path_factory.mktemp("warm"))
    experiment.warm_up()
    return experiment


@pytest.fixture(scope="module")
def expected(warm, tmp_path_factory):
    """The files of four runs a policy from a plain run on two cores, and their sha256."""
    here = copy(warm, tmp_path_factory.mktemp("here"), runs=4)
    here.run("--cores", "2")
    assert len(here.runs()) == 8
    return here.runs()


@pytest.fixture
def experiment(warm, tmp_path, lab):
    lab.wait_idle()
    return copy(warm, tmp_path)


def copy(warm, folder, **config):
    shutil.copytree(warm.folder, folder, dirs_exist_ok=True)
    return Experiment(folder, **config)


def slurm_jobs(lab, state):
    """Slurm ids of the pipeline's jobs in a state."""
    return [job.id for job in lab.squeue() if job.state == state and job.name.startswith("lincon")]


def running_job(lab, pipeline):
    """The id of a job of the pipeline that runs right now."""
    assert wait_until(lambda: pipeline.poll() is not None or slurm_jobs(lab, "RUNNING"), 60)
    return slurm_jobs(lab, "RUNNING")[0]


def failed_jobs(printed):
    """Slurm ids of the jobs that Snakemake calls failed, naming the group, its runs and logs."""
    message = (
        r"message: Error in group simulate\n *log: \S*/(\d+)\.log .*\n(?: .*\n)*? +log: results/"
    )
    return re.findall(message, printed)


def same_as(expected, runs):
    """Whether these are two runs of both policies, with the bytes that they have here."""
    return len(runs) == 4 and runs.items() <= expected.items()


def test_same_bytes_as_here_and_only_new_runs_are_submitted(experiment, lab, expected):
    before = len(lab.squeue())
    experiment.run(*PAIRS, env=lab.env)
    first = experiment.times()
    assert same_as(expected, experiment.runs())
    assert len(lab.squeue()) == before + 2

    experiment.configure(runs=4)
    experiment.run(*PAIRS, env=lab.env)
    assert experiment.runs() == expected
    assert len(lab.squeue()) == before + 4
    assert first.items() <= experiment.times().items()
    assert "Nothing to be done" in experiment.run("--cores", "2", "--dry-run")


def test_a_lost_node_costs_a_retry(experiment, lab, expected):
    pipeline = experiment.start(*PAIRS, env=lab.env)
    lost = running_job(lab, pipeline)
    node = next(job.node for job in lab.squeue() if job.id == lost)
    lab.kill(node)
    assert wait_until(lambda: lab.node_states()[node].startswith("down"), 60)
    lab.start_node(node)
    assert lost in failed_jobs(experiment.finish(pipeline))
    assert same_as(expected, experiment.runs())


def test_a_killed_snakemake_is_resumed(experiment, lab, expected):
    one_by_one = [*ON_SLURM, "--group-components", "simulate=1", "--jobs", "2"]
    pipeline = experiment.start(*one_by_one, env=lab.env)
    assert wait_until(lambda: pipeline.poll() is not None or experiment.finished(), 120)
    running_job(lab, pipeline)
    pipeline.send_signal(signal.SIGKILL)
    pipeline.wait()
    finished = experiment.finished()
    kept = {file: when for file, when in experiment.times().items() if file in finished}
    assert 0 < len(kept) < 4

    tidy(experiment, lab)
    assert slurm_jobs(lab, "RUNNING") == slurm_jobs(lab, "PENDING") == []
    experiment.run(*PAIRS, env=lab.env)
    assert same_as(expected, experiment.runs())
    assert kept.items() <= experiment.times().items()


def tidy(experiment, lab):
    """The documented command after a kill, run where the user is."""
    path = f"{Path(sys.executable).parent}:{lab.env['PATH']}"
    command = [str(ROOT / "profiles" / "slurm" / "tidy.sh"), *experiment.command()[3:-2]]
    subprocess.run(command, cwd=experiment.folder, env=lab.env | {"PATH": path}, check=True)


def test_a_job_over_its_memory_gets_more_on_the_retry(experiment, lab, expected):
    too_little = ["--set-resources", "simulate:mem_mb=[0, 60, 1000, 1000][attempt]"]
    printed = experiment.run(*PAIRS, *too_little, env=lab.env)
    assert failed_jobs(printed) and "exceeded memory limit" in printed.lower()
    assert same_as(expected, experiment.runs())


def test_without_slurm_one_sentence_says_so_at_once(experiment, tmp_path):
    """Its executor would wait for jobs that it could not submit."""
    (tmp_path / "bin").mkdir()
    for name in ("sh", "bash", "env", "which"):
        (tmp_path / "bin" / name).symlink_to(shutil.which(name))
    pipeline = experiment.start(*ON_SLURM, env=os.environ | {"PATH": str(tmp_path / "bin")})
    assert pipeline.wait(60) == 1
    last = experiment.log.read_text().splitlines()[-1]
    assert last.startswith("Slurm does not answer")


def test_the_profile_agrees_with_the_default_one():
    default, cluster = (
        yaml.safe_load((ROOT / "profiles" / profile / "config.yaml").read_text())
        for profile in ("default", "slurm")
    )
    assert default.items() <= cluster.items()
