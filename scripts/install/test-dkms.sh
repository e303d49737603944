#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# test-dkms.sh: tries what a machine does with an installed siglat. Installs
# into a Debian of its own below build/dkms, which debootstrap makes once; lets
# Debian's dkms build, sign and install the module there for the lab's kernel
# 6.12; loads it by modprobe in a virtual machine of that kernel, with a
# parameter; and takes it out again; then the same by the .deb. Needs root, and the network the first time.
set -euo pipefail
cd "$(dirname "$0")/../.."
suite=bookworm kernel=6.12
root=$PWD/build/dkms
siglab=build/bin/siglab
export LC_ALL=C DEBIAN_FRONTEND=noninteractive
unset MAKEFLAGS MFLAGS MAKELEVEL DESTDIR PREFIX

die() { echo "test-dkms.sh: $*" >&2; exit 1; }
inside() { chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C DEBIAN_FRONTEND=noninteractive "$@"; }
# there TEXT COMMAND...: the command's output has the text.
there() {
	local text=$1 out
	shift
	out=$("$@" 2>&1) || die "$* failed: $out"
	[[ $out == *"$text"* ]] || die "no \"$text\" in what $* says: $out"
}

[ "$(id -u)" -eq 0 ] || die "run it as root: debootstrap and chroot need it"
command -v debootstrap >/dev/null || die "debootstrap is missing (run scripts/deps.sh test)"
"$siglab" kernels --fetch $kernel >/dev/null
release=$(sed -n 's/.*"release": *"\([^"]*\)".*/\1/p' build/kernels/$kernel/kernel.json)

# mirror SUITE prints where this machine's apt has it from.
mirror() {
	# shellcheck disable=SC2016 # apt-get's variable
	apt-get indextargets --format '$(REPO_URI)' "Codename: $1" 'Created-By: Packages' | sed 1q
}

make_root() {
	echo "test-dkms.sh: making a Debian $suite in build/dkms" >&2
	rm -rf "$root"
	debootstrap --variant=minbase "$suite" "$root" "$(mirror $suite)" >"$root.log" 2>&1 || die "debootstrap failed: $root.log"
	echo "deb $(mirror $suite-security) $suite-security main" >>"$root/etc/apt/sources.list"
	inside apt-get -q update >>"$root.log" 2>&1
}

[ -e "$root/etc/debian_version" ] || make_root
if [ ! -e "$root/lib/modules/$release/build/Makefile" ] || ! inside which dkms openssl >/dev/null 2>&1; then
	# The headers depend on the image; it boots nowhere, so no initramfs.
	inside INITRD=No apt-get -q install -y --no-install-recommends dkms openssl "linux-headers-$release" >>"$root.log" 2>&1 ||
		die "installing dkms and headers failed: $root.log"
fi

# dkms looks at /proc.
mountpoint -q "$root/proc" || mount -t proc proc "$root/proc"
trap 'umount "$root/proc"' EXIT
rm -rf "$root"/var/lib/dkms/siglat "$root"/lib/modules/*/updates "$root"/usr/src/siglat-*
DESTDIR=$root PREFIX=/usr scripts/install/install.sh 2>/dev/null
version=$(sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' kmod/dkms.conf)
for step in add build install; do
	case $step in add) kernels=() ;; *) kernels=(-k "$release") ;; esac
	inside dkms $step -m siglat -v "$version" "${kernels[@]}" >"$root.log" 2>&1 || die "dkms $step failed: $(tail -3 "$root.log")"
done
there "siglat/$version, $release, x86_64: installed" inside dkms status
# Debian's kernels of today have their modules compressed, and dkms does alike.
module=$(inside modinfo -k "$release" -n siglat) || die "modinfo does not find what dkms installed"
[[ $module == /lib/modules/$release/updates/dkms/siglat.ko* ]] || die "dkms installed $module"
there "$release " inside modinfo -F vermagic "$module"
[ "$(inside modinfo -F version "$module")" = "$version" ] || die "MODULE_VERSION and dkms.conf differ"
there "DKMS module signing key" inside modinfo -F signer "$module"
echo "test-dkms.sh: dkms built, signed and installed $module"

# modules.builtin and their like, and what dkms built; not the image's modules.
lists=()
for file in "$root/lib/modules/$release"/modules.*; do
	lists+=(--copy "$file:/lib/modules/$release/${file##*/}")
done
# In the machine: modprobe finds it, the parameter holds, the device is there.
# shellcheck disable=SC2016 # the guest's variables
"$siglab" exec --no-module --kernel $kernel --copy "$root/usr/bin/kmod:/sbin/modprobe" --copy "$root/usr/bin/kmod:/sbin/rmmod" \
	"${lists[@]}" --copy "$root/lib/modules/$release/updates:/lib/modules/$release/updates" \
	--copy build/bin/sigwait -- /bin/dash -euc '
		/sbin/modprobe siglat period_us=1000
		read -r period < /sys/module/siglat/parameters/period_us
		test "$period" = 1000
		test -c /dev/siglat
		sigwait --source kernel --cpu 0 -n 20 -q > /dev/null
		/sbin/rmmod siglat
		test ! -e /dev/siglat' ||
	die "modprobe siglat period_us=1000 in a virtual machine failed"
echo "test-dkms.sh: modprobe siglat period_us=1000 works on $release"

inside dkms remove siglat/"$version" --all >/dev/null
# gone WHAT: nothing of the module or the commands is left.
gone() {
	[ ! -e "$root$module" ] || die "$1 left $module"
	[ -z "$(inside dkms status)" ] || die "dkms status after $1: $(inside dkms status)"
}
gone "dkms remove"
echo "test-dkms.sh: removed"

# The same by the package.
rm -rf "$root"/usr/src/siglat-*
deb=$(scripts/install/deb.sh)
cp "$deb" "$root/tmp/siglat.deb"
inside dpkg -i /tmp/siglat.deb >"$root.log" 2>&1 || die "dpkg -i $deb failed: $(tail -3 "$root.log")"
there "siglat/$version, $release, x86_64: installed" inside dkms status
there siglat: inside getent group siglat
there "sigwait " inside sigwait --version
echo "test-dkms.sh: $deb installed"
inside dpkg -r siglat >"$root.log" 2>&1 || die "dpkg -r siglat failed: $(tail -3 "$root.log")"
gone "dpkg -r siglat"
left=$(find "$root/usr" "$root/etc" "$root/lib/modules" -name '*siglat*' -not -path '*/share/doc/*')
[ -z "$left" ] || die "dpkg -r siglat left $left"
echo "test-dkms.sh: package removed"
