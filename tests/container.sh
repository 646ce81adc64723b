#!/usr/bin/env bash
# The steps of the Containerfile in a clean root made by debootstrap, for machines that have no builder:
#
#     bash tests/container.sh FOLDER [COMMAND...]
#
# As root on Debian or Ubuntu. FOLDER becomes the root (and is kept if it is there already); COMMAND
# is what the container is then asked for, `--help` if nothing. The network is used as it is here.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$(realpath -m "$1")
shift

[ -x "$root/bin/sh" ] || debootstrap --variant=minbase trixie "$root" >&2
# Whatever this machine needs to reach the network, the steps need too.
cp -L /etc/resolv.conf "$root/etc/" 2>/dev/null || true
mkdir -p "$root/usr/local/share/ca-certificates" "$root/etc/ssl/certs"
for cert in "${PIP_CERT:-/etc/ssl/certs/ca-certificates.crt}"; do
    [ -f "$cert" ] && cp -L "$cert" "$root/usr/local/share/host-certificates.pem"
done

variables=(HOME=/root LANG=C.UTF-8 "PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin")
variables+=(PIP_CERT=/usr/local/share/host-certificates.pem PIP_DISABLE_PIP_VERSION_CHECK=1)
for name in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY PIP_INDEX_URL; do
    [ -z "${!name:-}" ] || variables+=("$name=${!name}")
done
workdir=/
chroot=$(PATH="$PATH:/usr/sbin:/sbin" command -v chroot)
inside() { env -i "${variables[@]}" "$chroot" "$root" /bin/sh -c "cd '$workdir' && $1"; }

copy() { # COPY SOURCE... TARGET
    local target="$root$workdir/${*: -1}"
    for source in "${@:1:$#-1}"; do
        if [ -d "$source" ]; then
            mkdir -p "$target" && tar -C "$source" --exclude=__pycache__ -cf - . | tar -C "$target" -xf -
        else
            cp "$source" "$target"
        fi
    done
}

while read -r step rest; do
    case "$step" in
        '' | '#'* | FROM | ENTRYPOINT | CMD) continue ;;
    esac
    echo "$step $rest" >&2
    case "$step" in
        RUN) inside "$rest" >&2 ;;
        ENV) variables+=("$rest") ;;
        WORKDIR) workdir=$rest && mkdir -p "$root$workdir" ;;
        # shellcheck disable=SC2086 # several names, several words
        COPY) copy $rest ;;
        *) echo "container.sh: $step is not understood" >&2 && exit 1 ;;
    esac
done <Containerfile

entry=$(sed -n 's/^ENTRYPOINT \["\(.*\)"\]$/\1/p' Containerfile)
inside "$entry $(printf '%q ' "${@:---help}")"
