#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Reads the same cached text with sigreport stats, wc -l and datamash, one
# after the other, and prints times, ratios and peak memory. LINES_M sets the
# millions of lines (100). The data lies in build/bench.
set -euo pipefail
cd "$(dirname "$0")/../.."
millions=${LINES_M:-100}
for tool in datamash /usr/bin/time awk; do
	command -v "$tool" > /dev/null || { echo "bench: $tool is missing: apt-get install datamash time gawk" >&2; exit 1; }
done
[ -x build/bin/sigreport ] || { echo "bench: build/bin/sigreport is missing: make build" >&2; exit 1; }
mkdir -p build/bench
text=build/bench/text${millions}m.txt
if [ ! -s "$text" ]; then
	awk 'BEGIN { srand(1); for (i = 0; i < 1000000; i++) print int(exp(8.7 + 0.3*sqrt(-2*log(1-rand()))*cos(6.2831853*rand()))) }' > build/bench/million.txt
	for ((i = 0; i < millions; i++)); do cat build/bench/million.txt; done > "$text.part"
	mv "$text.part" "$text"
fi
cat "$text" > /dev/null

# best prints the shortest time of a number of runs, and the peak memory.
best() {
	local runs=$1
	shift
	for ((i = 0; i < runs; i++)); do
		/usr/bin/time -o build/bench/time -f '%e %M' "$@" < "$text" > /dev/null
		cat build/bench/time
	done | sort -n | head -1
}
read -r wc_s wc_kb < <(best 5 wc -l "$text")
read -r our_s our_kb < <(best 5 build/bin/sigreport stats "$text")
read -r pipe_s pipe_kb < <(best 3 build/bin/sigreport stats -)
read -r peer_s peer_kb < <(best 1 datamash count 1 min 1 max 1 mean 1 sstdev 1)
awk -v l="$millions" -v w="$wc_s" -v wk="$wc_kb" -v o="$our_s" -v ok="$our_kb" -v p="$pipe_s" -v pk="$pipe_kb" -v d="$peer_s" -v dk="$peer_kb" 'BEGIN {
	printf "| %d million lines | s | against wc -l | MiB |\n|---|---|---|---|\n", l
	printf "| wc -l | %.2f | 1 | %.0f |\n", w, wk/1024
	printf "| sigreport stats FILE | %.2f | %.1f | %.0f |\n", o, o/w, ok/1024
	printf "| sigreport stats - | %.2f | %.1f | %.0f |\n", p, p/w, pk/1024
	printf "| datamash | %.2f | %.1f | %.0f |\n", d, d/w, dk/1024
	printf "datamash takes %.1f times as long as sigreport stats FILE\n", d/o
}'
