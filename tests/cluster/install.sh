#!/bin/sh
# Install what the Slurm lab needs (Debian or Ubuntu, as root). Quick when it is all there already.
set -eu

# What lab.py starts and calls; tests/cluster/test_lab.py holds the two lists together.
programs="munged slurmctld slurmd sbatch scancel scontrol sinfo squeue srun"
packages="slurm-wlm munge"

PATH="$PATH:/usr/sbin:/sbin"

all_there() {
    for program in $programs; do
        command -v "$program" >/dev/null || return 1
    done
}

install_packages() {
    # shellcheck disable=SC2086 # two package names, two words
    DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $packages
}

if all_there; then
    exit 0
fi
if ! command -v apt-get >/dev/null; then
    echo "install.sh: no apt-get here; install Slurm and munge with your own package manager" >&2
    exit 1
fi
if [ "$(id -u)" -ne 0 ]; then
    echo "install.sh: must run as root to install: $packages" >&2
    exit 1
fi
# The package index may be absent or out of date: fetch it only if the first try fails.
install_packages || { apt-get update -q && install_packages; }
all_there || { echo "install.sh: installed $packages, yet one of these is missing: $programs" >&2; exit 1; }
