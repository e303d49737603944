#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# check.sh: has systemd, Prometheus and the types of Kubernetes look at the
# files of this folder. Needs make build, and the network the first time.
set -euo pipefail
cd "$(dirname "$0")"
top=$(cd ../.. && pwd)
./prometheus.sh
promtool=$top/build/prometheus/usr/bin/promtool
$promtool check rules rules.yml >/dev/null
$promtool test rules rules_test.yml >/dev/null
(cd kubecheck && go vet . && go run . ../daemonset.yaml)
# Verify looks for the program: take the one that was built.
units=$(mktemp -d)
trap 'rm -rf "$units"' EXIT
sed "s|=/usr/bin/sigwait|=$top/build/bin/sigwait|" siglat.service >"$units/siglat.service"
said=$(systemd-analyze verify --man=no "$units/siglat.service" 2>&1 | grep -F siglat || true)
[ -z "$said" ] || { echo "check.sh: siglat.service: $said" >&2; exit 1; }
