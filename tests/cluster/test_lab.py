"""The lab is a real Slurm, keeps to itself, and leaves nothing behind."""

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from tests.cluster import lab as lab_module
from tests.cluster.lab import Lab, wait_until, why_not

HERE = Path(__file__).parent
COMMAND_LINE = [sys.executable, str(HERE / "lab.py"), "--"]


def open_files(pid):
    """What the process has open; less of it if the process, or a file, closes meanwhile."""
    with suppress(OSError):
        for descriptor in Path(f"/proc/{pid}/fd").iterdir():
            with suppress(OSError):
                yield os.readlink(descriptor)


def listening_addresses(pids):
    """The addresses, as the kernel's hex words, on which the processes listen for connections."""
    sockets = {socket for pid in pids for socket in open_files(pid)}
    addresses = []
    for table in Path("/proc/net").glob("tcp*"):
        for line in table.read_text().splitlines()[1:]:
            _, local, _, state, *_, inode = line.split()[:10]
            if state == "0A" and f"socket:[{inode}]" in sockets:
                addresses.append(local.partition(":")[0])
    return addresses


def state_of(lab, job):
    return next(line.state for line in lab.squeue() if line.id == job)


def submit(lab, *arguments):
    return lab.run("sbatch", "--parsable", "--output=/dev/null", *arguments).stdout.strip()


def names(pids):
    """The programs that the processes run; those which have ended meanwhile are left out."""
    found = set()
    for pid in pids:
        with suppress(OSError):
            found.add(Path(f"/proc/{pid}/comm").read_text().strip())
    return found


def living(pids):
    """Those of the processes that live; a zombie which nobody has reaped does not."""
    return {pid for pid, _, _ in lab_module.all_processes()} & pids


def test_comes_up_with_two_idle_nodes():
    with Lab() as lab:
        assert lab.node_states() == {"n1": "idle", "n2": "idle"}


def test_srun_runs_a_command_on_the_named_node(lab):
    assert lab.run("srun", "-w", "n2", "printenv", "SLURMD_NODENAME").stdout == "n2\n"


def test_srun_needs_no_slurm_conf(lab):
    env = {k: v for k, v in lab.env.items() if k != "SLURM_CONF"}
    assert lab.run("srun", "echo", "here", env=env).stdout == "here\n"


def test_sbatch_runs_a_job_and_squeue_remembers_it(lab, tmp_path):
    output = tmp_path / "out"
    job = lab.run("sbatch", "--parsable", f"--output={output}", "--wrap", "echo done").stdout
    assert wait_until(lambda: state_of(lab, job.strip()) == "COMPLETED", 20)
    assert output.read_text() == "done\n"


def test_a_job_over_its_memory_is_killed_and_its_log_says_so(lab, tmp_path):
    hungry = f"{sys.executable} -c 'import time; x = b\"x\" * (300 << 20); time.sleep(30)'"
    log = tmp_path / "log"
    job = lab.run("sbatch", "--parsable", f"--output={log}", "--mem=50", "--wrap", hungry).stdout
    assert wait_until(lambda: state_of(lab, job.strip()) == "FAILED", 20)
    assert "exceeded memory limit" in log.read_text()


def test_everything_listens_on_loopback_only(lab):
    waiting = subprocess.Popen(["srun", "-w", "n1", "sleep", "60"], env=lab.env)
    try:
        assert wait_until(lambda: "sleep" in names(lab.processes("n1")), 20)
        addresses = listening_addresses(lab.processes())
    finally:
        waiting.terminate()
        waiting.wait()
    assert len(addresses) >= 4  # slurmctld, two slurmd, srun
    assert all(address.endswith("7F") for address in addresses)  # 127.*, low byte first


def test_a_killed_slurmd_comes_back(lab):
    lab.wait_idle()
    killed = lab.node_pid("n1")
    lab.kill_node("n1")
    assert not Path(f"/proc/{killed}").exists()
    lab.start_node("n1")
    lab.wait_idle()
    assert lab.node_pid("n1") != killed
    assert lab.run("srun", "-w", "n1", "echo", "back").stdout == "back\n"


def test_a_power_cut_ends_the_jobs_of_that_node_only():
    with Lab() as lab:
        for node in lab.nodes:
            submit(lab, "-w", node, "--wrap", "sleep 60")
            assert wait_until(lambda node=node: "sleep" in names(lab.processes(node)), 20)
        lab.kill_node("n1", jobs=True)
        assert lab.processes("n1") == set()
        assert "sleep" in names(lab.processes("n2"))


def test_nothing_is_left_after_an_error_with_jobs_running():
    with pytest.raises(ZeroDivisionError), Lab() as lab:
        submit(lab, "--wrap", "exec env -i sleep 60")
        submit(lab, "--wrap", "exec setsid tail -f /dev/null")
        assert wait_until(lambda: names(lab.processes()) >= {"sleep", "tail"}, 20)
        seen = lab.processes()
        raise ZeroDivisionError
    assert lab.processes() == set()
    assert living(seen) == set()
    assert not lab.folder.exists()


def test_a_lab_that_fails_to_start_says_why_and_leaves_nothing(monkeypatch):
    monkeypatch.setattr(lab_module, "SLURM_CONF", "NoSuchKey=1\n" + lab_module.SLURM_CONF)
    lab = Lab()
    with pytest.raises(RuntimeError, match="slurmctld ended") as error, lab:
        pass
    assert "NoSuchKey" in error.value.__notes__[0]
    assert lab.processes() == set()
    assert not lab.folder.exists()


def test_two_labs_do_not_meet():
    with Lab() as one, Lab() as two:
        submit(one, "--hold", "--wrap", "true")
        assert len(one.squeue()) == 1
        assert two.squeue() == []


def test_a_host_name_beyond_loopback_does_not_matter():
    other_name = ["unshare", "--uts", "sh", "-c", 'hostname elsewhere && exec "$@"', "sh"]
    if subprocess.run([*other_name, "true"], check=False, capture_output=True).returncode:
        pytest.skip("no leave for `unshare --uts` here")
    done = subprocess.run(
        [*other_name, *COMMAND_LINE, "srun", "hostname"], capture_output=True, text=True, check=True
    )
    assert done.stdout == "localhost\n"


def test_the_command_line_hands_on_the_exit_code():
    assert subprocess.call([*COMMAND_LINE, "sh", "-c", "srun true && exit 7"]) == 7


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_the_daemons_end_with_a_killed_command_line(how):
    running = subprocess.Popen(
        [*COMMAND_LINE, "sh", "-c", "echo $SLURM_CONF; exec sleep 60"],
        stdout=subprocess.PIPE,
        text=True,
    )
    lab = Lab()
    lab.folder = Path(running.stdout.readline().strip()).parent
    assert names(lab.processes()) >= set(lab_module.DAEMONS)
    running.send_signal(how)
    running.wait()
    running.stdout.close()
    if how == signal.SIGTERM:
        assert lab.processes() == set()
        assert not lab.folder.exists()
    else:
        assert wait_until(lambda: names(lab.processes()) <= {"sleep"}, 10)
        lab.stop()  # the command, which nothing could end, and the folder


def test_without_root_there_is_a_reason(monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert "must be started by root" in why_not()


def test_without_slurm_there_is_a_reason(monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(lab_module, "SYSTEM_PATH", "/nowhere")
    assert "slurmctld" in why_not()
    assert "install.sh" in why_not()


def test_install_looks_for_what_the_lab_needs_and_installs_nothing_when_it_is_there(tmp_path):
    script = HERE.parent / "install.sh"
    wanted = " ".join(lab_module.DAEMONS + lab_module.COMMANDS)
    assert f'programs="{wanted}"' in script.read_text()
    tripwire = tmp_path / "apt-get"
    tripwire.write_text("#!/bin/sh\nexit 1\n")
    tripwire.chmod(0o755)
    path = f"{tmp_path}:{os.environ['PATH']}"
    subprocess.run([script, "cluster"], check=True, env=os.environ | {"PATH": path})
