#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# lint-kmod.sh KERNEL...: the kernel's own checkpatch --strict on the module's
# sources, and sparse while it is built for kernels that siglab has fetched.
# Fails on whatever they say. checkpatch comes from Debian's linux-source
# package, once; it stays in build/checkpatch.
set -euo pipefail
export LC_ALL=C
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES ARCH CROSS_COMPILE KDIR M O
top=$(cd "$(dirname "$0")/.." && pwd)
kernels=$top/build/kernels
checkpatch=$top/build/checkpatch
files=(checkpatch.pl spelling.txt const_structs.checkpatch)

die() { echo "lint-kmod.sh: $*" >&2; exit 1; }

mkdir -p "$top/build"
tmp=$(mktemp -d "$top/build/.lint.XXXXXX")
trap 'rm -rf "$tmp"' EXIT

# Puts the files into build/checkpatch, all or none.
fetch() {
	local series=6.12 source
	mkdir "$tmp/new"
	source=$(find "$kernels/" -maxdepth 1 -name "source-$series*" | sort -V | tail -1)
	if [ -n "$source" ]; then # unpacked for the debug kernels
		cp "${files[@]/#/$source/scripts/}" "$tmp/new"
	else
		echo "lint-kmod.sh: downloading linux-source-$series for checkpatch" >&2
		mkdir "$tmp/deb"
		(cd "$tmp/deb" && apt-get -q download "linux-source-$series" >&2 && dpkg-deb -x ./*.deb .) ||
			die "no package linux-source-$series (run: apt-get update)"
		tar -xJf "$tmp/deb/usr/src/linux-source-$series.tar.xz" -C "$tmp/new" --strip-components=2 \
			--no-anchored "${files[@]/#/scripts/}"
		rm -r "$tmp/deb"
	fi
	rm -rf "$checkpatch"
	mv -T "$tmp/new" "$checkpatch"
}

# sparse KERNEL: kbuild goes on after what sparse says.
sparse() {
	local dir=$kernels/$1 headers log=$tmp/$1.log
	headers=$(sed -n 's/.*"headers": *"\([^"]*\)".*/\1/p' "$dir/kernel.json")
	[ -n "$headers" ] || die "kernel $1: no headers in $dir"
	rm -rf "$tmp/kmod"
	mkdir "$tmp/kmod"
	cp "$top"/kmod/*.[ch] "$top/kmod/Kbuild" "$top/kmod/Makefile" "$tmp/kmod"
	rm -f "$tmp"/kmod/*.mod.c
	make -C "$tmp/kmod" KDIR="$dir/$headers" W=1 C=2 CHECK=sparse >"$log" 2>&1 ||
		{ cat "$log" >&2; die "kernel $1: the module does not build"; }
	if grep -E ': (warning|error):' "$log" >&2; then
		die "kernel $1: see above what sparse says"
	fi
	# All files, or the silence says nothing.
	[ "$(grep -c '^  CHECK ' "$log")" -eq "$(find "$tmp/kmod" -name '*.c' -not -name '*.mod.c' | wc -l)" ] ||
		die "kernel $1: sparse has not seen all files"
}

[ $# -gt 0 ] || die "wants names of kernels"
command -v sparse >/dev/null || die "sparse is missing (run: scripts/deps.sh test)"
[ -e "$checkpatch/checkpatch.pl" ] || fetch
find "$top/kmod" -name '*.[ch]' -not -name '*.mod.c' -print0 | sort -z |
	xargs -0 perl "$checkpatch/checkpatch.pl" --strict --no-tree --terse --quiet --no-summary -f >&2 ||
	die "see above what checkpatch says"
for kernel; do
	sparse "$kernel"
done
