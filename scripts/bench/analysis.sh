#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Times sigreport against wc, datamash and cat on the same cached files, in
# turn, RUNS (5) times each, and prints medians of the wall time in seconds,
# their ratio, ours to theirs, and sigreport's peak memory; the same as JSON in
# build/bench/analysis.json. LINES_M sets the millions of lines (100). The data
# lies in build/bench, 1.4 GB for 100 million lines, until make clean.
set -euo pipefail
cd "$(dirname "$0")/../.."
export LC_ALL=C
millions=${LINES_M:-100} runs=${RUNS:-5}
dir=build/bench ours=build/bin/sigreport
for tool in datamash /usr/bin/time perl; do
	command -v "$tool" > /dev/null || { echo "bench: $tool is missing: scripts/deps.sh bench" >&2; exit 1; }
done
[ -x $ours ] || { echo "bench: $ours is missing: make build" >&2; exit 1; }
mkdir -p $dir
text=$dir/text${millions}m.txt raw=$dir/samples${millions}m.raw

# repeat FILE makes a file of MILLIONS times what is piped in.
repeat() {
	cat > "$1.one"
	for ((i = 0; i < millions; i++)); do cat "$1.one"; done > "$1.part"
	mv "$1.part" "$1"
	rm "$1.one"
}
# A million latencies near 6000 ns, as one integer per line and, a third as
# many, as records of two threads in jitterdebugger's samples.raw.
values='srand(1); sub v { int(exp(8.7 + 0.3*sqrt(-2*log(1-rand()))*cos(6.2831853*rand()))) }'
[ -s "$text" ] || perl -e "$values"' print v(), "\n" for 1..1000000' | repeat "$text"
[ -s "$raw" ] || perl -e "$values"' print pack("L<q<q<Q<", $_ % 2, 1000 + $_, 0, v()/1000) for 1..333333' | repeat "$raw"
rm -rf $dir/runs $dir/year
head -1000000 "$text" > $dir/run.txt
$ours import $dir/run.txt -o $dir/runs/1 > $dir/import.log
for ((i = 2; i <= 730; i++)); do cp -r $dir/runs/1 $dir/runs/$i; done
cat "$text" "$raw" > /dev/null

# seconds COMMAND prints the wall time.
seconds() {
	local from=${EPOCHREALTIME/./}
	bash -c "$1" > /dev/null
	echo "$((${EPOCHREALTIME/./} - from))e-6"
}
median() { sort -g | sed -n "$((($1 + 1) / 2))p"; }
records=()
# compare WHAT RUNS OURS THEIRS: commands; THEIRS may be empty.
compare() {
	local a=() b=() o t=- ratio=- peak
	/usr/bin/time -o $dir/time -f %M bash -c "$3" > /dev/null
	peak=$(awk '{ printf "%.0f", $1 / 1024 }' $dir/time)
	for ((i = 0; i < $2; i++)); do
		a+=("$(seconds "$3")")
		[ -z "$4" ] || b+=("$(seconds "$4")")
	done
	o=$(printf '%s\n' "${a[@]}" | median "$2")
	if [ -n "$4" ]; then
		t=$(printf '%s\n' "${b[@]}" | median "$2")
		ratio=$(for i in "${!a[@]}"; do awk "BEGIN { print ${a[i]} / ${b[i]} }"; done | median "$2")
	fi
	awk -v w="$1" -v o="$o" -v t="$t" -v r="$ratio" -v p="$peak" 'BEGIN {
		if (t != "-") { t = sprintf("%.3f", t); r = sprintf("%.3f", r) }
		printf "bench-analysis: what=%s ours=%.3f theirs=%s ratio=%s peak_mib=%d\n", w, o, t, r, p
	}'
	records+=("$(awk -v w="$1" -v o="$o" -v t="${t/#-/null}" -v r="${ratio/#-/null}" -v p="$peak" -v l="$millions" 'BEGIN {
		printf "{\"what\": \"%s\", \"million_lines\": %d, \"ours_s\": %s, \"theirs_s\": %s, \"ratio\": %s, \"peak_mib\": %d}", w, l, o+0, t == "null" ? t : t+0, r, p
	}')")
}
compare stats-wc "$runs" "$ours stats $text" "wc -l $text"
compare stream-wc "$runs" "$ours stats - < $text" "wc -l < $text"
compare stats-datamash 1 "$ours stats $text" "datamash count 1 min 1 max 1 mean 1 sstdev 1 < $text"
compare raw-cat "$runs" "$ours stats $raw" "cat $raw"
compare merge-730 "$runs" "rm -rf $dir/year; $ours merge $dir/runs/* -o $dir/year" ""
rate=$(sed -n 's/.*"raw-cat".*"ours_s": \([0-9.e-]*\),.*/\1/p' <(printf '%s\n' "${records[@]}"))
awk -v s="$rate" -v b="$(stat -c %s "$raw")" 'BEGIN { printf "samples.raw: %.1f GB/s\n", b / s / 1e9 }'
(IFS=,; printf '[%s]\n' "${records[*]}") > $dir/analysis.json
rm -rf $dir/runs $dir/year $dir/run.txt $dir/time $dir/import.log
