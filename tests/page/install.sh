#!/bin/sh
# Install the browser that tests/page drives (Debian or Ubuntu, as root). Quick when it is there.
set -eu

packages="chromium fonts-dejavu-core"

there() { command -v chromium >/dev/null || command -v chromium-browser >/dev/null; }

install_packages() {
    # shellcheck disable=SC2086 # two package names, two words
    DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $packages
}

if there; then
    exit 0
fi
if ! command -v apt-get >/dev/null; then
    echo "install.sh: no apt-get here; install Chromium with your own package manager" >&2
    exit 1
fi
if [ "$(id -u)" -ne 0 ]; then
    echo "install.sh: must run as root to install: $packages" >&2
    exit 1
fi
# The package index may be absent or out of date: fetch it only if the first try fails.
install_packages || { apt-get update -q && install_packages; }
there || { echo "install.sh: installed $packages, yet there is no chromium" >&2; exit 1; }
