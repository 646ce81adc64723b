"""The lab is a real Slurm, keeps to itself, and leaves nothing behind."""

import os
import subprocess
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from tests.cluster import lab as lab_module
from tests.cluster.lab import Lab, wait_until, why_not


def names(pids):
    """The programs that the processes run now; those which have ended meanwhile are left out."""
    found = set()
    for pid in pids:
        with suppress(psutil.Error):
            found.add(psutil.Process(pid).name())
    return found


def submit(lab, *arguments):
    return lab.run("sbatch", "--parsable", "--output=/dev/null", *arguments).stdout.strip()


def test_everything_listens_on_loopback_only(lab):
    waiting = subprocess.Popen(["srun", "-w", "n1", "sleep", "60"], env=lab.env)
    try:
        assert wait_until(lambda: "sleep" in names(lab.processes("n1")), 20)
        ours = lab.processes()
        open_ports = [one for one in psutil.net_connections("tcp") if one.pid in ours]
    finally:
        waiting.terminate()
        waiting.wait()
    addresses = [one.laddr.ip for one in open_ports if one.status == psutil.CONN_LISTEN]
    assert len(addresses) >= 4  # slurmctld, two slurmd, srun
    assert all(address.startswith("127.") for address in addresses)


def test_a_power_cut_ends_the_jobs_of_that_node_only_and_it_comes_back(lab):
    lab.wait_idle()
    for node in lab.nodes:
        submit(lab, "-w", node, "--wrap", "sleep 60")
        assert wait_until(lambda node=node: "sleep" in names(lab.processes(node)), 20)
    lab.kill_node("n1", jobs=True)
    assert lab.processes("n1") == set()
    assert "sleep" in names(lab.processes("n2"))
    lab.start_node("n1")
    assert wait_until(lambda: not lab.node_states()["n1"].startswith("down"), 30)
    lab.run("scancel", "--user=root")


def test_nothing_is_left_after_an_error_with_jobs_running():
    with pytest.raises(ZeroDivisionError), Lab() as lab:
        submit(lab, "--wrap", "exec env -i sleep 60")
        submit(lab, "--wrap", "exec setsid tail -f /dev/null")
        assert wait_until(lambda: names(lab.processes()) >= {"sleep", "tail"}, 20)
        seen = lab.processes()
        raise ZeroDivisionError
    assert lab.processes() == set() and not lab.folder.exists()
    left = [one for one in psutil.process_iter() if one.pid in seen]
    assert all(one.status() == psutil.STATUS_ZOMBIE for one in left)


def test_a_lab_that_fails_to_start_says_why_and_leaves_nothing(monkeypatch):
    monkeypatch.setattr(lab_module, "SLURM_CONF", "NoSuchKey=1\n" + lab_module.SLURM_CONF)
    lab = Lab()
    with pytest.raises(RuntimeError, match="slurmctld ended") as error, lab:
        pass
    assert "NoSuchKey" in error.value.__notes__[0]
    assert lab.processes() == set() and not lab.folder.exists()


def test_where_there_can_be_no_lab_there_is_a_reason(monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert "must be started by root" in why_not()
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(lab_module, "SYSTEM_PATH", "/nowhere")
    assert "slurmctld" in why_not() and "install.sh" in why_not()
    wanted = " ".join(lab_module.DAEMONS + lab_module.COMMANDS)
    script = Path(__file__).parents[1] / "install.sh"
    assert f'programs="{wanted}"' in script.read_text()
