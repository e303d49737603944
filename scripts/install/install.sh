#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# install.sh: puts what was built below PREFIX (/usr/local), the module's source
# for DKMS into /usr/src, and the module, if it was built (make kmod), into the
# folder of its kernel, unless SOURCE_ONLY is yes. DESTDIR goes before every path. Needs no root where
# DESTDIR can be written.
set -eu
cd "$(dirname "$0")/../.."
root=${DESTDIR:-}
prefix=$root${PREFIX:-/usr/local}
version=$(sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' kmod/dkms.conf)
source=$root/usr/src/siglat-$version

install -d "$prefix/bin" "$prefix/include" "$prefix/lib/udev/rules.d" "$prefix/lib/sysusers.d" \
	"$prefix/share/doc/siglat" "$source"
install -m 755 build/bin/sigwait build/bin/sigreport build/bin/siglab "$prefix/bin"
install -m 644 kmod/siglat.h "$prefix/include"
install -m 644 scripts/install/60-siglat.rules "$prefix/lib/udev/rules.d"
install -m 644 scripts/install/sysusers.conf "$prefix/lib/sysusers.d/siglat.conf"
install -m 644 README.md LICENSE scripts/install/modprobe.conf "$prefix/share/doc/siglat"
sed "s|=/usr/bin/|=${PREFIX:-/usr/local}/bin/|" scripts/fleet/siglat.service > "$prefix/share/doc/siglat/siglat.service"
for name in sigwait sigreport; do # README.md refers to them
	install -D -m 644 cmd/$name/README.md "$prefix/share/doc/siglat/cmd/$name/README.md"
done
install -m 644 kmod/*.[ch] kmod/Kbuild kmod/Makefile kmod/dkms.conf "$source"
rm -f "$source"/*.mod.c
install -d "$prefix/share/man/man1" "$prefix/share/bash-completion/completions" \
	"$prefix/share/zsh/vendor-completions" "$prefix/share/fish/vendor_completions.d"
for name in sigwait sigreport siglab; do
	install -m 644 build/man/$name.1 "$prefix/share/man/man1"
	install -m 644 build/completion/$name.bash "$prefix/share/bash-completion/completions/$name"
	install -m 644 build/completion/$name.zsh "$prefix/share/zsh/vendor-completions/_$name"
	install -m 644 build/completion/$name.fish "$prefix/share/fish/vendor_completions.d"
done
install -m 755 scripts/tune-host.sh "$prefix/share/doc/siglat"
if [ "${SOURCE_ONLY:-}" = yes ]; then
	:
elif [ -e kmod/siglat.ko ]; then
	make -C kmod modules_install INSTALL_MOD_PATH="$root" ${KDIR:+KDIR="$KDIR"}
else
	echo "install.sh: no module was built: dkms install siglat/$version, or make kmod and install again" >&2
fi
