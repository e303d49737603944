#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Runs every fuzz target of the repository for FUZZTIME (default 60s), as many
# at a time as there are processors, with one worker each. Inputs are hardly
# minimised: by default that would take the whole time for each.
set -euo pipefail
cd "$(dirname "$0")/.."
export CGO_ENABLED=0 FUZZTIME=${FUZZTIME:-60s} GO=${GO:-go}

one() {
	if ! out=$("$GO" test -run '^$' -fuzz "^$2\$" -fuzztime "$FUZZTIME" -fuzzminimizetime 10x -parallel 1 "./$1" 2>&1 < /dev/null); then
		printf '%s %s failed:\n%s\n' "$1" "$2" "$out"
		return 1
	fi
	printf '%s %s: %s\n' "$1" "$2" "$(grep '^fuzz: elapsed' <<< "$out" | tail -n 1)"
}
export -f one

grep -rlE '^func Fuzz[A-Z]' --include='*_test.go' analysis cmd plots sigwait | sort |
while read -r file; do
	sed -nE "s|^func (Fuzz[A-Za-z0-9_]+)\(.*|$(dirname "$file") \1|p" "$file"
done | xargs -P "$(nproc)" -L 1 bash -c 'one "$@"' fuzz
