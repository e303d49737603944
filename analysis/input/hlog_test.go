// SPDX-License-Identifier: GPL-2.0-only

package input

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
)

// TestForeignLog reads a log that HdrHistogram's implementation in Java wrote,
// see testdata/foreign/Log.java. The figures are those of its HistogramLogReader
// and Histogram.
func TestForeignLog(t *testing.T) {
	recs, err := Open([]string{"testdata/foreign/foreign.hlog"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"foreign.hlog:empty 0 0 0 0 0 0",
		"foreign.hlog 3003 100 3000319 1100 2081 2099",
		"foreign.hlog:tagged 500 512 501759 250879 495615 501759",
	}
	means := []float64{math.NaN(), 3095.8874458874457, 250496.512}
	if len(recs) != len(want) {
		t.Fatalf("%d recordings", len(recs))
	}
	for i, r := range recs {
		l := r.Latency
		if got := fmt.Sprint(r.Name, " ", l.Count, l.Min, l.Max, l.P50, l.P99, l.P999); got != want[i] {
			t.Errorf("%s, want %s", got, want[i])
		}
		// Java's middle of a class is half a value higher.
		if l.Count > 0 && math.Abs(l.Mean-means[i]) > 1 {
			t.Errorf("%s: mean %v, want %v", r.Name, l.Mean, means[i])
		}
	}
}

func TestWrongLogs(t *testing.T) {
	text, err := os.ReadFile("testdata/foreign/foreign.hlog")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ from, to, want string }{
		{"0.000,1.000,1.000,HIST", "0.000,1.000,HIST", "read stdin:6: 3 fields"},
		{"1.000,1.000,2.001,", "-1.000,1.000,2.001,", `read stdin:7: start "-1.000"`},
		{"HISTFAAAADl42pNp", "HISTFAAAADl42pNq", "read stdin:6: decode histogram: "},
		{"HISTFAAAABx42pNp", "HISTEwAAABx42pNp", "read stdin:10: decode histogram: not a compressed V2 histogram of whole numbers"},
	} {
		changed := strings.Replace(string(text), c.from, c.to, 1)
		if changed == string(text) {
			t.Fatalf("%q is not in the log", c.from)
		}
		if _, err := Open([]string{"-"}, strings.NewReader(changed)); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q for %q: %v, want %s", c.to, c.from, err, c.want)
		}
	}
}
