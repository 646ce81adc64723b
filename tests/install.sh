#!/bin/sh
# Install what tests need in addition to Python (Debian or Ubuntu, as root); quick when it is there already:
#   sh tests/install.sh cluster page
set -eu

PATH="$PATH:/usr/sbin:/sbin"

all_there() {
    for program in $programs; do
        command -v "$program" >/dev/null || return 1
    done
}

install_packages() {
    # shellcheck disable=SC2086 # as many words as there are packages
    DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $packages
}

refuse() {
    echo "install.sh: $1" >&2
    exit 1
}

for part in "$@"; do
    case "$part" in
    cluster)
        # What tests/cluster/lab.py starts and calls.
        programs="munged slurmctld slurmd sbatch scancel sinfo squeue srun"
        packages="slurm-wlm munge"
        ;;
    page)
        programs="chromium"
        packages="chromium fonts-dejavu-core"
        ;;
    *) refuse "there is no part $part; it is cluster or page" ;;
    esac
    if all_there; then
        continue
    fi
    command -v apt-get >/dev/null || refuse "no apt-get here; install $packages with your own package manager"
    [ "$(id -u)" -eq 0 ] || refuse "must run as root to install: $packages"
    # The package index may be absent or out of date: fetch it only if the first try fails.
    install_packages || { apt-get update -q && install_packages; }
    all_there || refuse "installed $packages, yet one of these is missing: $programs"
done
