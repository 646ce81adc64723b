"""A real Slurm on this machine: munged, slurmctld and two slurmd nodes, on loopback only.

    with Lab() as lab:
        lab.run("srun", "hostname")

Everything lives in one temporary folder and ends with the lab, processes included. Needs root and
Debian's slurm-wlm and munge (tests/install.sh), no systemd, no cgroups and no configuration of the
machine.
"""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import NamedTuple, Self

import psutil

DAEMONS = ["munged", "slurmctld", "slurmd"]
COMMANDS = ["sbatch", "scancel", "scontrol", "sinfo", "squeue", "srun"]
SYSTEM_PATH = "/usr/sbin:/sbin"  # where Debian keeps the daemons; often not on a user's PATH

SLURM_CONF = Path(__file__).with_name("slurm.conf").read_text(encoding="utf-8")


class Job(NamedTuple):
    """A line of squeue. An executor may put its run's id in `name`, the rule in `comment`."""

    id: str
    state: str
    node: str
    name: str
    comment: str


class Lab:
    """A small cluster that lives as long as its `with` block."""

    def __init__(self, nodes: tuple[str, ...] = ("n1", "n2"), cpus: int = 4, memory_mb: int = 8000):
        self.nodes = nodes
        self.cpus = cpus
        self.memory_mb = memory_mb
        self.folder = Path()
        self.env: dict[str, str] = {}
        self._daemons: dict[str, subprocess.Popen] = {}
        self._addresses: dict[str, tuple[str, int]] = {}

    def __enter__(self) -> Self:
        if reason := why_not():
            raise RuntimeError(reason)
        self.folder = Path(tempfile.mkdtemp(prefix="slurm-lab-"))
        try:
            self._write_files()
            self._start_munge()
            # A node that calls before the controller listens tries again only after some seconds.
            self._start("slurmctld", "slurmctld", "-D")
            self._wait_for("slurmctld", lambda: _answers(self._addresses["slurmctld"]))
            for node in self.nodes:
                self.start_node(node)
            self.wait_idle()
        except BaseException as error:
            error.add_note(self.log_tails())
            self.stop()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """End every process of the lab, job processes included, and remove its folder."""
        for daemon in reversed(list(self._daemons.values())):
            daemon.terminate()
        for daemon in self._daemons.values():
            with suppress(subprocess.TimeoutExpired):
                daemon.wait(timeout=5)
        self._kill_all(self.processes)
        for daemon in self._daemons.values():
            daemon.wait()
        self._daemons.clear()
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, *command: str, check: bool = True, **options) -> subprocess.CompletedProcess:
        """Run a command inside the lab and capture what it prints."""
        options = {"env": self.env, "text": True, "capture_output": True} | options
        done = subprocess.run(command, check=False, **options)
        if check and done.returncode:
            raise RuntimeError(f"{' '.join(command)}: exit {done.returncode}\n{done.stderr}")
        return done

    def squeue(self) -> list[Job]:
        """The jobs as squeue sees them, finished ones included."""
        form = "%i|%T|%N|%j|%k"
        lines = self.run("squeue", "--noheader", "--states", "all", "--format", form).stdout
        return [Job(*line.split("|", 4)) for line in lines.splitlines()]

    def node_states(self) -> dict[str, str]:
        """Node -> state in sinfo's words: idle, mixed, allocated, down; `*` if not responding."""
        lines = self.run("sinfo", "--noheader", "--Node", "--format", "%N %T").stdout
        return dict(line.split() for line in lines.splitlines())

    def wait_idle(self, timeout: float = 30) -> None:
        """Wait until every node is up and free."""

        def idle() -> bool:
            with suppress(RuntimeError):  # the controller does not answer yet
                return self.node_states() == dict.fromkeys(self.nodes, "idle")
            return False

        if not wait_until(idle, timeout):
            raise TimeoutError(f"the nodes of the lab are not idle after {timeout:.0f} s")

    def start_node(self, node: str) -> None:
        """Start the node's slurmd, for the first time or after it was killed."""
        # The name in the environment, which slurmstepd inherits, tells one node's jobs from
        # another's; Slurm itself sets the same variable for job processes.
        self._start(node, "slurmd", "-D", "-N", node, SLURMD_NODENAME=node)
        self._wait_for(node, lambda: _answers(self._addresses[node]))

    def kill_node(self, node: str, jobs: bool = False) -> None:
        """Kill -9 the node's slurmd; with `jobs` all that runs on it too, like a power cut."""
        daemon = self._daemons.pop(node)
        daemon.kill()
        daemon.wait()
        if jobs:
            self._kill_all(lambda: self.processes(node))

    def processes(self, node: str | None = None) -> set[int]:
        """Ids of the lab's processes (of one node): daemons, jobs, commands run with its `env`."""
        marks = [str(self.folder).encode(), f"SLURMD_NODENAME={node}\0".encode() if node else b""]
        parents, family = {}, set()
        for process in psutil.process_iter():
            with suppress(psutil.Error, OSError):  # ended while we looked
                if process.status() != psutil.STATUS_ZOMBIE:
                    parents[process.pid] = process.ppid()
                    # As the kernel has it: slurmstepd writes its title over a part of it.
                    environ = Path(f"/proc/{process.pid}/environ").read_bytes()
                    if all(mark in environ for mark in marks):
                        family.add(process.pid)
        # Children that cleared their environment belong to the family too.
        while children := {p for p, parent in parents.items() if parent in family} - family:
            family |= children
        return family

    def log_tails(self, lines: int = 15) -> str:
        """The last lines of every daemon's log, for a failure's message."""
        tails = []
        for log in sorted(self.folder.glob("*.log")):
            tails += [f"--- {log.name}", *log.read_text(errors="replace").splitlines()[-lines:]]
        return "\n".join(tails)

    def _write_files(self) -> None:
        address, _ = on_loopback()
        ports = free_ports(address, 1 + len(self.nodes))
        names = ["slurmctld", *self.nodes]
        self._addresses = {name: (address, port) for name, port in zip(names, ports, strict=True)}
        node_lines = "\n".join(
            f"NodeName={node} NodeHostname=localhost NodeAddr={address}"
            f" Port={self._addresses[node][1]} CPUs={self.cpus} RealMemory={self.memory_mb}"
            for node in self.nodes
        )
        (self.folder / "state").mkdir()
        conf = self.folder / "slurm.conf"
        keys = {"address": address, "controller_port": ports[0], "node_lines": node_lines}
        conf.write_text(SLURM_CONF.format(folder=self.folder, **keys))
        self._wrap_srun(conf)
        path = f"{self.folder}/bin:{os.environ.get('PATH', os.defpath)}:{SYSTEM_PATH}"
        # A lab may be started from within a Slurm job: its variables would mislead our commands.
        outside = {k: v for k, v in os.environ.items() if not k.startswith(("SLURM", "SBATCH"))}
        self.env = outside | {"PATH": path, "SLURM_CONF": str(conf)}

    def _wrap_srun(self, conf: Path) -> None:
        """Put an srun first on PATH that knows the configuration.

        The job step of Snakemake's Slurm plugin calls srun without SLURM_CONF: it takes the
        variable for one of the enclosing job's. A real cluster has its file at the default place.
        """
        wrapper = self.folder / "bin" / "srun"
        wrapper.parent.mkdir()
        _, prefix = on_loopback()
        srun = shlex.join([*prefix, str(_which("srun"))])
        wrapper.write_text(f'#!/bin/sh\nexport SLURM_CONF="{conf}"\nexec {srun} "$@"\n')
        wrapper.chmod(0o755)

    def _start_munge(self) -> None:
        key = self.folder / "munge.key"
        key.touch(mode=0o600)
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        paths = {"key-file": key, "socket": self.folder / "munge.socket"}
        paths |= {f"{kind}-file": self.folder / f"munged.{kind}" for kind in ("pid", "seed")}
        # --force: munged is uneasy about a folder that others cannot enter; here nobody else must.
        options = [f"--{option}={path}" for option, path in paths.items()]
        self._start("munged", "munged", "--foreground", "--force", *options)
        self._wait_for("munged", paths["socket"].exists)

    def _start(self, name: str, *command: str, **more_env: str) -> None:
        """Start a daemon in the foreground: its pid is ours, and so is its end.

        A session of its own keeps Ctrl-C from ending it before `stop`; the death signal ends it
        should this process be killed before it can stop anything.
        """
        _, prefix = on_loopback()
        with (self.folder / f"{name}.out.log").open("ab") as out:
            self._daemons[name] = subprocess.Popen(
                ["setpriv", "--pdeathsig", "TERM", *prefix, *command],
                env=self.env | more_env,
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                start_new_session=True,
            )

    def _wait_for(self, name: str, ready: Callable[[], bool], timeout: float = 20) -> None:
        """Wait until the daemon that was just started is ready, or has ended."""
        daemon = self._daemons[name]
        if not wait_until(lambda: daemon.poll() is not None or ready(), timeout):
            raise TimeoutError(f"{name} is not ready after {timeout:.0f} s")
        if daemon.poll() is not None:
            raise RuntimeError(f"{name} ended with exit code {daemon.returncode}")

    def _kill_all(self, find: Callable[[], set[int]]) -> None:
        """Kill until nothing is found: a process may start another while we look."""

        def none_left() -> bool:
            left = find()
            for pid in left:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            return not left

        if not wait_until(none_left, 10):
            raise TimeoutError(f"processes of the lab do not die: {sorted(find())}")


def why_not() -> str | None:
    """Why the lab cannot run here, in a sentence; None if it can."""
    if not sys.platform.startswith("linux"):
        return "the Slurm lab runs on Linux only"
    missing = [program for program in [*DAEMONS, *COMMANDS, "setpriv"] if not _which(program)]
    if missing:
        return f"the Slurm lab misses {', '.join(missing)}: run sh tests/install.sh cluster as root"
    if os.geteuid() != 0:
        return "the Slurm lab must be started by root: slurmd launches jobs for any user"
    _, prefix = on_loopback()
    if prefix and subprocess.run([*prefix, "true"], check=False, capture_output=True).returncode:
        return (
            "the Slurm lab needs a host name that resolves to 127.0.0.1,"
            " or leave for `unshare --uts` to make itself one"
        )
    return None


def on_loopback() -> tuple[str, list[str]]:
    """A loopback address, and what to put before a command that must listen there.

    Slurm listens on all addresses or on the one that the host name resolves to. Where that is not
    a loopback one, the lab's programs see another host name, in a namespace of their own.
    """
    with suppress(OSError):
        address = socket.gethostbyname(socket.gethostname())
        if address.startswith("127."):
            return address, []
    return "127.0.0.1", ["unshare", "--uts", "sh", "-c", 'hostname localhost && exec "$@"', "sh"]


def wait_until(ready: Callable[[], bool], timeout: float, every: float = 0.1) -> bool:
    """Ask until `ready` is true; false if it never was within the time."""
    deadline = time.monotonic() + timeout
    while not ready():
        if time.monotonic() > deadline:
            return False
        time.sleep(every)
    return True


def free_ports(address: str, count: int) -> list[int]:
    """Ports at the address that nobody uses."""
    with ExitStack() as stack:
        probes = [stack.enter_context(socket.socket()) for _ in range(count)]
        for probe in probes:
            probe.bind((address, 0))
        return [probe.getsockname()[1] for probe in probes]


def _which(program: str) -> str | None:
    return shutil.which(program, path=f"{os.environ.get('PATH', os.defpath)}:{SYSTEM_PATH}")


def _answers(address: tuple[str, int]) -> bool:
    with suppress(OSError), socket.create_connection(address, timeout=1):
        return True
    return False
