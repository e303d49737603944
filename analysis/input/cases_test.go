// SPDX-License-Identifier: GPL-2.0-only

package input

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"siglat/analysis/recording"
)

// figures is "name count min mean max overflow", in ns, with ? for what is
// not known.
func figures(r *recording.Recording) string {
	over := "?"
	if r.Import != nil && !r.Import.OverflowOpen && r.Latencies() != nil {
		over = fmt.Sprint(r.Import.Overflow)
	}
	count := fmt.Sprint(r.Latency.Count)
	if r.Import != nil && r.Import.CountOpen {
		count = "?"
	}
	return fmt.Sprintf("%s %s %d %.0f %d %s", r.Name, count, r.Latency.Min, r.Latency.Mean, r.Latency.Max, over)
}

// TestCases reads files that rt-tests 2.4 and jitterdebugger 0.3.1 of Debian
// wrote; xenomai-latency-g.txt, rtla-timerlat-hist.txt and osadl-style-plot.txt
// are after the grammar of their tools. JSON tells its command line; others:
//
//	cyclictest-h400-t2.txt  cyclictest -m -p 80 -i 500 -l 4000 -q -h 400 -t 2 -a
//	cyclictest-histfile.txt the same with --histfile and one thread
//	cyclictest-v.txt        cyclictest -m -p 80 -i 1000 -l 40 -v -t 2 -a
//	cyclictest-q.txt        cyclictest -m -p 80 -i 1000 -l 300 -q -t 2
//	cyclictest-H100.txt     cyclictest -m -p 80 -i 1000 -l 300 -q -H 100 -t 2
//	jitterdebugger-s-*      jitterdebugger -D 1s -i 20000 -s -o DIR
func TestCases(t *testing.T) {
	for _, c := range []struct {
		file string
		want []string
		word string // in a warning
	}{
		{"cyclictest-h400-t2.txt", []string{"thread0 4000 8000 60000 1352000 10", "thread1 4000 12000 78000 1380000 12"}, "above the classes"},
		{"cyclictest-histfile.txt", []string{"thread0 3000 8000 67000 2367000 53"}, "above the classes"},
		{"cyclictest-h200.json", []string{"thread0 3000 6000 81270 736000 56", "thread1 3000 13000 87550 674000 119"}, "above the classes"},
		{"cyclictest-nohist.json", []string{"thread0 2000 9000 60920 614000 ?"}, "no distribution"},
		{"sigwaittest.json", []string{"thread0 2000 10000 67530 250000 ?", "thread1 1403 7000 72660 481000 ?"}, "no distribution"},
		{"oslat.json", []string{"thread0 42293695 1000 1048 83125000 3274", "thread1 47538421 1000 1043 45941000 2610"}, "the last class, 32000 ns, is open"},
		{"jitterdebugger-results.json", []string{"thread0 2994 10000 78810 1307000 1", "thread1 2994 11000 88650 1097000 2"}, "above the classes"},
		{"xenomai-latency-g.txt", []string{" 10000 412 1571 9046 0"}, "the 3 values of the last class"},
		{"rtla-timerlat-hist.txt", []string{"IRQ-000 10000 0 0 8000 0", "Thr-000 10000 0 5000 27000 8", "IRQ-001 10000 0 0 10000 0", "Thr-001 10000 0 5000 38000 10"}, "above the classes"},
		{"cyclictest-v.txt", []string{"thread0 26 55000 81500 144000 0", "thread1 40 36000 72725 139000 0"}, "only 26 values"},
		{"cyclictest-q.txt", []string{"thread0 300 38000 106000 853000 ?", "thread1 207 17000 105000 861000 ?"}, "no distribution"},
		{"cyclictest-H100.txt", []string{"thread0 300 37000 98000 1080000 55", "thread1 300 20000 101000 1246000 39"}, "above the classes"},
		{"cyclictest-N.json", []string{"thread0 200 22414 133420 7096761 12"}, "above the classes"},
		{"signaltest.json", []string{"thread0 500 37000 145790 1118000 ?", "thread1 500 38000 791900 10937000 ?"}, "no distribution"},
		{"ptsematest.json", []string{"thread0 500 13000 81550 785000 ?"}, "no distribution"},
		{"jitterdebugger-s-results.json", []string{"thread0 46 52000 221630 3079000 1", "thread1 42 27000 161670 1009000 1"}, "above the classes"},
		{"jitterdebugger-s-samples.raw", []string{"thread0 45 52000 223133 3079000 0", "thread1 41 27000 163610 1009000 0"}, "only 45 values"},
		{"osadl-style-plot.txt", []string{"thread0 200000 1000 3698 72000 ?", "thread1 200000 1000 3694 66000 ?", "thread2 200000 1000 3692 118000 ?", "thread3 200000 1000 3696 117000 ?"}, "no foot"},
	} {
		recs, err := Open([]string{filepath.Join("testdata", "cases", c.file)}, nil)
		if err != nil {
			t.Errorf("%s: %v", c.file, err)
			continue
		}
		warned := false
		for i, r := range recs {
			want := ""
			if i < len(c.want) {
				want = c.file + ":" + c.want[i]
				if c.want[i][0] == ' ' {
					want = c.file + c.want[i]
				}
			}
			if got := figures(r); got != want {
				t.Errorf("%s, want %s", got, want)
			}
			warned = warned || strings.Contains(strings.Join(r.Warnings, "\n"), c.word)
		}
		if len(recs) != len(c.want) || !warned {
			t.Errorf("%s: %d recordings, %d wanted; warned of %q: %v", c.file, len(recs), len(c.want), c.word, warned)
		}
	}
}
