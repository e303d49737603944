#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# kernel.sh [stock|rt]...: builds the debug kernels 6.12-debug and 6.12-rt-debug
# of siglab (by default both) from Debian's linux-source package into
# build/kernels, unless they are there already, for these configurations and
# this version of the package. An interrupted build goes on the next time.
set -euo pipefail
export LC_ALL=C ARCH=x86_64
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES CROSS_COMPILE KDIR M O
series=6.12
here=$(cd "$(dirname "$0")" && pwd)
kernels=$here/../../build/kernels
mkdir -p "$kernels"
kernels=$(cd -P "$kernels" && pwd)
jobs=${JOBS:-$(nproc)}

die() { echo "kernel.sh: $*" >&2; exit 1; }

# unpack VERSION: puts the source into $kernels/source-VERSION, whole or not at all.
unpack() {
	local to=$kernels/source-$1 tmp
	[ -e "$to/Makefile" ] && return
	tmp=$(mktemp -d "$kernels/.source.XXXXXX")
	(
		trap 'rm -rf "$tmp"' EXIT
		cd "$tmp"
		echo "kernel.sh: downloading and unpacking linux-source-$series $1" >&2
		apt-get -q download "linux-source-$series=$1" >&2
		dpkg-deb -x ./*.deb .
		mkdir tree
		tar -xJf "usr/src/linux-source-$series.tar.xz" -C tree --strip-components=1
		mv -T tree "$to"
	)
}

# configure SOURCE TREE VARIANT HASH: what the files here say, and nothing else.
configure() {
	local line wrong=
	{
		cat "$here/kernel.config" "$here/$3.config"
		echo "CONFIG_LOCALVERSION=\"-debug-$4\""
	} >"$2/wanted.config"
	make -s -C "$1" O="$2" KCONFIG_ALLCONFIG="$2/wanted.config" allnoconfig >/dev/null
	while read -r line; do
		case $line in
		CONFIG_*=n) ! grep -q "^${line%=n}=" "$2/.config" || wrong="$wrong $line" ;;
		CONFIG_*) grep -qxF "$line" "$2/.config" || wrong="$wrong $line" ;;
		esac
	done <"$2/wanted.config"
	[ -z "$wrong" ] || die "$3: cannot be set:$wrong"
}

# build NAME VARIANT VERSION
build() {
	exec 9>"$kernels/.$1.lock"
	flock 9
	local dir=$kernels/$1 hash release
	hash=$(cat "$here/kernel.config" "$here/$2.config" | sha256sum | cut -c 1-8)
	grep -qsF "debug-$hash\",\"version\":\"$3\"" "$dir/kernel.json" && return
	unpack "$3"
	if [ "$(cat "$dir/configured" 2>/dev/null)" != "$hash $3" ]; then
		rm -rf "$dir"
		mkdir -p "$dir/tree"
		configure "$kernels/source-$3" "$dir/tree" "$2" "$hash"
		echo "$hash $3" >"$dir/configured"
	fi
	echo "kernel.sh: building $1; make's output: $dir/make.log" >&2
	make -C "$dir/tree" -j"$jobs" bzImage modules >"$dir/make.log" 2>&1 || {
		tail -5 "$dir/make.log" >&2
		die "building $1 failed; all of make's output: $dir/make.log"
	}
	release=$(make -s -C "$dir/tree" kernelrelease)
	find "$dir/tree" -name '*.o' -not -path '*/scripts/*' -not -path '*/tools/*' -delete
	printf '{"name":"%s","release":"%s","version":"%s","image":"%s","headers":"tree","image_sha256":"%s"}\n' \
		"$1" "$release" "$3" tree/arch/x86/boot/bzImage \
		"$(sha256sum <"$dir/tree/arch/x86/boot/bzImage" | cut -d ' ' -f 1)" >"$dir/kernel.json.new"
	mv "$dir/kernel.json.new" "$dir/kernel.json"
}

version=$(apt-cache show --no-all-versions "linux-source-$series" 2>/dev/null | sed -n 's/^Version: //p')
[ -n "$version" ] || die "apt knows no package linux-source-$series (run: apt-get update)"
[ $# -gt 0 ] || set -- stock rt
for variant; do
	case $variant in
	stock) build "$series-debug" stock "$version" ;;
	rt) build "$series-rt-debug" rt "$version" ;;
	*) die "$variant: neither stock nor rt" ;;
	esac
done
