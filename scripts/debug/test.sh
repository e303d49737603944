#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# test.sh [KERNEL]...: wears the module down on the debug kernels (all of them
# by default): its selftests, random requests for FUZZTIME (10m) from SEED (the
# time) in real time, the same with tracing for TRACETIME (1m) of virtual time,
# and a soak of SOAK (1000000) signals at the smallest period. Fails on any
# report of the kernel's checks. PARTS is what to do of "detector selftest fuzz
# fuzztrace soak". The consoles are kept in build/debug.
set -euo pipefail
cd "$(dirname "$0")/../.."
export CGO_ENABLED=0
time=${FUZZTIME:-10m} traced=${TRACETIME:-1m} seed=${SEED:-0} soak=${SOAK:-1000000}
parts=" ${PARTS:-detector selftest fuzz fuzztrace soak} "
[ $# -gt 0 ] || set -- 6.12-debug 6.12-rt-debug
out=build/debug
mkdir -p "$out"
go=${GO:-go}
"$go" test -tags vm -c -o "$out/" ./sigwait/internal/selftest ./sigwait/internal/stress

# machine PART KERNEL ARGUMENT...: a program in a machine with that kernel.
machine() {
	local part=$1 kernel=$2
	shift 2
	build/bin/siglab exec --kernel "$kernel" --timeout 3h --console "$out/$kernel-$part.log" "$@"
}

# A machine with these checks is 20 times as slow, in virtual time too: with
# the period that is the smallest by default it would do nothing else. Signals
# taken one by one would make the soak last for two hours.
one() {
	echo "== $1 on $2"
	case $1 in
	selftest) machine "$@" --module-args min_period_us=100 -- "$out/selftest.test" -test.timeout 0 -storm-period 4ms ;;
	fuzz) machine "$@" --clock real --env STRESS_UNTRACED=1 --module-args min_period_us=4000 -- \
		"$out/stress.test" -test.timeout 0 -test.run TestFuzz -fuzztime "$time" -seed "$seed" ;;
	fuzztrace) machine "$@" --module-args min_period_us=4000 -- \
		"$out/stress.test" -test.timeout 0 -test.run TestFuzz -fuzztime "$traced" -seed "$seed" ;;
	soak) machine "$@" --module-args min_period_us=200 -- \
		"$out/stress.test" -test.timeout 0 -test.run TestSoak -soak "$soak" -batch 20ms ;;
	esac
}

case $parts in *" detector "*)
	echo "== detector"
	"$go" test -count=1 -tags debug -run TestDebugKernel ./cmd/siglab ;;
esac
for kernel; do
	for part in selftest fuzz fuzztrace soak; do
		case $parts in *" $part "*) one "$part" "$kernel" ;; esac
	done
done
