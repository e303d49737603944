#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Runs every fuzz target of the repository for FUZZTIME (default 60s) each.
set -euo pipefail
cd "$(dirname "$0")/.."
export CGO_ENABLED=0
time=${FUZZTIME:-60s}
grep -rlE '^func Fuzz[A-Z]' --include='*_test.go' analysis cmd plots sigwait | sort |
while read -r file; do
	sed -nE 's/^func (Fuzz[A-Za-z0-9_]+)\(.*/\1/p' "$file" |
	while read -r target; do
		echo "$file $target $time"
		"${GO:-go}" test -run '^$' -fuzz "^$target\$" -fuzztime "$time" "./$(dirname "$file")" < /dev/null
	done
done
