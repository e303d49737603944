#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# deb.sh: makes build/siglat_VERSION_amd64.deb of what make install installs
# below /usr. The package's scripts make the group, and let dkms build the
# module for the kernels whose headers are there. Needs no root.
set -eu
cd "$(dirname "$0")/../.."
version=$(sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' kmod/dkms.conf)
architecture=$(dpkg --print-architecture)
deb=build/siglat_${version}_$architecture.deb
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
chmod 755 "$tree"

umask 022
DESTDIR=$tree PREFIX=/usr SOURCE_ONLY=yes scripts/install/install.sh
mkdir "$tree/DEBIAN"
cat >"$tree/DEBIAN/control" <<END
Package: siglat
Version: $version
Architecture: $architecture
Maintainer: The siglat authors <siglat@localhost>
Section: utils
Priority: optional
Recommends: dkms, qemu-system-x86
Installed-Size: $(du -ks "$tree/usr" | cut -f 1)
Description: signal-delivery latency kit
 Measures how long after the kernel decides to notify a process the process
 runs: sigwait records, sigreport reads, siglab runs plans of experiments. The
 kernel module is built by DKMS.
END
cat >"$tree/DEBIAN/postinst" <<END
#!/bin/sh
set -e
[ "\$1" = configure ] || exit 0
getent group siglat >/dev/null || groupadd --system siglat
if [ -x /usr/lib/dkms/common.postinst ]; then
	/usr/lib/dkms/common.postinst siglat $version "" "" "\$2"
fi
END
cat >"$tree/DEBIAN/prerm" <<END
#!/bin/sh
set -e
if command -v dkms >/dev/null; then
	dkms remove siglat/$version --all >/dev/null || true
fi
END
chmod 755 "$tree/DEBIAN/postinst" "$tree/DEBIAN/prerm"
dpkg-deb -Zzstd --root-owner-group --build "$tree" "$deb" >/dev/null
echo "$deb"
