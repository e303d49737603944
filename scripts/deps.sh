#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Installs what siglat needs beside Go, make and git on Debian: a compiler and
# libelf for the module, a static libc for the C receivers, QEMU for the lab;
# as "deps.sh test" also what tests and lint need: QEMU for programs of arm64,
# sparse, shellcheck, groff, zsh, fish, systemd, a browser for the report, what builds a kernel, and
# debootstrap; as "deps.sh bench" datamash and time, with which sigreport is
# compared; as "deps.sh loads", and for tests, the loads of scripts/plans/loads,
# and as "deps.sh peers" the programs of rt-tests alone. Does nothing, and needs no network, when all is there. Without
# root it prints the one command to run.
set -eu
purpose=${1:-}

has() { command -v "$1" >/dev/null 2>&1; }
file_of() { for f in "$@"; do [ -e "$f" ] && return 0; done; return 1; }

# need PACKAGE CHECK...: notes the package when the check fails.
missing=
need() {
	package=$1
	shift
	"$@" || missing="$missing $package"
}

need gcc has gcc
need make has make
need libc6-dev file_of /usr/lib/*/libc.a /usr/lib/libc.a
need libelf1 file_of /usr/lib/*/libelf.so.1 /lib/*/libelf.so.1
need perl has perl
need qemu-system-x86 has qemu-system-x86_64
# Before QEMU 10 no program of another architecture could have signal 64.
emulates_signal64() { qemu-aarch64 -help 2>/dev/null | grep -q QEMU_RTSIG_MAP; }
if [ "$purpose" = test ]; then
	need qemu-user emulates_signal64
	need chromium has chromium
	need shellcheck has shellcheck
	need sparse has sparse
	need systemd has systemd-analyze
	# Manual pages and completions.
	need groff-base has groff
	need zsh has zsh
	need fish has fish
	# The debug kernels, and trying an installation.
	need bc has bc
	need bison has bison
	need flex has flex
	need libelf-dev file_of /usr/include/libelf.h
	need debootstrap has debootstrap
elif [ "$purpose" = bench ]; then
	need datamash has datamash
	need time file_of /usr/bin/time
fi

case $purpose in test | loads | peers)
	need rt-tests has hackbench ;;
esac
case $purpose in test | loads)
	need stress-ng has stress-ng ;;
esac

if ! has go; then
	echo "deps.sh: go is missing: install Go 1.26 or newer and put it into PATH" >&2
	exit 1
fi
[ -z "$missing" ] && exit 0

if ! has apt-get; then
	echo "deps.sh: missing:$missing (Debian's names), and this system has no apt-get" >&2
	exit 1
fi
if [ "$(id -u)" -ne 0 ]; then
	echo "deps.sh: missing:$missing; run as root: scripts/deps.sh $purpose" >&2
	exit 1
fi
echo "deps.sh: installing$missing" >&2
export DEBIAN_FRONTEND=noninteractive

# Debian 12 has QEMU 10 for programs in its backports only. They lie beside
# Debian 12 itself; apt-get shall know them in this script, not for good.
sources=/etc/apt/sources.list.d
case "$missing " in *" qemu-user "*)
	# shellcheck disable=SC2016 # apt-get's variable
	mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Codename: bookworm' 'Identifier: Packages' | sed 1q)
	if [ -n "$mirror" ]; then
		sources=$(mktemp -d)
		trap 'rm -rf "$sources"' EXIT
		cp -r /etc/apt/sources.list.d/. "$sources"
		echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror bookworm-backports main" \
			>"$sources/backports.list"
		missing=$(echo "$missing " | sed 's| qemu-user | qemu-user/bookworm-backports |')
	fi ;;
esac
apt-get -o Dir::Etc::SourceParts="$sources" update -q >&2
# shellcheck disable=SC2086 # a list of package names
apt-get -o Dir::Etc::SourceParts="$sources" install -q -y --no-install-recommends $missing >&2
