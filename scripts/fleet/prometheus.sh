#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# prometheus.sh: puts Debian's Prometheus into build/prometheus, unpacked and
# not installed, so that no service starts. Needs the network the first time.
set -eu
cd "$(dirname "$0")/../.."
[ ! -x build/prometheus/usr/bin/prometheus ] || exit 0
mkdir -p build
tmp=$(mktemp -d build/.prometheus.XXXXXX)
trap 'rm -rf "$tmp"' EXIT
(cd "$tmp" && apt-get -q download prometheus >&2)
dpkg-deb -x "$tmp"/*.deb "$tmp/tree"
rm -rf build/prometheus
mv "$tmp/tree" build/prometheus
