"""A real Slurm on this machine: munged, slurmctld and two slurmd nodes, on loopback only.

    with Lab() as lab:
        lab.run("srun", "hostname")

Everything lives in one temporary folder and ends with the lab, processes included. Needs root and
Debian's slurm-wlm and munge (tests/install.sh), no systemd, no cgroups and no configuration of the
machine.
"""

import os
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import NamedTuple, Self

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "scancel", "sinfo", "squeue", "srun")
SYSTEM_PATH = "/usr/sbin:/sbin"  # where Debian keeps the daemons; often not on a user's PATH
SLURM_CONF = Path(__file__).with_name("slurm.conf").read_text(encoding="utf-8")
NODES = ("n1", "n2")
# Slurm listens on the address that the host name resolves to, here that of a host name of its own.
ON_LOOPBACK = ["unshare", "--uts", "sh", "-c", 'hostname localhost && exec "$@"', "sh"]
ALONE = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"]


class Job(NamedTuple):
    """A line of squeue."""

    id: str
    state: str
    node: str
    name: str


class Lab:
    """A small cluster that lives as long as its `with` block."""

    def __init__(self) -> None:
        self.folder = Path()
        self.env: dict[str, str] = {}
        self._daemons: dict[str, subprocess.Popen] = {}
        self._ports: dict[str, int] = {}

    def __enter__(self) -> Self:
        if reason := why_not():
            raise RuntimeError(reason)
        self.folder = Path(tempfile.mkdtemp(prefix="slurm-lab-"))
        try:
            self._write_files()
            self._start_munge()
            # A node that calls before the controller listens tries again only after some seconds.
            self._start("slurmctld", "slurmctld", "-D")
            for node in NODES:
                self.start_node(node)
            self.wait_idle()
        except BaseException as error:
            logs = sorted(self.folder.glob("*.log"))
            error.add_note("\n".join(f"--- {log}\n{log.read_text()[-2000:]}" for log in logs))
            self.stop()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """End every process of the lab, job processes included, and remove its folder."""
        for name in reversed(list(self._daemons)):
            self.kill(name)
        shutil.rmtree(self.folder, ignore_errors=True)

    def kill(self, name: str) -> None:
        """Kill a daemon with all that it started: for a node this is a power cut."""
        daemon = self._daemons.pop(name)
        daemon.kill()
        daemon.wait()

    def run(self, *command: str) -> str:
        """What a command prints inside the lab; it must succeed."""
        done = subprocess.run(command, check=False, env=self.env, text=True, capture_output=True)
        if done.returncode:
            raise RuntimeError(f"{' '.join(command)}: exit {done.returncode}\n{done.stderr}")
        return done.stdout

    def squeue(self) -> list[Job]:
        """The jobs as squeue sees them, finished ones included."""
        lines = self.run("squeue", "--noheader", "--states", "all", "--format", "%i|%T|%N|%j")
        return [Job(*line.split("|", 3)) for line in lines.splitlines()]

    def node_states(self) -> dict[str, str]:
        """Node -> state in sinfo's words: idle, mixed, allocated, down; `*` if not responding."""
        lines = self.run("sinfo", "--noheader", "--Node", "--format", "%N %T").splitlines()
        return dict(line.split() for line in lines)

    def wait_idle(self, timeout: float = 30) -> None:
        """Wait until every node is up and free."""

        def idle() -> bool:
            with suppress(RuntimeError):  # the controller does not answer yet
                return self.node_states() == dict.fromkeys(NODES, "idle")
            return False

        if not wait_until(idle, timeout):
            raise TimeoutError(f"the nodes of the lab are not idle after {timeout:.0f} s")

    def start_node(self, node: str) -> None:
        """Start the node's slurmd, for the first time or after it was killed."""
        self._start(node, "slurmd", "-D", "-N", node)

    def _write_files(self) -> None:
        with ExitStack() as stack:
            probes = [stack.enter_context(socket.socket()) for _ in range(1 + len(NODES))]
            for probe, name in zip(probes, ("slurmctld", *NODES), strict=True):
                probe.bind(("127.0.0.1", 0))
                self._ports[name] = probe.getsockname()[1]
        node_lines = "\n".join(
            f"NodeName={node} NodeHostname=localhost NodeAddr=127.0.0.1"
            f" Port={self._ports[node]} CPUs=4 RealMemory=8000"
            for node in NODES
        )
        (self.folder / "state").mkdir()
        conf = self.folder / "slurm.conf"
        keys = {"controller_port": self._ports["slurmctld"], "node_lines": node_lines}
        conf.write_text(SLURM_CONF.format(folder=self.folder, **keys))
        # The job step of Snakemake's Slurm plugin calls srun without SLURM_CONF, which it takes for
        # a variable of the enclosing job: an srun that knows the file is first on PATH.
        wrapper = self.folder / "bin" / "srun"
        wrapper.parent.mkdir()
        srun = shlex.join([*ON_LOOPBACK, str(_which("srun"))])
        wrapper.write_text(f'#!/bin/sh\nexport SLURM_CONF="{conf}"\nexec {srun} "$@"\n')
        wrapper.chmod(0o755)
        path = f"{wrapper.parent}:{os.environ.get('PATH', os.defpath)}:{SYSTEM_PATH}"
        # A lab may be started from within a Slurm job: its variables would mislead our commands.
        outside = {k: v for k, v in os.environ.items() if not k.startswith(("SLURM", "SBATCH"))}
        self.env = outside | {"PATH": path, "SLURM_CONF": str(conf)}

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

    def _start(self, name: str, *command: str) -> None:
        """Start a daemon in the foreground, and wait until it is ready.

        It is the first process of a namespace: when it dies, or this process before it, all that
        it started dies too. A session of its own keeps Ctrl-C from ending it before `stop`.
        """
        with (self.folder / f"{name}.out.log").open("ab") as out:
            self._daemons[name] = daemon = subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", *ALONE, *ON_LOOPBACK, *command],
                env=self.env,
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                start_new_session=True,
            )

        def ready() -> bool:
            if name == "munged":
                return (self.folder / "munge.socket").exists()
            address = "127.0.0.1", self._ports[name]
            with suppress(OSError), socket.create_connection(address, timeout=1):
                return True
            return False

        if not wait_until(lambda: daemon.poll() is not None or ready(), 20):
            raise TimeoutError(f"{name} is not ready after 20 s")
        if daemon.poll() is not None:
            raise RuntimeError(f"{name} ended with exit code {daemon.returncode}")


def why_not() -> str | None:
    """Why the lab cannot run here, in a sentence; None if it can."""
    if not sys.platform.startswith("linux"):
        return "the Slurm lab runs on Linux only"
    missing = [program for program in [*PROGRAMS, "setpriv"] if not _which(program)]
    if missing:
        return f"the Slurm lab misses {', '.join(missing)}: run sh tests/install.sh cluster as root"
    if os.geteuid() != 0:
        return "the Slurm lab must be started by root: slurmd launches jobs for any user"
    alone = [*ALONE, *ON_LOOPBACK, "true"]
    if subprocess.run(alone, check=False, capture_output=True).returncode:
        return "the Slurm lab needs leave to make namespaces (`unshare --pid --uts`)"
    return None


def wait_until(ready: Callable[[], bool], timeout: float, every: float = 0.1) -> bool:
    """Ask until `ready` is true; false if it never was within the time."""
    deadline = time.monotonic() + timeout
    while not ready():
        if time.monotonic() > deadline:
            return False
        time.sleep(every)
    return True


def _which(program: str) -> str | None:
    return shutil.which(program, path=f"{os.environ.get('PATH', os.defpath)}:{SYSTEM_PATH}")
